"""What models say, in every shape they say it in, and the reflection that is read from it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_reflect.domain.insights.model_answers import read_insights
from mcp_reflect.domain.models import ReflectionDraft
from mcp_reflect.domain.reflection.model_answers import read_answer
from tests.support.linear_time import takes_linear_time

FIELDS = {
    "summary": "A flag was wrong.",
    "key_mistake": "It was used from memory.",
    "correct_action": "grep(pattern=<word>, path=<file>)",
    "guidance": "Read the help first.",
    "applicable_tools": ["grep", "sed"],
}
WHOLE = ReflectionDraft.model_validate(FIELDS)
JSON = json.dumps(FIELDS)


@pytest.mark.parametrize(
    "answer",
    [
        JSON,
        f"```json\n{JSON}\n```",
        f"```\n{JSON}\n```\nI hope this helps!",
        f"Sure. Here it is: {JSON} Anything else?",
        f'For f(x) = {{x}} and {{"a": 1}} I found: {JSON}',
        f'<think>First, {{"summary": "a thought"}} … no.</think>\n{JSON}',
        f"a thought whose tag was swallowed</think>{JSON}",
        json.dumps({"reflection": FIELDS}),
        json.dumps([FIELDS]),
        JSON.replace("key_mistake", "Key Mistake").replace("summary", "SUMMARY"),
        json.dumps({**FIELDS, "confidence": 0.9, "steps": [1, 2]}),
        json.dumps({**FIELDS, "applicable_tools": "grep, sed"}),
        json.dumps({**FIELDS, "applicable_tools": [{"name": "grep"}, None, 7, "`sed`", "grep", ""]}),
    ],
)
def test_a_reflection_is_found_wherever_it_stands(answer: str) -> None:
    assert read_answer(answer) == WHOLE


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, ""),
        (True, ""),
        ("N/A", ""),
        ("None.", ""),
        ([], ""),
        ({}, ""),
        ("  kept ", "kept"),
        ("Nothing was checked.", "Nothing was checked."),
        (["first", "second"], "first\nsecond"),
        ({"tool": "grep", "args": ["-é"]}, '{"tool": "grep", "args": ["-é"]}'),
        (42, "42"),
        ("a\x00b\ud800c", "abc"),
    ],
)
def test_a_field_of_another_type_becomes_words(value: object, words: str) -> None:
    draft = read_answer(json.dumps({"summary": "s", "correct_action": value}))
    assert draft == ReflectionDraft(summary="s", correct_action=words)


def test_line_breaks_within_a_string_do_not_lose_the_answer() -> None:
    assert read_answer('{"summary": "one\ntwo"}').summary == "one\ntwo"


def test_a_field_may_mention_the_tags_of_thoughts() -> None:
    assert read_answer('{"summary": "Close <think> with </think>."}').summary == "Close <think> with </think>."


def test_absurd_lengths_are_clipped() -> None:
    draft = read_answer(json.dumps({"guidance": "g" * 50_000, "applicable_tools": [f"t{n}" for n in range(99)]}))
    assert len(draft.guidance) == 4_000
    assert draft.guidance.endswith("g…")
    assert draft.applicable_tools == tuple(f"t{n}" for n in range(20))
    assert len(read_answer("word " * 10_000).text) <= 4_000


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ("Read the help first.", "Read the help first."),
        ("```\nRead the help first.\n```", "Read the help first."),
        ("<think>hm</think>Read the help {first}.", "Read the help {first}."),
        ("", ""),
        (" \n", ""),
        ("None", ""),
        ("<think>never came to an end", ""),
        ('{"summary": "cut off', ""),
        ('```json\n{"summary": "cut off', ""),
        ('{"answer": 42}', ""),
        ('{"summary": "", "applicable_tools": ["grep"]}', ""),
        ("[1, 2]", ""),
    ],
)
def test_prose_is_text_and_broken_json_is_nothing(answer: str, text: str) -> None:
    assert read_answer(answer) == ReflectionDraft(text=text)


@pytest.mark.parametrize("part", ['{"a":', "{", '{"summary": {', "[", "<think>", "</think>", "```\n", '{"a": "'])
def test_the_time_for_a_hostile_answer_grows_with_its_length(part: str) -> None:
    assert takes_linear_time(lambda number: read_answer(part * number), 50_000 // len(part))


def test_nesting_beyond_all_use_is_passed_over() -> None:
    deep = json.loads("[" * 300 + "]" * 300)
    assert read_answer(json.dumps({"summary": "s", "guidance": deep})).summary == "s"


def test_no_depth_of_nesting_in_an_answer_is_an_error() -> None:
    """Near the limit of the interpreter something can be read that cannot be written again."""
    for depth in range(800, 1_100):
        assert read_answer('{"summary": "s", "guidance": ' + "[" * depth + "1" + "]" * depth + "}").summary in {"s", ""}


@given(st.text(max_size=300) | st.text(alphabet='{}[]":,`\n\\ \ud800\0sumary<think/>', max_size=60))
def test_any_answer_gives_words_that_can_be_stored(answer: str) -> None:
    for value in read_answer(answer).model_dump().values():
        for words in [value] if isinstance(value, str) else value:
            assert words.encode().decode() == words
            assert "\0" not in words


@given(
    st.fixed_dictionaries(
        {name: st.text("abc xyz", min_size=1).map(str.strip) for name in FIELDS if name != "applicable_tools"}
    )
)
def test_what_a_model_was_asked_for_comes_back_unchanged(fields: dict[str, str]) -> None:
    if any(fields.values()):
        assert read_answer(json.dumps(fields)) == ReflectionDraft.model_validate(fields)


@pytest.mark.parametrize(
    ("given_", "claims"),
    [
        (["One - a.", "Two - b.", "One - a.", "Three - c.", "Four - d."], ("One - a.", "Two - b.", "Three - c.")),
        ("- One - a.\n- Two\n", ("One - a.", "Two")),
        ([{"claim": "One - a."}, {"other": 1}, 7, None, "none"], ("One - a.",)),
        (None, ()),
        (["x" * 900], ("x" * 499 + "…",)),
    ],
)
def test_claims_are_read_from_what_models_make_of_a_list(given_: object, claims: tuple[str, ...]) -> None:
    assert read_answer(json.dumps({"summary": "s", "claims": given_})).claims == claims


def test_ids_are_read_from_lists_and_from_words() -> None:
    answer = {"summary": "s", "helpful_memory_ids": ["mem_a", " `mem_b` ", 1], "harmful_memory_ids": "mem_c, mem_d"}
    draft = read_answer(json.dumps(answer))
    assert (draft.helpful_memory_ids, draft.harmful_memory_ids) == (("mem_a", "mem_b"), ("mem_c", "mem_d"))


KNOWN = {"trace_a": "Deploy the shop | Lesson: migrate the database first.", "trace_b": "Translate the menu"}


@pytest.mark.parametrize(
    ("answer", "wanted"),
    [
        ('{"insights": [{"text": "T", "importance": 0.4, "evidence": ["trace_a"]}]}', [("T", 0.4, ("trace_a",))]),
        ('<think>hm</think>[{"insight": "T", "evidence": "trace_a, trace_b"}]', [("T", 0.5, ("trace_a", "trace_b"))]),
        ('{"insights": [{"text": "T", "importance": 9, "evidence": ["trace_a", "x"]}]}', [("T", 1.0, ("trace_a",))]),
        ('{"insights": [{"text": "T", "importance": "0.2", "evidence": ["trace_a"]}]}', [("T", 0.2, ("trace_a",))]),
        ('{"insights": [{"text": "T", "importance": "high", "evidence": ["trace_a"]}]}', [("T", 0.5, ("trace_a",))]),
        (
            '{"insights": [{"text": "T", "importance": "' + "[" * 100_000 + '", "evidence": ["trace_a"]}]}',
            [("T", 0.5, ("trace_a",))],
        ),
        ('{"insights": [{"text": "T", "evidence": []}, {"text": "", "evidence": ["trace_a"]}, 3]}', []),
        (
            '[{"insight": "Migrate the database first.", "importance": 0.9}]',
            [("Migrate the database first.", 0.9, ("trace_a",))],
        ),
        ('[{"insight": "T", "importance": 0.9}]', [("T", 0.9, ("trace_a", "trace_b"))]),
        ("words only", []),
    ],
)
def test_insights_are_read_wherever_they_stand(answer: str, wanted: list[tuple[object, ...]]) -> None:
    assert [(i.text, i.importance, i.evidence) for i in read_insights(answer, KNOWN)] == wanted


@given(st.text() | st.recursive(st.none() | st.floats() | st.text(), lambda x: st.lists(x) | st.dictionaries(
    st.sampled_from(["insights", "text", "importance", "evidence"]), x)).map(json.dumps))  # fmt: skip
def test_no_answer_makes_an_insight_that_cannot_be_kept(answer: str) -> None:
    for insight in read_insights(answer, KNOWN):
        assert insight.text.strip()
        assert 0.0 <= insight.importance <= 1.0
        assert set(insight.evidence) <= KNOWN.keys()
