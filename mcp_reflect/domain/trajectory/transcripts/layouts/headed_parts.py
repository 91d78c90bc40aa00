"""Transcripts in parts below heads (`elements/part_heads.py`): requests, thoughts, acts and their results."""

from __future__ import annotations

import itertools
from bisect import bisect_right
from collections.abc import Sequence

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.trajectory.messages import Message
from mcp_reflect.domain.trajectory.transcripts.elements.collected import CollectedMessages
from mcp_reflect.domain.trajectory.transcripts.elements.fences import FENCE, without_fence
from mcp_reflect.domain.trajectory.transcripts.elements.part_heads import (
    PartHead,
    are_aligned,
    notation_of,
    read_part_head,
)
from mcp_reflect.domain.trajectory.transcripts.elements.told_calls import (
    add_call_with_result,
    add_session,
    add_told_call,
)
from mcp_reflect.domain.trajectory.transcripts.format import TranscriptFormat

_RULE = re.compile(r"\n[-=_*─━]{4,200}\s{0,9}\Z")
_SHORTEST_MARK = 3
_MOST_BEFORE = 10
"""Lines of a banner before the first head."""
_STREAMS = frozenset({"stdout", "stderr", "error"})


def read_headed_parts(text: str) -> list[Message] | None:
    """Return the messages of a transcript in parts below heads; None for any other text."""
    lines = text.split("\n")
    heads = [read_part_head(line) for line in lines]
    begin, notation = notation_of(heads, most_before=_MOST_BEFORE)
    if begin < 0 or any(FENCE.match(line) for line in lines[:begin]):
        return None
    reader = _Parts(lines, heads, notation)
    parts = reader.split(begin)
    found = CollectedMessages()
    has_output = is_doubtful = False
    for (head, body), following in itertools.zip_longest(parts, parts[1:]):
        is_answered = following is not None and following[0].role == "result"
        goes_on = following is not None and (following[0].role, following[0].name) == (head.role, head.name)
        speaks_again = goes_on and head.role == "agent" and notation == "#"
        if speaks_again and is_doubtful and found.shows_others:  # an output has printed the first words and a user's
            found.answer(body)
        elif not _add_part(found, head, body, is_answered=is_answered):
            return None
        else:
            is_doubtful = head.role in {"user", "task"} and found.is_doubtful
        has_output = has_output or head.role == "result" or (head.role == "call" and not is_answered)
    return found.messages if found.calls and has_output else None


def _add_part(found: CollectedMessages, head: PartHead, body: str, *, is_answered: bool) -> bool:
    """Add a part; return false for a call that does not show what was called, where a fence should."""
    if head.role in {"user", "task"}:
        found.hear(body)
    elif head.role == "agent":
        found.say(body)
    elif head.role == "result":
        found.answer(without_fence(body), head.failed)
    elif head.role == "call" and head.notation == "#" and not is_answered:
        return add_call_with_result(found, head.tool, body)
    elif head.role == "call" and not add_session(found, head.tool, body):
        add_told_call(found, head.label if head.label != "agent" else "", head.tool, without_fence(body))
    elif not head.role:
        found.answer(f"{head.name}: {body}")
    return True


