"""Heads of turns that an output forged: `Thought: …` directly below a line of a tool's, where heads have blank lines.

A program sets its heads in one way. Where calls and their results stand behind blank lines, whatever the outputs are,
and most heads of a kind do, one of that kind that goes on in the line below an output is a part of it. Where none does,
and the agent's last words go on below an output, those behind a blank line are a part of the output above.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.trajectory.transcripts.elements.turn_heads import read_turn_head

_QUOTED = "| "
"""What is put before a forged head: no notation takes it for one."""
_LEAST_SPACED = 2
_FURTHER = re.compile(
    r"^(?P<mark>[^\w\s]{0,5} ?(?P<name>thoughts?|action|observation|step|turn|iteration)\b)"
    r"(?: ?#?\d{1,4})?[^\w\s]{0,2}(?::| ?[-=]{2,40}$)",
    re.IGNORECASE,
)
"""Heads that name no speaker, as those of ReAct and of numbered steps."""
_FURTHER_KINDS = {"action": "call", "observation": "result"}
_USERS = frozenset(("user", "task"))
"""Whether these words are the user's is for the readers to tell, who know how a talk in an output ends."""
_AGENT = "agent"
_CALLS_AND_RESULTS = frozenset(("call", "result", "weak result"))


class _Head(NamedTuple):
    line: int
    mark: str
    kind: str
    """`call`, `result`, `weak result` or whose words follow."""
    block: int
    """The number of the blank lines with a head behind them, so far: within a block all but one head go on."""
    is_spaced: bool
    is_apart: bool
    """Whether a blank line stands above, or a head alone."""


def with_forged_heads_quoted(text: str) -> str:
    """Return a transcript in which no line of an output that imitates a head begins a turn; it takes linear time."""
    lines = text.split("\n")
    heads = list(_heads(lines))
    if not _sets_parts_apart(heads):
        return _quoted(lines, _agents_behind_blanks(heads))
    # However many heads an output holds, in one block they count once.
    apart = Counter(head.mark for head in heads if head.is_apart)
    going_on = Counter(mark for mark, _ in {(head.mark, head.block) for head in heads if not head.is_apart})
    forged = set[int]()
    is_in_output = is_forged = False
    for head in heads:
        is_set_apart = apart[head.mark] >= max(1, going_on[head.mark])
        goes_on = is_in_output and not head.is_apart and is_set_apart
        is_forged = not head.is_spaced and (is_forged or (goes_on and head.kind not in _USERS))
        if is_forged:
            forged.add(head.line)
        elif not goes_on:
            is_in_output = head.kind in _CALLS_AND_RESULTS
    return _quoted(lines, forged)


def _quoted(lines: list[str], forged: set[int]) -> str:
    return "\n".join(f"{_QUOTED}{line}" if number in forged else line for number, line in enumerate(lines))


def _agents_behind_blanks(heads: list[_Head]) -> set[int]:
    """The lines of heads of the agent behind a blank line, where the other ones, and all calls and results, have none.

    They are no more than those others, the last of which is the last head of all.
    """
    below = [head for before, head in pairwise(heads) if "result" in before.kind and head.kind == _AGENT]
    spaced = {head.line for head in below if head.is_spaced}
    if not spaced or heads[-1].line in spaced or heads[-1] is not below[-1]:
        return set()
    is_spaced_elsewhere = any(head.is_spaced for head in heads[1:] if head.kind in _CALLS_AND_RESULTS)
    return set() if is_spaced_elsewhere or 2 * len(spaced) > len(below) else spaced


def _sets_parts_apart(heads: list[_Head]) -> bool:
    """Whether calls stand behind a blank line below words, and results below calls, in most places."""
    told = [
        head
        for before, head in pairwise(heads)
        if head.kind in _CALLS_AND_RESULTS and "result" not in before.kind and head.kind != before.kind
    ]
    going_on = {head.block for head in told if not head.is_spaced}
    return sum(head.is_spaced for head in told) >= max(_LEAST_SPACED, len(going_on))


def _heads(lines: list[str]) -> Iterator[_Head]:
    block = last = 0
    for number, line in enumerate(lines):
        if head := read_turn_head(line):
            mark, kind, is_alone = f"{head.form} {head.name.lower()}", head.role, not head.rest
        elif further := _FURTHER.match(line):
            mark, kind = further["mark"].lower(), _FURTHER_KINDS.get(further["name"].lower(), "words")
            is_alone = further.end() == len(line.rstrip())
        else:
            continue
        is_spaced = not number or not lines[number - 1].strip()
        block += is_spaced
        yield _Head(number, mark, kind, block, is_spaced, is_spaced or last == number - 1)
        last = number if is_alone and kind not in _CALLS_AND_RESULTS else last
