"""Where the output of a call ends in the lines up to the next call, in the style that a transcript has.

The style is decided once for a transcript, by what most of its calls have in common: fences, tags, bars, lines set in,
a line with an exit code, the marks of those who speak, or, where there is nothing else, whether a line is a sentence.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.trajectory.command_text import is_sentence
from mcp_reflect.domain.trajectory.transcripts.elements.fences import FENCE
from mcp_reflect.domain.trajectory.transcripts.induced.marks import RESULT_WORDS, exit_code_in, spoken_in

_OPENING = re.compile(r"^[ \t]{0,8}(?P<open>[<\[])(?P<name>[A-Za-z][\w -]{0,30})[>\]][ \t]{0,9}$")
_HEAD = re.compile(
    r"^(?P<mark>[ \t]{0,4}(?:[^\w\s=/]{1,3}|={2,12})?[ \t]{0,2}(?P<name>[A-Za-z][\w -]{0,24}?)"
    r"(?:[:>\])*|=-]{1,12}|(?=$)))"
    r"(?:[ \t]{0,4}(?P<rest>.*))?$"
)
_HEAD_WORDS = RESULT_WORDS | {"tool"}
_BAR = re.compile(r"^(?P<bar>[ \t]{0,8}[|│┃>⎿└:·][ \t]?|[ \t]{2,}|\[(?:out|err|stdout|stderr|output)\] ?)")
_SHARE = 0.6
_NOWHERE = 0

Region = Sequence[str]
"""The lines behind a call up to the next one."""
_Style = Callable[[Region, int], int]
"""Returns the number of the line behind the output that begins at a line of a region; 0 where it has another style."""


class Output(NamedTuple):
    """What came of a call: the number of the line behind it, its lines without marks, and its exit code if told."""

    end: int
    text: str
    code: int | None


class OutputReader:
    """Reads outputs in the style that most regions of a transcript have."""

    def __init__(self, regions: Sequence[Region], opening: Sequence[str], names: Mapping[str, str]) -> None:
        """`opening` are the lines before the first call; `names` are marks of those who speak, with their roles."""
        told = [region for region in regions if any(line.strip() for line in region)]
        self._names = names
        self._speakers = _speakers(told, opening) | names.keys()
        self._ends_with_code = bool(told) and sum(map(_has_code_behind, told)) >= _SHARE * len(told)
        styles: tuple[_Style, ...] = (_fenced, _tagged, _barred)
        counts = [(sum(style(region, _begin(region)) > _NOWHERE for region in told), style) for style in styles]
        self._style = next((style for count, style in counts if told and count >= _SHARE * len(told)), None)

    def read(self, region: Region, *, may_speak: bool = True, in_fence: bool = False) -> Output:
        """Return the output that a region begins with; without `may_speak` words without a mark belong to it.

        One that stands `in_fence` ends with it.
        """
        if not any(line.strip() for line in region):
            return Output(0, "", None)
        if in_fence:
            end = next((n for n, line in enumerate(region) if FENCE.match(line)), len(region))
            codes = filter(lambda code: code is not None, map(_code, region[:end][::-1]))
            return Output(min(end + 1, len(region)), "\n".join(region[:end]).strip("\n"), next(codes, None))
        begin = _begin(region)
        taken = self._style(region, begin) if self._style else _NOWHERE
        if not taken:
            taken = self._end_of_plain(region, may_speak=may_speak)
        behind = next((n for n in range(taken, len(region)) if region[n].strip()), len(region))
        if behind < len(region) and exit_code_in(region[behind]) is not None:
            taken = behind + 1
        lines = list(region[:taken])
        code = next((found for line in (*lines[:3], *lines[::-1][:3]) if (found := _code(line)) is not None), None)
        return Output(taken, _without_marks(lines), code)

    def speaks(self, line: str) -> bool:
        """Return true for a line that somebody's words begin with."""
        spoken = spoken_in(line)
        return spoken is not None and spoken.mark in self._speakers

    def role_in(self, line: str) -> str:
        """Return who speaks in a line, as by `role_of`; empty where its mark does not tell."""
        spoken = spoken_in(line)
        return self._names.get(spoken.mark, spoken.role) if spoken else ""

    def _end_of_plain(self, region: Region, *, may_speak: bool) -> int:
        if self._ends_with_code:
            end = next((n + 1 for n, line in enumerate(region) if exit_code_in(line) is not None), 0)
            if end:
                return end
        if self._speakers:
            return next((n for n, line in enumerate(region) if self.speaks(line)), len(region))
        return len(region) - (_words_at_end(region) if may_speak else 0)


