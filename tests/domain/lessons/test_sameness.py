"""Two lessons are one only where nothing that decides differs."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcp_reflect.domain.lessons.comparison.sameness import Lesson, lesson_key, same_kind, say_the_same

WHOLE = (
    "The build needs Java 17; set `JAVA_HOME=/opt/jdk17` and run `./gradlew build --no-daemon` before every release."
)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Use `uv sync --frozen` to install.", "Install with `uv sync --frozen`"),
        (WHOLE, "Guidance: " + WHOLE.upper() + "\nTools: Bash, Edit"),
        ("It needs a clean cache. Tests want port 5433.", "Tests want port 5433.\nIt needs a clean cache."),
        (WHOLE, WHOLE.replace("needs", "clearly needs")),
        (
            "Guidance: Run kind create cluster --config kind.yaml.",
            "What worked: `kind create cluster --config kind.yaml`",
        ),
    ],
)
def test_the_same_in_a_little_other_words(one: str, other: str) -> None:
    assert say_the_same(Lesson.of(one), Lesson.of(other))
    assert say_the_same(Lesson.of(other), Lesson.of(one))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Run the slow tests on staging first", "Run the slow tests on production first"),
        ("Retry 5xx at most 3 times and log every attempt", "Retry 5xx at most 4 times and log every attempt"),
        ("Retry requests that got 429", "Never retry requests that got 429"),
        ("Retry requests that got 429", "Don't retry requests that got 429"),
        ("Migrate the database before the workers restart", "The workers restart before you migrate the database"),
        ("Use pnpm instead of npm", "Use npm instead of pnpm"),
        ("Never run make clean first.", "What worked: `make clean first`"),
        ("Search with `grep -r token src`", "Search with `grep -R token src`"),
        ("Keep results where age < 30", "Keep results where age > 30"),
        ("Cap the backoff at 30 seconds", "Cap the backoff at 30 minutes"),
        ("Move it from 8080 to 9090", "Move it from 9090 to 8080"),
        (WHOLE, WHOLE.replace("every", "every minor")[:-1] + " unless CI does it."),
        ("", ""),
    ],
)
def test_a_value_an_order_or_a_negation_makes_two_lessons(one: str, other: str) -> None:
    assert not say_the_same(Lesson.of(one), Lesson.of(other))
    assert not say_the_same(Lesson.of(other), Lesson.of(one))
    assert not one or lesson_key("task", one) != lesson_key("task", other)


def test_how_much_a_lesson_says_alone_decides_how_alike_its_tasks_must_be() -> None:
    rule = WHOLE + " Upload the archive to `repo.example.org` only after the checksum file."
    short, whole = Lesson.of("It needed the flag."), Lesson.of(rule)
    some = Lesson.of("Clear the cache of the builder, then run the migration and restart all workers.")
    assert same_kind("Build the app", "Build that app again", 0.9, some)
    assert not same_kind("Build app 1", "Build app 2", 0.99, some)
    assert same_kind("Build app 1", "Build app 2", 0.99, whole)
    assert lesson_key("Build the app", rule) == lesson_key("Release it", rule)
    assert lesson_key("Build the app", "It needed the flag.") != lesson_key("Release it", "It needed the flag.")
    assert same_kind("Build the app", "build the app!", 0.0, short)
    assert not same_kind("Build the app", "Build that app", 0.99, short)
    assert same_kind("Build the app", "Make a build", 0.7, whole)
    assert not same_kind("Build the app", "Book a hotel", 0.3, whole)


WORDS = "cache retry 30 `make -j4` before not staging the of clear A.py --dry-run > unless"
words = st.sampled_from(WORDS.split())
sentences = st.lists(words, max_size=8).map(" ".join)


@settings(max_examples=300)
@given(st.lists(sentences, max_size=4), st.lists(sentences, max_size=4))
def test_sameness_is_symmetric_and_equal_keys_mean_it(one: list[str], other: list[str]) -> None:
    a, b = Lesson.of("\n".join(one)), Lesson.of("\n".join(other))
    assert say_the_same(a, b) == say_the_same(b, a)
    if not a.is_empty and a.key("task") == b.key("task"):
        assert say_the_same(a, b)
    turned = Lesson.of("\n".join(reversed(one)))
    assert turned.key("task") == a.key("task")


@given(st.text(max_size=200))
def test_any_text_can_be_read(text: str) -> None:
    lesson = Lesson.of(text)
    assert lesson.is_empty or say_the_same(lesson, Lesson.of(text))
