"""A command line as a lesson tells it: whole where it has room, else without what stands around the work itself."""

from __future__ import annotations

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.lessons.run.commands.effects import only_reads
from mcp_reflect.domain.lessons.run.commands.lines import blanked, setup_of
from mcp_reflect.domain.lessons.run.commands.server_requests import only_gets
from mcp_reflect.domain.truncate import CUT, in_one_line, truncate

_MOST_CHARS = 2_000
"""Characters up to which a command line is taken apart."""
_JOINT = re.compile(r"\s*(?:&&|;)\s*")
_RECORDS = re.compile(
    r"git (?:-C \S+ )?(?:add\b[^|]*|commit\b[^|]*|worktree (?:add|remove|prune)\b[^|]*"
    r"|push(?: -[qu]| --quiet| --set-upstream)*(?: origin(?: (?:--delete )?[\w./-]+)?)?"
    r"|branch -[a-z]*[dD] [\w./-]+|switch(?: -[qc]+)? [\w./-]+)$"
)
"""What keeps a state of the repository, as after any other work."""
_RUNS_MORE = re.compile(r"[\n`(){}<>]|\|\||(?<!&)&(?!&)")
_TO_NOWHERE = re.compile(r"2>&1|[12&]?> ?/dev/null")
"""Signs of a command line that is more than a list of commands."""
_ELSEWHERE = re.compile(r"cd [~/]\S*$")
"""A change to the folder in which everything is done."""
_SHORTENS = re.compile(r"\s*(?:cat|head|less|tail)\b[^|&;<>]*$")
_WHOLE = 2
"""Times the room that a command may have which is told whole thereby: cut off, it lacks its end."""


def only_records(command: str) -> bool:
    """Return true where a command line keeps what was done in git, and apart from that only reads."""
    line = command.strip()[len(setup_of(command)) :]
    covered = blanked(line)
    if len(line) > _MOST_CHARS or _RUNS_MORE.search(covered) or "$(" in line:
        return False
    parts = [part for part in _JOINT.split(covered) if part]
    kept = [_RECORDS.match(part.strip()) is not None for part in parts]
    return any(kept) and all(is_kept or only_reads(part) for is_kept, part in zip(kept, parts, strict=True))


def work_of(command: str) -> str:
    """Return a command line without what only reads, keeps the state in git or shortens the output at its ends.

    It is a part of the line as it stands; the whole line where there is nothing else in it, or where it is a script.
    What keeps a state at its beginning stays: a build may ask for it.
    """
    line = command.strip()
    if len(line) > _MOST_CHARS or "\n" in line or "<<" in line:
        return command
    return _without_ends(line, keeps_records=True).removesuffix(CUT).rstrip()


def told_command(command: str, most: int) -> str:
    """Return a command line in one line of `most` characters, of twice as many where it is whole thereby.

    One that has no room is told without what only reads, keeps the state in git or shortens the output at its ends, and
    then cut. What is told stands in the command as it is: the run is looked for it (`provenance/calls.py`).
    """
    told = in_one_line(command)
    if len(told) <= most:
        return told
    if len(told) <= _MOST_CHARS and "\n" not in command.strip() and "<<" not in command:
        told = _without_ends(told)
    return told if len(told) <= most * _WHOLE else truncate(told, most)


def _without_ends(command: str, *, keeps_records: bool = False) -> str:
    covered = blanked(command)
    shown = _without_shortening(covered)
    if _RUNS_MORE.search(_TO_NOWHERE.sub("", shown)):
        return command if "||" in covered else command[: len(shown)]
    joints = [found.span() for found in _JOINT.finditer(shown)]
    starts = [0, *(end for _, end in joints)]
    ends = [*(start for start, _ in joints), len(shown)]
    around = [_is_around(command[start:end]) for start, end in zip(starts, ends, strict=True)]
    parts = [place for place, is_around in enumerate(around) if not is_around]
    if not parts:
        return command
    if keeps_records:
        kept = (place for place in range(parts[0]) if _RECORDS.match(command[starts[place] : ends[place]]))
        parts.insert(0, next(kept, parts[0]))
    told = command[starts[parts[0]] : len(_without_shortening(shown[: ends[parts[-1]]]))]
    return told if parts[-1] == len(starts) - 1 else f"{told} {CUT}"


def _without_shortening(covered: str) -> str:
    """A command line without the pipes at its end that only shorten its output."""
    while (at := covered.rfind("|")) > 0 and covered[at - 1] != "|" and _SHORTENS.match(covered[at + 1 :]):
        covered = covered[:at].rstrip().removesuffix("2>&1").rstrip()
    return covered


def _is_around(part: str) -> bool:
    if part.startswith("env "):
        return False
    if not part.strip() or only_reads(part) or only_gets(part):
        return True
    return any(each.match(part) for each in (_RECORDS, _ELSEWHERE))
