"""What a session begins with, in the room that there is for it, and what is told of known errors."""

from __future__ import annotations

from typing import Any

from mcp_reflect.hooks.rendering import estimate_tokens, render_opening, render_warning


def line(text: str, task: str = "") -> dict[str, Any]:
    return {"text": text, "task": task, "memory_ids": [f"mem_{text}"], "passed": 1, "failed": 0}


CONTEXT = {
    "lessons": [line(f"lesson {number} " + "x" * 200, "some task") for number in range(5)],
    "errors": [line(f"error {number} " + "y" * 200) for number in range(5)],
    "decisions": [line(f"decision {number}") for number in range(5)],
}


def test_decisions_come_first_since_they_hold_for_any_task() -> None:
    text, told_whole = render_opening(CONTEXT, 10_000)
    places = [text.index(f"1. {name}") for name in ("decision 0", "some task: lesson 0", "error 0")]
    assert places == sorted(places)
    assert told_whole == ["mem_decision 0", "mem_decision 1", "mem_decision 2"]


def test_what_is_told_in_little_room_is_a_decision() -> None:
    text, _ = render_opening(CONTEXT, 120)
    assert text.startswith("Decisions in force:\n1. decision 0")
    assert estimate_tokens(text) <= 120 // 2


def test_a_fix_is_told_once_without_a_check_that_it_makes_itself() -> None:
    fix = {"task": "", "rule": "", "fix": "Run `sort words.txt > sorted.txt`", "tests": ["./check.sh"]}
    known = [{**fix, "memory_id": f"mem_{number}", "mistake": f"disorder: {number}"} for number in (1, 2)]
    other = {**fix, "memory_id": "mem_3", "mistake": "no file", "tests": ["sort words.txt > sorted.txt", "make"]}
    text, told = render_warning([*known, other], 1_000)
    assert text.splitlines()[1:] == [
        "1. disorder: 1",
        "   Fix: Run `sort words.txt > sorted.txt`",
        "   Check: ./check.sh",
        "2. disorder: 2",
        "   Fix: the same as for 1",
        "3. no file",
        "   Fix: Run `sort words.txt > sorted.txt`",
        "   Check: make",
    ]
    assert told == ["mem_1", "mem_2", "mem_3"]
