"""What edits changed, as text: the lines that differ, and of several edits of one file those that tell most."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import replace

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.lessons.run.code_cells import telling_lines
from mcp_reflect.domain.lessons.run.step import Step
from mcp_reflect.domain.truncate import CUT, truncate

Pair = tuple[str, str]
"""What an edit replaced, and by what."""
_FEW_LINES = 4
"""Lines up to which new text without old is shown."""

_JOINTS = " ,;\\&|"
"""What joins a line to the next one."""

_PAIR = 2
"""Lines of a change that takes one out and puts one in."""
_LEAST_ROOM = 12
"""Characters below which no change has room."""
_MOST_LINES = 1_000
"""Lines of both texts together up to which their order is compared: that takes longer than their number grows."""
_MOST_PAIRED = 1_000_000
"""Characters taken out times those put in, up to which like lines are told beside each other."""
_AROUND_PAIR = len("`` → ``")
_LEAST_WEIGHT = 25
"""Characters that even an empty line counts as: it is compared too."""
_FURTHER = f"; {CUT}"
"""What stands for the places that are not told."""
_SETTINGS_FILE = re.compile(
    r"(?:^|/)(?:[\w.-]*\.(?:ya?ml|toml|ini|cfg|cnf|conf|config|properties|pro|env|tf|hcl|nix|service|timer|plist|xml|gradle|kts"
    r"|json5?|rules|lock|mk|cmake|sh|bash|sql)|[\w-]+\.config\.\w{2,4}|\.?\w*rc|Dockerfile\S*|Makefile|Containerfile|\.\w[\w.-]*|CMakeLists\.txt)$"
)
"""Files that hold settings, commands or statements, each line for itself."""
_SETTING = re.compile(r"(?![#;/!]|--|<!--|<\?|[{}()\[\]<>]+[,;]?$)\S*\s*\S.*[\w)\]}\"'>*]", re.DOTALL)
"""A line that is no comment and no bracket."""
_SAYS_LITTLE = re.compile(
    r"#(?![!\[\w])|//|/\*|\*\s|--\s|<!--|;\s|import\s|from\s+\S+\s+import\s|#include\b|using\s+[\w.]+;"
    r"|use\s+[\w:]+|(?:const|var)\s.{1,60}=\s?require\("
)
"""A comment, or a line that brings in what others use."""
_SMALL_PROGRAM = 15
"""Lines up to which a new program is told by the values in it: it may be no more than these with a name."""
_VALUE = re.compile(r"['\"`][\w][^'\"`]{2,}['\"`]|[=:(,]\s?-?\d{2,}\b")
_MOST_PLACES = 40
"""Places of an edit that are looked at: more have no room, and each takes its time."""


def edits_by_file(edits: Sequence[Step]) -> list[Step]:
    """Return these edits with those of one file as one, in the order in which the files were last edited."""
    found: dict[str, Step] = {}
    for step in edits:
        before = found.pop(step.subject, None)
        found[step.subject] = step if before is None else replace(step, change=_composed(before.change, step.change))
    return list(found.values())


def _composed(first: Sequence[Pair], then: Sequence[Pair]) -> tuple[Pair, ...]:
    """Changes of one file with later ones: what a later one replaces again is told as it ended."""
    made = list(first)
    for old, new in then:
        places = [number for number, (_, made_) in enumerate(made) if old and old in made_]
        place = places[0] if len(places) == 1 else None  # of several, nobody knows which
        if place is None or len(made) > _MOST_PLACES:
            made.append((old, new))
        else:
            made[place] = (made[place][0], made[place][1].replace(old, new, 1))
    return tuple((old, new) for old, new in made if old != new)


def holds_settings(step: Step) -> bool:
    """Return true for an edit of a file each line of which is a setting, a command or a statement for itself."""
    return _SETTINGS_FILE.search(step.file) is not None


def describe_change(step: Step, most: int) -> str:
    """Return the decisive lines of an edit, at most `most` characters:

    `old → new` for one line, else `- old; + new; …`. Empty where nothing is known, and for a new program of more than a
    few lines, whose name says more than its first ones. Where an edit changes nothing but blanks, they are shown, a tab
    by its escape. A line that is only moved is told with its direction. Of several places each is told that has
    room, the last ones first, and an ellipsis stands for the others.
    """
    told: dict[int, str] = {}
    count = sum(old != new for old, new in step.change)
    room = most - (len(_FURTHER) if count > 1 else 0)
    places = range(len(step.change))[-_MOST_PLACES:]
    # what was changed last, something else may have waited for; what is brought in serves the rest
    for place in sorted(places, key=lambda each: (_only_brings_in(*step.change[each]), -each)):
        if room < _LEAST_ROOM:
            break
        if change := _describe_pair(*step.change[place], room):
            told[place] = change
            room -= len(change) + 2
    if not told and count == 1 and not step.change[0][0]:
        return _settings_in(step, most)
    return "; ".join(told[place] for place in sorted(told)) + (_FURTHER if 0 < len(told) < count else "")


def _only_brings_in(old: str, new: str) -> bool:
    """Return true for a change of comments, and of lines that bring in what others use, alone."""
    added = {line.strip() for line in new.splitlines()} - {line.strip() for line in old.splitlines()}
    return bool(added) and all(not line or _SAYS_LITTLE.match(line) for line in added)


def _settings_in(step: Step, most: int) -> str:
    """The first settings that a new file of many lines holds; of a small program the lines with values in them.

    Empty for a file of prose and a longer program.
    """
    lines = [line.strip() for line in step.change[0][1].splitlines()]
    if not holds_settings(step):
        is_small = sum(bool(line) for line in lines) <= _SMALL_PROGRAM
        lines = [line for line in telling_lines(lines) if _VALUE.search(line)] if is_small else []
    settings = dict.fromkeys(line for line in lines if _SETTING.match(line))
    told = _as_many([("+", line) for line in settings], most - len(_FURTHER))
    return f"{told}{_FURTHER}" if told else ""


def _as_many(lines: Sequence[tuple[str, str]], most: int) -> str:
    """As many of the first lines, each with its sign, as have room."""
    told = ""
    for sign, line in lines:
        if len(told) + len(line) + 6 > most:
            break
        told += f"{'; ' if told else ''}{sign} `{line}`"
    return told


def _describe_pair(old: str, new: str, most: int) -> str:
    return _changed_blanks(old, new, most) if old and old.split() == new.split() else _changed(old, new, most)


def _changed(old: str, new: str, most: int) -> str:
    """The lines that differ; one that only goes on behind its end, as with a comma, stays the same."""
    lines = [(sign, line.strip()) for sign, line in _differing(old.splitlines(), new.splitlines())]
    signs = {(sign, line.rstrip(_JOINTS)) for sign, line in lines}
    stayed = {line for sign, line in signs if line and {("+", line), ("-", line)} <= signs and len(lines) > _PAIR}
    lines = [each for each in lines if len(each[1]) > 1 and each[1].rstrip(_JOINTS) not in stayed]
    lines = [each for each in lines if any(map(str.isalnum, each[1]))] or lines  # brackets alone say nothing
    if not lines or (not old and (len(lines) > _FEW_LINES or sum(len(line) + 6 for _, line in lines) > most)):
        return ""
    if sorted(lines) == [("+", lines[0][1]), ("-", lines[0][1])]:  # taken out and put in elsewhere
        return _moved(lines[0][1], "up" if lines[0][0] == "+" else "down", most)
    if [sign for sign, _ in lines] == ["-", "+"] and sum(len(line) for _, line in lines) + _AROUND_PAIR <= most:
        return f"`{lines[0][1]}` → `{lines[1][1]}`"
    if sum(len(line) + 6 for _, line in lines) > most:  # what is new says more than what it replaced
        lines = [(sign, line) for sign, line in lines if not _SAYS_LITTLE.match(line)] or lines
        lines = list(dict.fromkeys(each for each in lines if each[0] == "+")) or lines
    told = _as_many(lines, most)
    is_all = sum(len(line) + 6 for _, line in lines) <= most
    return told if is_all or not told or len(told) + len(_FURTHER) > most else f"{told}{_FURTHER}"


def _moved(line: str, direction: str, most: int) -> str:
    room = most - len(f"moving `` {direction}")
    return f"moving `{truncate(line, room)}` {direction}" if room >= min(len(line), _LEAST_ROOM) else ""


def _differing(old: Sequence[str], new: Sequence[str]) -> list[tuple[str, str]]:
    """The lines taken out and put in, with their signs, as `difflib.ndiff` has them where that takes no time."""
    if len(old) + len(new) > _MOST_LINES:
        kept = {*old} & {*new}
        return _told_apart([each for each in old if each not in kept], [each for each in new if each not in kept])
    found: list[tuple[str, str]] = []
    for kind, *ends in difflib.SequenceMatcher(None, old, new).get_opcodes():
        if kind != "equal":
            found += _replaced(old[ends[0] : ends[1]], new[ends[2] : ends[3]])
    return found


def _replaced(old: Sequence[str], new: Sequence[str]) -> list[tuple[str, str]]:
    """Lines without any in common, like ones beside each other: each is compared with each, so only a few are."""
    if _weight(old) * _weight(new) > _MOST_PAIRED:
        return _told_apart(old, new)
    return [(line[0], line[2:]) for line in difflib.ndiff(old, new) if line[:2] in {"- ", "+ "}]


def _told_apart(old: Sequence[str], new: Sequence[str]) -> list[tuple[str, str]]:
    return [*(("-", line) for line in old), *(("+", line) for line in new)]


def _weight(lines: Sequence[str]) -> int:
    return sum(max(len(line), _LEAST_WEIGHT) for line in lines)


def _changed_blanks(old: str, new: str, most: int) -> str:
    """The first line of which nothing but the blanks differ; empty where only line ends do."""
    pairs = zip(old.splitlines(), new.splitlines(), strict=False)
    changed = next(((a, b) for a, b in pairs if a != b), None)
    if changed is None:
        return ""
    before, after = (truncate(line.replace("\t", "\\t"), (most - _AROUND_PAIR) // 2) for line in changed)
    return f"`{before}` → `{after}`" if before != after else ""
