"""Which error texts tell of the same error: the formula, and what it must not depend on."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_reflect.domain.changes import Changes, MemoryChange, UtilityChange
from mcp_reflect.domain.error_matching.error_index import ErrorIndex, nearest_errors, round_match
from mcp_reflect.domain.error_matching.keywords import (
    MATCH_OVERLAP,
    STOP_WORDS,
    best_overlap,
    error_keywords,
    headlines,
    keyword_sets,
    keywords,
    normalized_line,
    overlap,
    stored_keywords,
)
from mcp_reflect.domain.models import Kind
from tests.support.linear_time import takes_linear_time

VOCABULARY = ("token", "secret", "connection", "refused", "module", "missing", "socket", "schema", "column", "parse")
words = st.sampled_from(VOCABULARY)
sets = st.frozensets(words, max_size=8)

numbers = st.integers(0, 10**9).map(str)
hexes = st.integers(0, 2**64).map(hex)
uuids = st.uuids().map(str)
names = st.text("abcdefghijk", min_size=1, max_size=8)
paths = st.one_of(
    st.lists(names, min_size=1, max_size=4).map(lambda parts: "/" + "/".join(parts)),
    st.lists(names, min_size=2, max_size=4).map(lambda parts: "/".join(parts) + ".py"),
    st.lists(names, min_size=1, max_size=4).map(lambda parts: "C:\\" + "\\".join(parts) + ".txt"),
    names.map(lambda name: f"./{name}/x"),
)
times = st.datetimes().map(lambda moment: moment.replace(microsecond=0).isoformat() + "Z")
variable = st.one_of(numbers, hexes, uuids, paths, times, st.tuples(paths, numbers).map(lambda p: f"{p[0]}:{p[1]}"))
TEMPLATES = (
    "connection to {} refused after {} retries",
    "ValueError: unexpected token {} in column {}",
    "cannot open '{}': no such file, see line {}",
    "job {} timed out at {}",
)


def test_the_example_of_the_guide_shares_four_of_eight_keywords_and_does_not_match() -> None:
    mine, theirs = (
        keywords("JWT token validation failed missing secret"),
        keywords("JWT validation failed secret not found"),
    )
    assert len(mine & theirs) == 4
    assert len(mine | theirs) == 8
    assert overlap(mine, theirs) == 0.5
    assert not overlap(mine, theirs) > MATCH_OVERLAP


@given(sets, sets)
def test_the_overlap_is_the_shared_part_of_all_keywords_and_symmetric(a: frozenset[str], b: frozenset[str]) -> None:
    expected = len(a & b) / len(a | b) if a | b else 0.0
    assert overlap(a, b) == overlap(b, a) == expected
    assert 0.0 <= overlap(a, b) <= 1.0
    assert overlap(a, a) == (1.0 if a else 0.0)


@given(sets, sets, words)
def test_a_word_that_both_say_never_lowers_the_overlap_and_one_that_one_says_never_raises_it(
    a: frozenset[str], b: frozenset[str], word: str
) -> None:
    assert overlap(a | {word}, b | {word}) >= overlap(a, b)
    if word not in b:
        assert overlap(a | {word}, b) <= overlap(a, b)


@given(st.lists(sets, max_size=4), st.lists(sets, max_size=4))
def test_the_best_pair_of_headlines_counts_whichever_text_asks(
    a: list[frozenset[str]], b: list[frozenset[str]]
) -> None:
    assert best_overlap(a, b) == best_overlap(b, a) == max((overlap(x, y) for x in a for y in b), default=0.0)


@given(st.sampled_from(TEMPLATES), st.tuples(variable, variable), st.tuples(variable, variable))
def test_numbers_ids_paths_times_and_line_numbers_do_not_count(
    template: str, here: tuple[str, str], there: tuple[str, str]
) -> None:
    assert keywords(template.format(*here)) == keywords(template.format(*there))


@given(st.lists(words, min_size=1, max_size=6), st.lists(st.sampled_from(sorted(STOP_WORDS)), max_size=4), st.randoms())
def test_case_order_and_stop_words_do_not_count(said: list[str], stops: list[str], random: object) -> None:
    mixed = [*said, *stops]
    random.shuffle(mixed)  # type: ignore[attr-defined]
    assert keywords(" ".join(mixed).upper()) == frozenset(said)


@given(st.text(max_size=400))
def test_folding_is_stable_and_no_text_breaks_it(text: str) -> None:
    assert keywords(normalized_line(text)) >= set()
    assert all(words for words in keyword_sets([text]))
    assert stored_keywords([text]) == tuple(" ".join(sorted(words)) for words in keyword_sets([text]))


def test_what_is_named_in_quotes_tells_errors_apart() -> None:
    numpy, pandas = "ModuleNotFoundError: No module named 'numpy'", "ModuleNotFoundError: No module named 'pandas'"
    assert MATCH_OVERLAP < overlap(keywords(numpy), keywords(pandas)) < 1.0
    assert not overlap(keywords("KeyError: 'user_id'"), keywords("KeyError: 'price'")) > MATCH_OVERLAP


PYTHON = "Traceback (most recent call last):\n" + "".join(
    f'  File "/srv/app/module_{n}.py", line {n}, in call_{n}\n    return call_{n + 1}()\n' for n in range(100)
)
JAVA = "\n".join(f"\tat com.example.Thing{n}.run(Thing{n}.java:{n})" for n in range(200))
JAVASCRIPT = "\n".join(f"    at step{n} (/srv/app/lib/step{n}.js:{n}:7)" for n in range(200))


GO = "\n\ngoroutine 1 [running]:\n" + "main.f(0x1)\n\t/src/a.go:3 +0x1\n" * 90
RUST = "thread 'main' panicked at src/main.rs:2:5:\n{}\nnote: run with `RUST_BACKTRACE=1`"
TRACES = {
    "cannot unpack non-iterable NoneType object": PYTHON + "TypeError: {}",
    "IllegalStateException: pool is closed": 'Exception in thread "main" java.lang.{}\n' + JAVA,
    "IOException: stream ended early": f"a.WrappedException: so it goes\n{JAVA}\nCaused by: java.io.{{}}\n{JAVA}",
    "Cannot read property 'verify' of undefined": "TypeError: {}\n" + JAVASCRIPT,
    "assignment to entry in nil map": "panic: {}" + GO,
    "called `Option::unwrap()` on a `None` value": RUST,
}


@pytest.mark.parametrize("message", TRACES)
def test_a_long_stack_trace_matches_its_own_message(message: str) -> None:
    trace = TRACES[message].replace("{}", message)
    assert best_overlap(keyword_sets([trace]), keyword_sets([message])) > MATCH_OVERLAP


def test_the_frames_of_a_trace_do_not_make_two_errors_one() -> None:
    other = PYTHON + "sqlite3.OperationalError: database is locked"
    assert best_overlap(keyword_sets([PYTHON + "KeyError: 'price'"]), keyword_sets([other])) == 0.0


def test_that_something_failed_is_no_match_where_it_is_said_what() -> None:
    first = "ImportError: libfoo is not built\nCommand failed with exit code 1\n\nmake: done"
    second = "AssertionError: totals differ\nCommand failed with exit code 1\n\nmake: done"
    assert best_overlap(keyword_sets([first]), keyword_sets([second])) <= MATCH_OVERLAP
    assert headlines(first) != headlines(second)


def test_mistake_evidence_and_both_together_find_an_error() -> None:
    stored = [
        frozenset(text.split()) for text in error_keywords("JWT validation failed", ["TypeError: secret undefined"])
    ]
    for asked in (
        "JWT validation failed",
        "TypeError: secret undefined",
        "JWT validation failed: TypeError: secret undefined",
    ):
        assert best_overlap(keyword_sets([asked]), stored) == 1.0


@pytest.mark.parametrize("piece", ["a/", "a.b", "1:", "'/", "a1", "ab:", "/", "\\\\a\\", "jan 1 ", "x" * 50 + " "])
def test_folding_takes_time_linear_in_the_text(piece: str) -> None:
    assert takes_linear_time(lambda number: normalized_line(piece * number), 50_000 // len(piece))


def change(number: int, texts: tuple[str, ...], kind: Kind = "error", *, retrievable: bool = True) -> MemoryChange:
    return MemoryChange(
        f"mem_{number}",
        "ann",
        retrievable,
        {},
        0.5,
        number,
        None,
        number,
        kind,
        has_correct_action=number % 2 == 0,
        error_keywords=stored_keywords(texts),
    )


@given(
    st.lists(st.tuples(st.integers(0, 9), st.lists(words, min_size=1, max_size=5), st.booleans()), max_size=30),
    st.lists(words, min_size=1, max_size=5),
)
def test_the_index_finds_what_comparing_every_error_finds(
    history: list[tuple[int, list[str], bool]], asked: list[str]
) -> None:
    index, living = ErrorIndex(), dict[int, MemoryChange]()
    for seq, (number, said, stays) in enumerate(history):
        made = change(number, (" ".join(said),), retrievable=stays)
        living[number] = made
        index.apply(Changes(seq, [made], []))
    wanted = keywords(" ".join(asked))
    expected = {
        made.memory_id: best
        for made in living.values()
        if made.retrievable
        and (best := best_overlap([wanted], [frozenset(t.split()) for t in made.error_keywords])) > MATCH_OVERLAP
    }
    assert index.overlaps([wanted]) == expected
    index._compact()
    assert index.overlaps([wanted]) == expected


def test_solved_comes_first_then_match_then_q_value_then_age() -> None:
    index = ErrorIndex()
    index.apply(Changes(1, [change(n, ("socket refused",)) for n in range(6)], [UtilityChange("mem_2", 0.9)]))
    overlaps = {"mem_4": 1.0, "mem_1": 1.0, "mem_0": 0.8, "mem_2": 0.8}
    matches = index.rank(overlaps, {"mem_3": 0.7}, (), None, 10)
    assert [m.memory_id for m in matches] == ["mem_4", "mem_2", "mem_0", "mem_1", "mem_3"]
    matches = index.rank(overlaps, {"mem_3": 0.7}, {"mem_0", "mem_3"}, None, 10)
    assert [(m.memory_id, m.same) for m in matches][:3] == [("mem_0", True), ("mem_4", False), ("mem_2", False)]
    assert index.rank({"mem_4": 1.0}, {}, (), "bob", 10) == []


@given(st.lists(st.tuples(st.integers(-100, 1000), st.booleans(), st.integers(0, 3)), max_size=40), st.integers(1, 10))
def test_the_best_by_meaning_are_among_those_that_are_looked_at(
    errors: list[tuple[int, bool, int]], limit: int
) -> None:
    cosines = np.array([cosine / 1000 for cosine, _, _ in errors])
    solved = np.array([flag for _, flag, _ in errors], dtype=np.bool_)
    looked_at = set(nearest_errors(solved, cosines.astype(np.float32), 0.25, limit).tolist())

    def key(n: int) -> tuple[bool, float, int]:
        return (not errors[n][1], -round_match(cosines[n]), -errors[n][2])

    best = sorted((n for n in range(len(errors)) if cosines[n] >= 0.25), key=key)
    assert {key(n) for n in best[:limit]} <= {key(n) for n in looked_at}
    level = [n for n in best if len(best) >= limit and key(n) <= key(best[limit - 1])]
    assert set(level) <= looked_at
