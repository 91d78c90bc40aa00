"""Commands and calls that worked and that a lesson leaves out: by-work, and what later ones stand for."""

from __future__ import annotations

from collections.abc import Sequence

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.lessons.failures.mending_commands import is_preparation
from mcp_reflect.domain.lessons.run.code_cells import code_argument
from mcp_reflect.domain.lessons.run.commands.checks import checks_by
from mcp_reflect.domain.lessons.run.commands.effects import only_reads, searches_output
from mcp_reflect.domain.lessons.run.commands.lines import SETUP, blanked, inline_interpreter, normalised
from mcp_reflect.domain.lessons.run.commands.server_requests import only_asks_server
from mcp_reflect.domain.lessons.run.commands.told_command import only_records
from mcp_reflect.domain.lessons.run.commands.variants import are_variants, repeats
from mcp_reflect.domain.lessons.run.set_again import is_set_again
from mcp_reflect.domain.lessons.run.step import Step
from mcp_reflect.domain.lessons.run.undone_files import only_removes

_CHANGES = re.compile(
    r"write|save|dump|send|post|put|delet|remov|commit|execut|insert|updat|creat|upload|unlink|renam|mkdir|system|subprocess"
    r"|to_(?:csv|sql|excel|parquet|json)|move|copy|os\.replace|extract|download|set(?:val|attr)|file=",
    re.IGNORECASE,
)
"""Parts of the names in a program that does more than to print something."""
_PRINTS = re.compile(r"\bprint\b")
_READS = re.compile(
    r"\b(?:read_\w+|open|loads?|getsource|dir|help|glob|listdir|iterdir|read(?:_text|lines?)?)\(|\.(?:columns|dtypes|head|shape|tail|__version__|__file__)\b"
    r"|\bselect\b",
    re.IGNORECASE,
)
"""How a program looks at data, at files or at its surroundings."""
_STASHES = re.compile(r"git\s+stash(?:\s+\w+)?\s*")
_PUTS_AWAY, _BRINGS_BACK = re.compile(r"git stash(?! (?:pop|apply))\b"), re.compile(r"git stash (?:pop|apply)\b")
_CHECKS = re.compile(
    r"\b(?:bazel|bench|build|cargo|check|compile|dune|go|gradlew|lint|make|mvn|ninja|pytest|spec|tests?|tsc|vet)\b"
)
_REHEARSES = re.compile(
    r"(?!.*\|\s*(?:sh|bash|sudo|xargs)\b)(?:\S+\s(?:[^|]*?\s)?--(?:dry-?run|just-print|simulate)(?![\w-])"
    r"|(?:make|ninja|snakemake)\s(?:[^|]*?\s)?-n(?=\s|$)|rsync\s(?:[^|]*?\s)?-[A-Za-z]{0,12}n[A-Za-z]{0,12}(?=\s|$))"
)
"""A command that shows what it would do."""
_TAKES_TARGETS = frozenset({"make", "ninja", "rsync", "snakemake"})
_LISTED = re.compile(r"\s*(?:&&|;|\n)\s*")
_MOST_CHARS = 2_000
_WORD = re.compile(r"\w+")
_LEAST_WORDS, _HELD = 6, 0.75
"""Words of a program, and the share of them that a later one has which stands for it."""


def is_by_work(step: Step) -> bool:
    """Return true for a command that searches another's output, asks a server, keeps what was done, or tidies up."""
    if step.kind != "command":
        return False
    by_work = (searches_output, only_removes, only_records, only_asks_server)
    return any(each(step.subject) for each in by_work) or _looks_without_changes(step.subject)


def _looks_without_changes(command: str) -> bool:
    """Return true for a command line that puts changes away, or does so for a look at how things are without them."""
    if len(command) > _MOST_CHARS:
        return False
    if _STASHES.fullmatch(command):
        return True
    first, *others = _LISTED.split(command.strip())
    is_look = _PUTS_AWAY.match(first) is not None and any(map(_BRINGS_BACK.match, others))
    return is_look and all(_BRINGS_BACK.match(each) or only_reads(each) or _CHECKS.search(each) for each in others)


