"""Memories as text, and taking that text out again wherever it ended up."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from mcp_reflect.domain.models import Memory, ReflectionDraft, ReflectionMemory
from mcp_reflect.domain.text.inert import inert
from mcp_reflect.domain.text.rendering import map_text, render_augmented, render_reflection, strip_recalled
from mcp_reflect.domain.trajectory.parsing import UnreadableTrajectory, parse
from tests.support.linear_time import takes_linear_time


def a_memory(task: str = "old task", reflection: str = "Look first.", success: bool | None = True) -> Memory:
    return ReflectionMemory(
        id="mem",
        project="p",
        user="u",
        task=task,
        reflection=reflection,
        success=success,
        author="agent",
        source_trace_id="t",
        initial_q=0.5,
        q_value=0.5,
        created_at=datetime(2026, 1, 1, tzinfo=UTC),
    )


HEADER = "Relevant memories:\n\nSuccessful memories:\n\n--- Memory 1 ---\nPast task:\n"
FRAGMENTS = (
    *(
        "Relevant memories:",
        "Successful memories:",
        "Failed memories:",
        "Past task:",
        "Reflection:",
        "  ",
        " ",
        "Tools: ",
    ),
    *("--- Memory 1 ---", "--- Memory 2 ---", HEADER, "\n\nReflection:\n", json.dumps(HEADER), "\\n", "\\", '"', "'"),
    *("\n", "\n\n", "\r\n", "\r", "\u2028", "\x0b", "é", "漢", "x", "fix the test", "\t"),
)
nasty_text = st.lists(st.sampled_from(FRAGMENTS) | st.text(max_size=3), max_size=14).map("".join)
nasty_memory = st.builds(a_memory, task=nasty_text, reflection=nasty_text, success=st.sampled_from([True, False, None]))
nasty_memories = st.lists(nasty_memory, min_size=1, max_size=4)


def test_the_augmented_task_has_exactly_the_promised_shape() -> None:
    memories = [
        a_memory("a", "ra", success=False),
        a_memory("b\n\nb2", "rb\nMistake: m", success=True),
        a_memory("c", "rc", success=None),
        a_memory("d", "rd", success=True),
    ]
    assert render_augmented("my task\n", memories) == (
        "my task\n\n\nRelevant memories:\n\n"
        "Successful memories:\n\n"
        "--- Memory 1 ---\nPast task:\nb\n\nb2\n\nReflection:\nrb\nMistake: m\n\n"
        "--- Memory 2 ---\nPast task:\nd\n\nReflection:\nrd\n\n"
        "Failed memories:\n\n"
        "--- Memory 3 ---\nPast task:\na\n\nReflection:\nra\n\n"
        "Other memories:\n\n"
        "--- Memory 4 ---\nPast task:\nc\n\nReflection:\nrc"
    )


@given(nasty_text)
def test_without_memories_the_task_stays_byte_for_byte(task: str) -> None:
    assert render_augmented(task, []) == task


def test_a_reflection_shows_each_field_on_its_line() -> None:
    draft = ReflectionDraft(
        summary=" Built it. ",
        key_mistake="Wrong flag.\n\nTwice.",
        correct_action="Read --help",
        guidance="Ask first",
        applicable_tools=("bash", "git"),
        text="prose that the fields replace",
    )
    assert render_reflection(draft) == (
        "Built it.\nMistake: Wrong flag.\n  Twice.\nDo instead: Read --help\nGuidance: Ask first\nTools: bash, git"
    )
    assert render_reflection(ReflectionDraft(text="One.\n\n\nTwo.")) == "One.\n  Two."
    assert render_reflection(ReflectionDraft()) == ""


@given(nasty_text, nasty_text, nasty_text, nasty_text, nasty_text)
def test_a_reflection_has_no_empty_line_and_is_shown_as_stored(s: str, m: str, c: str, g: str, t: str) -> None:
    draft = ReflectionDraft(summary=s, key_mistake=m, correct_action=c, guidance=g, text=t)
    reflection = render_reflection(draft)
    assert all(line.strip() for line in reflection.split("\n")) or not reflection
    if reflection and inert(reflection) == reflection:
        assert render_augmented("t", [a_memory("x", reflection)]).endswith("\n\nReflection:\n" + reflection)


@given(nasty_text, nasty_memories)
def test_what_was_put_below_a_task_is_cut_out_again(task: str, memories: list[Memory]) -> None:
    assume(strip_recalled(task) == task)
    assert strip_recalled(render_augmented(task, memories)) == task


@given(nasty_text, nasty_memories, st.integers(1, 3), st.booleans())
def test_it_is_cut_out_of_strings_within_strings(
    task: str, memories: list[Memory], depth: int, ascii_only: bool
) -> None:
    assume(strip_recalled(task) == task)
    after = {"content": "on it\n\nReflection:\nx", "n": [1]}
    given: Any = [{"role": "user", "content": render_augmented(task, memories)}, after]
    wanted: Any = [{"role": "user", "content": task}, after]
    for _ in range(depth):
        given, wanted = json.dumps(given, ensure_ascii=ascii_only), json.dumps(wanted, ensure_ascii=ascii_only)
    assume(strip_recalled(wanted) == wanted)
    assert strip_recalled(given) == wanted


@pytest.mark.parametrize(
    "follows", ["\nassistant: hi", "\n\nassistant: hi\n\nReflection:\nmine", "\n\n--- done ---", ""]
)
def test_what_stands_before_and_after_each_block_stays(follows: str) -> None:
    block = render_augmented("", [a_memory("a\n\nb"), a_memory("c", "r\nGuidance: g\n  more", success=None)])
    log = "user: go on"
    assert (
        strip_recalled(log + block + follows + "\n\n" + log + block + follows) == log + follows + "\n\n" + log + follows
    )


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_block_is_found_whatever_the_line_ends_and_at_the_start_of_a_text(newline: str) -> None:
    augmented = render_augmented("", [a_memory("a\n\nb")]).lstrip() + "\n\nuser: go on"
    assert strip_recalled(augmented.replace("\n", newline)) == "\n\nuser: go on".replace("\n", newline)


@pytest.mark.parametrize(
    "text",
    [
        "Relevant memories: none were found",
        "The prompt says\n\nRelevant memories:\n\nSuccessful memories:\n\nand then lists them",
        HEADER + "cut off here",
        json.dumps({"a": HEADER + "x", "b": "y\n\nReflection:\nz"}),
        "",
    ],
)
def test_text_without_a_whole_block_is_left_alone(text: str) -> None:
    assert strip_recalled(text) is text or strip_recalled(text) == text


HOSTILE = {
    "headers": HEADER,
    "blocks": render_augmented("x", [a_memory(), a_memory(success=None)]),
    "written blocks": json.dumps(render_augmented("x", [a_memory()])),
    "open strings": json.dumps(HEADER)[:-1],
    "open entries": render_augmented("x", [a_memory()]) + "\n\n--- Memory 2 ---\nPast task:\nx",
    "titles": "Relevant memories:" + "\\" * 8,
    "backslashes": "Relevant memories:\\" + "\\" * 5_000,
}


@pytest.mark.parametrize("piece", HOSTILE.values(), ids=HOSTILE)
def test_four_megabytes_take_linear_time(piece: str) -> None:
    def strip(size: int) -> None:  # one look back per header would take minutes
        strip_recalled(HEADER + "x" * size + piece * (3 * size // len(piece)) + HEADER + "\n" * size)

    assert takes_linear_time(strip, 250_000)


def test_every_string_of_a_trajectory_is_changed_and_nothing_else() -> None:
    run = parse([{"role": "user", "content": [{"type": "text", "text": "ab"}], "n": 1, "k": None}])
    changed = map_text(run, str.upper)
    assert changed.messages == ({"ROLE": "USER", "CONTENT": [{"TYPE": "TEXT", "TEXT": "AB"}], "N": 1, "K": None},)
    assert changed.text == json.dumps(changed.messages, separators=(",", ":"))
    assert map_text(parse("log"), str.upper) == parse("LOG")


def test_a_block_is_cut_out_of_messages_and_of_a_log() -> None:
    augmented = render_augmented("my task", [a_memory()])
    run = map_text(
        parse([{"role": "user", "content": augmented}, {"role": "tool", "content": [augmented]}]), strip_recalled
    )
    assert run == parse([{"role": "user", "content": "my task"}, {"role": "tool", "content": ["my task"]}])
    assert map_text(parse(augmented), strip_recalled).text == "my task"


def test_a_log_that_turns_into_broken_json_is_refused_rather_than_stored() -> None:
    with pytest.raises(UnreadableTrajectory):
        map_text(parse("-[{oops"), lambda text: text[1:])