class _Parts:
    """Splits lines at the heads that begin a part; those in fences begin none.

    Behind the first output, heads are spelled and spaced as before, the user speaks under a known label, and steps go
    on in their order.
    """

    def __init__(self, lines: Sequence[str], heads: Sequence[PartHead | None], notation: str) -> None:
        self._lines = lines
        self._heads = heads
        self._notation = notation
        self._are_aligned = False
        self._closings: dict[str, list[int]] = {}
        for number, line in enumerate(lines):
            if (fence := FENCE.match(line)) and not fence["rest"].strip():
                for length in range(_SHORTEST_MARK, len(fence["mark"]) + 1):
                    self._closings.setdefault(fence["mark"][:length], []).append(number)
        self._open: PartHead | None = None
        self._first: PartHead | None = None
        self._users: set[str] = set()
        self._has_call = self._has_result = False
        self._has_gaps = True
        self._number = -1
        steps = (number for number, head in enumerate(heads) if head and head.number >= 0)
        self._last_step = max(steps, default=-1)

    def split(self, begin: int) -> list[tuple[PartHead, str]]:
        """Return the parts from a line on, each with its text."""
        first = self._heads[begin]
        self._are_aligned = first is not None and are_aligned(self._heads, first)
        parts: list[tuple[PartHead, list[str]]] = []
        number, is_empty = begin, True
        while number < len(self._lines):
            head = self._heads[number]
            if head is not None and self._begins(number, head):
                self._enter(number, head)
                parts.append((head, [head.rest]))
                is_empty = not head.rest
            elif end := self._end_of_fence(number, is_empty=is_empty):
                parts[-1][1].extend(self._lines[number:end])
                number, is_empty = end, False
                continue
            else:
                parts[-1][1].append(self._lines[number])
                is_empty = is_empty and not self._lines[number].strip()
            number += 1
        return [(head, _RULE.sub("", "\n".join(held)).strip("\n")) for head, held in parts]

    def _enter(self, number: int, head: PartHead) -> None:
        if self._first is not None and not self._has_result and head.role != "result":
            self._has_gaps = self._has_gaps and not self._lines[number - 1].strip()
        self._first = self._first or head
        self._open = head
        self._number = max(self._number, head.number)
        self._has_call = self._has_call or head.role == "call"
        self._has_result = self._has_result or head.role == "result"
        if head.role in {"user", "task"}:
            self._users.add(head.name)

    def _begins(self, number: int, head: PartHead) -> bool:
        first, role = self._first, self._open.role if self._open else ""
        if first is None:
            return True
        if not self._looks_right(head, first) or self._lacks_number(number, head):
            return False
        if head.role == "result":
            return role == "call" or (role == "result" and head.label in _STREAMS) or (role == "" and self._has_call)
        if self._has_result and role in {"result", ""} and not self._may_end_output(number, head):
            return False
        if head.role == "task":
            return not self._has_call and not self._users
        return head.role != "user" or head.name in self._users or self._may_be_new_user()

    def _looks_right(self, head: PartHead, first: PartHead) -> bool:
        """Return true for a head that is spelled as the first one, and that of a step which may be the next."""
        if head.notation != self._notation or head.spelling != first.spelling:
            return False
        if self._notation == ":":
            return self._stands_right(head, first)
        return head.number < 0 or self._number < 0 or self._number <= head.number <= self._number + 1

    def _lacks_number(self, number: int, head: PartHead) -> bool:
        """Return true for words of the agent between numbered steps: they have numbers, as `[step 2] thought: …`."""
        return head.role == "agent" and head.number < 0 and self._has_result and number < self._last_step

    def _may_end_output(self, number: int, head: PartHead) -> bool:
        if self._has_gaps and self._lines[number - 1].strip():
            return False
        return self._notation != "step" or head.number >= 0 or head.role not in {"call", "system"}

    def _may_be_new_user(self) -> bool:
        """Return true where the user has not spoken yet but below the head of the task."""
        return len(self._users) < 2  # noqa: PLR2004 - the task, and a name

    def _stands_right(self, head: PartHead, first: PartHead) -> bool:
        """Return true for a label whose colon stands where that of the first one does, or behind a longer name."""
        if not self._are_aligned:
            return bool(head.role)
        is_longer = bool(head.role) and head.column > first.column and len(head.name) + 4 > first.column
        return head.column == first.column or is_longer

    def _end_of_fence(self, number: int, *, is_empty: bool) -> int:
        """The number of the line behind a fence that begins in a line; 0 where none does, or none closes it."""
        fence = FENCE.match(self._lines[number])
        if fence is None or (self._open and self._open.role in {"call", "result"} and not is_empty):
            return 0
        closings = self._closings.get(fence["mark"], [])
        place = bisect_right(closings, number)
        return closings[place] + 1 if place < len(closings) else 0


HEADED_PARTS = TranscriptFormat(
    re.compile(
        r"^(?:\[(?:[a-z]{2,20}|[a-z]{0,10}[ _#-]{0,2}\d{1,4}(?:/\d{1,4})?)\] ?\S|(?:>{3,5}|={2,3}>|:{3}) [a-z]"
        r"|#{1,6} [a-z_]{2,20}:?$|[A-Z_]{2,20}[ \t]{0,14}:)",
        re.MULTILINE | re.IGNORECASE,
    ),
    read_headed_parts,
)