def fails_later(step: Step, later: Sequence[Step]) -> bool:
    """Return true for a command that ended in a failure when it ran for the last time."""
    outcomes = [each.failed for each in later if each.kind == step.kind and each.subject == step.subject]
    return bool(outcomes) and outcomes[-1] is True


def runs_later(step: Step, later: Sequence[Step]) -> bool:
    """Return true for a command that only checks, where it runs later in any form."""
    if step.kind != "command" or is_preparation(step):
        return False
    ours = normalised(step.subject)
    return any(each.kind == "command" and are_variants(ours, normalised(each.subject)) for each in later)


def is_replaced_later(step: Step, later: Sequence[Step]) -> bool:
    """Return true for a command that another form of it stands for: one that ran it again beside what it had lacked,
    or did what it had only shown.

    So is a call whose value a later one replaced, and a program that was written for the moment: of several that ask
    about the same thing the last gave the answer.

    What changed something that others need may stand beside other forms of it, not beside one that holds it whole.
    """
    if step.kind != "command":
        return is_set_again(step, later) or _is_part_of_program(step, later)
    if (interpreter := inline_interpreter(step.subject)) and not is_preparation(step):
        ours = normalised(step.subject)
        programs = [each.subject for each in later if inline_interpreter(each.subject) == interpreter]
        only_reads = all(each.search(step.subject) for each in (_PRINTS, _READS)) and not _CHANGES.search(step.subject)
        return any(only_reads or are_variants(ours, normalised(program)) for program in programs)
    forms = [each.subject for each in later if each.kind == "command"]
    if _is_done_by(step.subject, forms):
        return True
    if any(form != step.subject and repeats(step.subject, form) for form in forms):
        return True
    if is_preparation(step):
        return False
    ours = normalised(step.subject)
    return any(repeats(form, step.subject) or are_variants(ours, normalised(form)) for form in forms)


def last_of_checks(worked: Sequence[Step]) -> list[Step]:
    """Return the steps without the builds and tests that another one of the same program came after.

    For a run that changed files: the last check met what it left behind.
    """
    forms = [checks_by(step.subject) if step.kind == "command" else "" for step in worked]
    return [step for place, step in enumerate(worked) if not (forms[place] and forms[place] in forms[place + 1 :])]


def _is_part_of_program(step: Step, later: Sequence[Step]) -> bool:
    """Return true for a program that a later and longer one of the same tool holds, but for a few words.

    One as long with other values asks for something else.
    """
    name = code_argument(step)
    words = set(_WORD.findall(str(step.arguments[name]))) if name else set[str]()
    if len(words) < _LEAST_WORDS:
        return False
    programs = [
        str(each.arguments.get(name, "")) for each in later if each.tool == step.tool and each.failed is not True
    ]
    held = (set(_WORD.findall(program)) for program in programs)
    return any(len(each) > len(words) and len(words & each) >= _HELD * len(words) for each in held)


def _is_done_by(command: str, later: Sequence[str]) -> bool:
    """Return true for a command line that only shows what it would do, where a later one does it."""
    parts = _parts(command)
    tasks = {_task_of(part) for part in parts if _REHEARSES.match(part)}
    if not tasks or not all(_REHEARSES.match(part) or only_reads(part) for part in parts):
        return False
    acts = [part for line in later for part in _parts(line) if not (_REHEARSES.match(part) or only_reads(part))]
    return tasks <= {_task_of(part) for part in acts}


def _parts(command: str) -> list[str]:
    return [part.strip() for part in _LISTED.split(blanked(SETUP.sub("", command[:_MOST_CHARS]))) if part.strip()]


def _task_of(command: str) -> str:
    """Return the program, with its subcommand where it has those."""
    program, *words = command.removeprefix("sudo ").split()
    has_subcommands = words and words[0].isalpha() and program not in _TAKES_TARGETS
    return f"{program} {words[0]}" if has_subcommands else program