def _begin(region: Region) -> int:
    """The number of the line that an output begins at, behind blank lines, a head alone and an exit code."""
    number = 0
    for number, line in enumerate(region):
        if line.strip() and not _is_head_alone(line) and exit_code_in(line) is None:
            return number
    return number


def _is_head_alone(line: str) -> bool:
    head = _HEAD.match(line)
    return head is not None and not head["rest"] and not set(head["name"].lower().split()).isdisjoint(_HEAD_WORDS)


def _has_code_behind(region: Region) -> bool:
    first = next(n for n, line in enumerate(region) if line.strip())
    return any(exit_code_in(line) is not None for line in region[first + 1 :])


def _speakers(regions: Sequence[Region], opening: Sequence[str]) -> frozenset[str]:
    """The marks of those who speak: with a name for them, or before sentences between most of the calls."""
    marks: Counter[str] = Counter()
    sentences: Counter[str] = Counter()
    named: set[str] = set()
    for region in (opening, *regions):
        seen: set[str] = set()
        for line in region:
            spoken = spoken_in(line)
            if spoken is None or exit_code_in(line) is not None:
                continue
            if spoken.role:
                named.add(spoken.mark)
            if spoken.mark not in seen:
                seen.add(spoken.mark)
                marks[spoken.mark] += 1
                sentences[spoken.mark] += is_sentence(spoken.said)
    least = max(2, _SHARE * len(regions))
    again = {mark for mark, count in marks.items() if count >= least and sentences[mark] >= _SHARE * count}
    return frozenset(again | named)


def _fenced(region: Region, begin: int) -> int:
    if not FENCE.match(region[begin]):
        return _NOWHERE
    return next((n + 1 for n in range(begin + 1, len(region)) if FENCE.match(region[n])), _NOWHERE)


def _tagged(region: Region, begin: int) -> int:
    first = next(n for n, line in enumerate(region) if line.strip())
    for start in {first, begin}:
        if opening := _OPENING.match(region[start]):
            closing = f"{opening['open']}/{opening['name']}"
            ends = (n + 1 for n in range(start + 1, len(region)) if region[n].lstrip().startswith(closing))
            return next(ends, _NOWHERE)
    return _NOWHERE


def _barred(region: Region, begin: int) -> int:
    bar = _BAR.match(region[begin])
    if bar is None:
        return _NOWHERE
    mark, end = bar["bar"], begin
    sign = mark.rstrip() or mark
    while end < len(region) and (region[end].startswith(sign) or not region[end].strip()):
        end += 1
    while not region[end - 1].strip() and not region[end - 1].startswith(mark):
        end -= 1
    return end


def _words_at_end(region: Region) -> int:
    """How many lines at the end of a region are words: its last sentences, with the blank lines around them."""
    end = len(region)
    taken = end
    for number in range(end - 1, -1, -1):
        if not region[number].strip():
            continue
        if not is_sentence(region[number]):
            break
        taken = number
    return end - taken


def _code(line: str) -> int | None:
    told = exit_code_in(line)
    if told is None and (closing := re.match(r"[ \t]{0,8}[<\[]/[\w -]{1,30}[>\]][ \t]{1,4}", line)):
        return exit_code_in(line[closing.end() :])
    return told


def _without_marks(lines: Sequence[str]) -> str:
    """The lines of an output without its fences, tags, bars, heads and exit codes."""
    kept = _trimmed([line for line in lines if _code(line) is None])
    opening = _OPENING.match(kept[0]) if kept else None
    if opening is not None and any(f"/{opening['name']}" in line for line in (kept[-1], *lines[-2:])):
        return "\n".join(kept[1:-1] if kept[-1].lstrip()[:2] in {"</", "[/"} else kept[1:])
    if kept and (head := _HEAD.match(kept[0])) and not set(head["name"].lower().split()).isdisjoint(_HEAD_WORDS):
        is_bar = _BAR.match(kept[0]) is not None and bool(head["rest"])
        kept = kept if is_bar else _trimmed([*([head["rest"]] if head["rest"] else ()), *kept[1:]])
    if kept and FENCE.match(kept[0]):
        return "\n".join(kept[1:-1] if FENCE.match(kept[-1]) else kept[1:])
    return "\n".join(_without_bars(kept))


def _without_bars(lines: list[str]) -> list[str]:
    bars = {bar["bar"] for line in lines if line.strip() and (bar := _BAR.match(line))}
    mark = min(bars, key=len, default="")
    if not mark or not all(line.startswith(mark.rstrip() or mark) or not line.strip() for line in lines):
        return lines
    return [line.removeprefix(mark) if line.startswith(mark) else "" for line in lines]


def _trimmed(lines: list[str]) -> list[str]:
    told = [number for number, line in enumerate(lines) if line.strip()]
    return lines[told[0] : told[-1] + 1] if told else []
