"""Command lines of a run: which program they call, in which folder, and what in them stands around the work itself."""

from __future__ import annotations

from collections.abc import Sequence

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.lessons.run.commands.wrappers import without_wrappers
from mcp_reflect.domain.text.memoize import memoize_short

SHORTENS = r"\|\s*(?:tail|head|cat|grep|tee|less)\b"
"""A pipe that shortens an output, as part of a pattern."""
_NOISE = re.compile(
    rf"(?:(?<!\s)\s+)?(?:2>&1|{SHORTENS}[^|&;]*|(?:(?<!\S)[12&])?>\s*/dev/null|;\s*exit\s+\$(?:\?|PIPESTATUS\b|\{{PIPESTATUS\[\d\]\}}))\s*"
)
_STATUS = r"\$(?:\?|\{?(?:PIPESTATUS|pipestatus)(?:\[\d\]\})?)"
PRINTS_STATUS = re.compile(
    rf"(?<![\s;])(?=[ \t\r]*+[;\n])[\s;]++echo\s+(?:-\w+\s+)?(?P<quote>[\"']?)(?P<label>[^\"'$;|&\n]{{0,40}}){_STATUS}"
    r"(?:(?(quote)(?:[^\"\n]{0,80}))|[^\s;|&]{0,20})(?P=quote)(?=[ \t\r]*+(?:[;\n)]|$))"
)
"""What prints the exit status of the command before it, behind a label."""
SETUP = re.compile(
    r"^(?:cd\s+\S+\s*(?:&&|;)\s*|set -\w+(?:\s+pipefail)?\s*(?:&&|;)\s*|export\s+\w+=\S*\s*(?:&&|;)\s*)+"
)
"""Changes of the folder and of the shell before a command."""
QUOTED_PART = re.compile(r"'[^']*'|\"(?:[^\"\\\\]|\\\\.)*\"")
_EXPORT = re.compile(r"\bexport\s+(\w+=[^\s;&]*)")
_FOLDER = re.compile(r"\s*cd\s+(\S+)\s*(?:&&|;)")
_INLINE = re.compile(r"(?:uv\s+run\s+)?(python|node|ruby|perl|php|Rscript)[\d.]*\s+(?:-\s*<<|<<|-[ce]\s)")
_SUBCOMMAND = re.compile(r"[a-z][a-z-]*")


@memoize_short(entries=2_048, chars=8_000)
def normalised(command: str) -> str:
    """Return a command line without changes of the folder before it and pipes that shorten its output."""
    return " ".join(without_noise(SETUP.sub("", command.strip())).split())


def without_noise(command: str) -> str:
    """Return a command line without what only shortens its output, or hands on or prints its exit status."""
    command = PRINTS_STATUS.sub("", command) if "$" in command else command
    kept, done = [], 0
    for found in _NOISE.finditer(blanked(command)):
        kept.append(command[done : found.start()])
        done = found.end()
    return " ".join(filter(None, map(str.strip, [*kept, command[done:]])))


def blanked(command: str) -> str:
    """Return a command line with `x` for each character that is quoted in it."""
    return QUOTED_PART.sub(lambda found: "x" * len(found[0]), command)


def setup_of(command: str) -> str:
    """Return the changes of the folder and of the shell before a command; empty where there are none."""
    found = SETUP.match(command.strip())
    return found[0] if found else ""


def folder_of(command: str) -> str:
    """Return the folder that a command line changes to first; empty where it does not."""
    found = _FOLDER.match(command)
    return found[1].rstrip("/") if found else ""


def exports_of(command: str) -> frozenset[str]:
    """Return the assignments that a command line exports before anything else."""
    found = SETUP.match(command.strip())
    return frozenset(_EXPORT.findall(found[0])) if found else frozenset()


@memoize_short(entries=2_048, chars=8_000)
def program_of(command: str) -> str:
    """Return the program that a normalised command starts, behind assignments, `sudo`, `uv run`, `python -m` etc."""
    words = _called(command)
    if len(words) > 2 and re.match(r"(?:.*/)?python[\d.]*$", words[0]) and words[1] == "-m":  # noqa: PLR2004 - python -m x
        return words[2]
    return words[0].rpartition("/")[2] if words else ""


def subcommand_of(command: str) -> str:
    """Return the word behind the program that says what it does, as in `alembic merge`; empty where there is none."""
    words = _called(command)
    return words[1] if len(words) > 1 and _SUBCOMMAND.fullmatch(words[1]) else ""


def _called(command: str) -> Sequence[str]:
    return without_wrappers([word for word in command.split() if "=" not in word.split("/")[0] or word.startswith("-")])


def inline_interpreter(command: str) -> str:
    """Return the interpreter of a command that runs a program written in its line; empty for any other command."""
    found = _INLINE.match(SETUP.sub("", command.strip()))
    return found[1] if found else ""
