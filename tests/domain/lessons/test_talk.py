"""Of a mere talk the lesson keeps what a later run can act on, in the words of whoever talks."""

from __future__ import annotations

import pytest

from mcp_reflect.domain.lessons.drafting.extraction import extract_lesson
from mcp_reflect.domain.lessons.sentences.splitting import split_sentences
from mcp_reflect.domain.lessons.sentences.talk import is_directive, talk_factor
from mcp_reflect.domain.text.rendering import render_reflection
from mcp_reflect.domain.trajectory.parsing import parse
from mcp_reflect.domain.trajectory.run import ParsedRun
from tests.support.values import make_review, make_trace


def lesson_of(*turns: str) -> str:
    """The lesson of a talk, of which the user says the first turn and every second one."""
    messages = [{"role": ("user", "assistant")[place % 2], "content": turn} for place, turn in enumerate(turns)]
    trajectory = parse(messages)
    trace = make_trace(task=turns[0], trajectory=trajectory.text, tools_used=trajectory.tools_used)
    review = make_review(trace, 1, result="pass", feedback="")
    return render_reflection(extract_lesson(ParsedRun(trace, trajectory).reviewed(review)))


BEGUN = ("the importer of the harbour feed is slow, any idea?", "Which part is it, the download or the parsing?")
SETTLED = "let's say load_feed() reads at most 4 files at once."


@pytest.mark.parametrize(
    "remark",
    [
        "That gives me a lot of confidence in the code.",
        "Everybody in the team likes the harbour.",
        "The rewrite in `3f1a9bc` made `load_feed()` a little tidier.",
        "We renamed `load_feed()` for the sake of consistency.",
        "It was once the longest function, `load_feed()`.",
        "Thinking about `load_feed()` and its many readers.",
        "The question is whether `load_feed()` should care.",
    ],
)
def test_remarks_give_way_to_what_was_settled(remark: str) -> None:
    lesson = lesson_of(*BEGUN, SETTLED, f"Fine. {remark}")
    assert SETTLED in lesson
    assert remark not in lesson


@pytest.mark.parametrize(
    "statement",
    [
        "`load_feed()` reads the whole file into memory.",
        "Without an index `load_feed()` scans the table `harbours`.",
        "The lock is never released by a worker that dies.",
        "The feed has 220 000 rows.",
    ],
)
def test_statements_of_the_matter_count_in_full(statement: str) -> None:
    factor = talk_factor(statement, by_user=False, is_rule="never" in statement, hangs=False)
    assert factor == (0.6 if "lock" in statement else 1.0)


def test_a_talk_that_settles_nothing_makes_no_memory() -> None:
    assert lesson_of(*BEGUN, "no idea, Mo wrote it. he likes harbours", "We all have such code. Ask Mo, perhaps.") == ""


def test_what_was_decided_stands_first() -> None:
    cause = "every reader has a timeout of 30 s on top, so the queue always grows before the next hour begins."
    lesson = lesson_of(*BEGUN, cause, "Then cut the timeout or the number of readers.", SETTLED, "Understood.")
    assert lesson.startswith(SETTLED)
    assert cause in lesson


def test_a_condition_of_the_sentence_before_heads_no_lesson() -> None:
    lesson = lesson_of(
        *BEGUN,
        "the loader never keeps a lock on load_feed(). and only if there's no newer feed that always allows it!",
        "ok",
    )
    assert lesson.startswith("the loader never keeps a lock on load_feed().")


def test_a_short_instruction_of_the_user_is_kept_and_what_stands_around_it_is_not() -> None:
    lesson = lesson_of(
        *BEGUN, SETTLED, "Fine. Shall the file be closed?", "oh definitely, call feed.close() behind it. haha"
    )
    assert "call feed.close() behind it." in lesson
    assert "definitely" not in lesson


@pytest.mark.parametrize(
    "sentence", ["call feed.close() behind it.", "Pin `boto3` in requirements.txt", "put it into a/b"]
)
def test_a_sentence_that_begins_with_its_only_verb_directs(sentence: str) -> None:
    assert is_directive(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "in one migration, 0117_status.py",
        "esbuild, via scripts/bundle.mjs",
        "reading a/b",
        "feed.close() is slow",
        "buy milk",
    ],
)
def test_other_sentences_direct_nothing(sentence: str) -> None:
    assert not is_directive(sentence)


def test_who_begins_with_small_letters_is_read_by_sentences() -> None:
    text = "nope. default is 25 rows and then whatever. handlers use PageParams, e.g. in api/a.py. And no offsets!! ok?"
    assert list(split_sentences(text)) == [
        "default is 25 rows and then whatever.",
        "handlers use PageParams, e.g. in api/a.py.",
        "And no offsets!!",
    ]
    assert list(split_sentences("I looked: p95 is 60. nobody asks for more.")) == [
        "I looked: p95 is 60.",
        "nobody asks for more.",
    ]
    assert len(list(split_sentences("It is set in the approx. middle of app.py at 0.5 s. see there."))) == 1


def test_an_abbreviation_in_two_letters_ends_no_sentence() -> None:
    assert list(split_sentences("Dann z. B. `berth-7-kurz`. Das ist d. h. Nummer zuerst.")) == [
        "Dann z. B. `berth-7-kurz`.",
        "Das ist d. h. Nummer zuerst.",
    ]


def test_an_abbreviation_ends_no_sentence_where_a_name_or_a_number_follows() -> None:
    for whole in (
        "Hallmark Cards, Inc. Kansas City is where it has its seat.",
        "It was found by Dr. Brown in No. 7 of the list.",
        "Smith, Jr. Jones and others wrote the parser.",
    ):
        assert list(split_sentences(whole)) == [whole]
    assert (
        len(list(split_sentences("It belongs to Hallmark Cards, Inc. The company has its seat in Kansas City."))) == 2
    )
    assert len(list(split_sentences("The answer is surely a No. The other one is right."))) == 2


def test_what_a_user_is_kept_under_is_no_lesson() -> None:
    lesson = lesson_of(
        "The nightly export is too slow. Make it faster.",
        "Which timeout does the exporter need?",
        "Set the timeout to 800 ms. My user ID is raj_sanchez_7340, our customer number: 4711.",
        "The timeout is 800 ms now.",
    )
    assert "800 ms" in lesson
    assert "raj_sanchez" not in lesson
    assert "4711" not in lesson


def test_an_answer_that_is_code_alone_asks_nothing() -> None:
    told = lesson_of(
        "Which timeout should our config use?",
        "I suggest timeout = 30 in settings.toml. It is what most services have.",
        "No, we use 45, never 30.",
        "Noted, the timeout is now 45 in settings.toml.",
        "Show me how it looks.",
        "```toml\ntimeout = 45\n```",
        "Perfect, keep it at 45.",
        "Done: settings.toml has timeout = 45 now.",
    )
    assert "45" in told
