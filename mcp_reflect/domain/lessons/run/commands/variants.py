"""Command lines that do the same: they repeat one another's parts, or call one program with words in common."""

from __future__ import annotations

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.lessons.run.commands.effects import only_reads
from mcp_reflect.domain.lessons.run.commands.lines import blanked, normalised, program_of
from mcp_reflect.domain.text.memoize import memoize_short

_VARIANT = 0.34
"""Least share of common words (Jaccard) from which two commands of one program are variants of each other."""
_OTHER_PROGRAM = 0.6
"""The same for commands of two programs."""
_WORD = re.compile(r"\w+")
_INTERPRETED = re.compile(
    r"(?:python|node|ruby|php|perl|bash|sh)[\d.]*\s+(?:-\w+\s+)*"
    r"((?:[\w./-]+\.\w{2,4}|[\w./-]*artisan)\b(?:\s+[a-z][a-z:_-]+(?!\S))?)"
)
"""A script behind its interpreter, with its subcommand: together they are the program."""


@memoize_short(entries=2_048, chars=8_000)
def parts_of(command: str) -> tuple[str, ...]:
    """Return the parts of a command line that have all worked where it has, without those that only read."""
    line = normalised(command)
    ends = [found.span() for found in re.finditer(r"\s*&&\s*", blanked(line))]
    starts = [0, *(end for _, end in ends)]
    parts = [line[start:end] for start, end in zip(starts, [*(start for start, _ in ends), len(line)], strict=True)]
    return tuple(part for part in parts if not only_reads(part)) or (line,)


def repeats(ours: str, theirs: str) -> bool:
    """Return true where a command line runs another one as it stands, among others or alone."""
    mine, others = parts_of(ours), parts_of(theirs)
    return mine == others or (len(mine) == 1 and mine[0] in others)


def are_variants(ours: str, theirs: str) -> bool:
    """Return true where one normalised command repeats the other, as it stands or in another form."""
    if ours == theirs:
        return True
    if program_of(ours) != program_of(theirs):
        a, b = set(_WORD.findall(ours)), set(_WORD.findall(theirs))
        return _overlap(a, b) >= _OTHER_PROGRAM  # as in `sh backup.sh`, `bash backup.sh`
    a, b = _words_of(ours), _words_of(theirs)
    return _overlap(a, b) >= _VARIANT or (len(a) > 1 and a <= b)


def is_variant_text(ours: str, theirs: str) -> bool:
    """Return true for two texts, such as queries, that have as many words in common as variants of a command."""
    return _overlap(set(_WORD.findall(ours.lower())), set(_WORD.findall(theirs.lower()))) >= _VARIANT


def _words_of(command: str) -> set[str]:
    """The words of a command; an interpreter with its script counts as one."""
    script = _INTERPRETED.search(command)
    if script is None:
        return set(_WORD.findall(command))
    return {script[1], *_WORD.findall(command[: script.start()]), *_WORD.findall(command[script.end() :])}


def _overlap(a: set[str], b: set[str]) -> float:
    return len(a & b) / max(len(a | b), 1)
