"""Repairs in a run: failed steps with their errors, and the changes after which the same step worked."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from mcp_reflect.domain.lessons.failure_text import failure_text
from mcp_reflect.domain.lessons.net_changes import NetChanges
from mcp_reflect.domain.lessons.steps import Step
from mcp_reflect.domain.truncate import truncate

_VARIANT = 0.34
"""Least share of common words (Jaccard) from which two commands of one program are variants of each other."""

RETRIED_WITHIN = 60
"""Steps behind a failure in which its repair is looked for."""

_OTHER_PROGRAM = 0.6
"""The same for commands of two programs."""

_FEW_LINES = 4
"""Lines up to which new text without old is shown."""

_WORD = re.compile(r"\w+")
_NOISE = re.compile(r"\s*(?:2>&1|\|\s*(?:tail|head|cat|grep|tee|less)\b[^|&;]*|>\s*/dev/null)\s*")
_SETUP = re.compile(r"^(?:cd\s+\S+\s*(?:&&|;)\s*|set -\w+\s*(?:&&|;)\s*|export\s+\w+=\S*\s*(?:&&|;)\s*)+")
_PREPARES = re.compile(
    r"\b(?:install|add|sync|up|start|init|create|migrate|build|compile|generate|export|mkdir|chmod|chown|ln|cp|mv|rm|sed|patch"
    r"|git\s+(?:checkout|restore|pull|fetch|submodule|config|stash|apply|clean)|kill|pkill|unset|source|restore|upgrade|update"
    r"|downgrade|pin|lock|enable|set)\b|^cd\s+\S+$"
)
_INSPECTS = re.compile(
    r"^(?:sudo\s+)?(?:ls|ll|pwd|cat|head|tail|less|more|echo|printf|which|type|whereis|wc|grep|rg|ag|ack|find|fd|tree|file|stat"
    r"|env|printenv|date|whoami|id|uname|hostname|history|true|false|sleep|clear|man|help|jq|sort|uniq|diff|cmp|awk|cut|nl|xxd"
    r"|sed\s+-n|git\s+branch(?:\s+-(?:a|r|v+|-all|-list|-show-current)\b)*\s*$|git\s+(?:status|diff|log|show|blame|remote|rev-parse|ls-files|grep))\b"
)


_QUOTED = re.compile(r"'[^']*'|\"(?:[^\"\\\\]|\\\\.)*\"")
_JOINED = re.compile(r"&&|\|\|?|;|(?<![<>&])&(?![>&\d])|\n")
_READS_ON = re.compile(
    r"(?:cd|set|export|test|read|tr|column|rev|paste|fold|xargs\s+(?:-\S+\s+)*(?:ls|cat|grep|wc|head|stat|file))\b|\[\s"
)
"""What may stand beside commands that read, without changing anything."""
_SCRIPTED = re.compile(r"(?:jq|yq|awk|gawk|sort|diff|cmp)\s")
"""What only reads, but is a program of its own: one that was mended is worth a lesson."""
_FOLDER = re.compile(r"\s*cd\s+(\S+)\s*(?:&&|;)")


@dataclass(frozen=True)
class Repair:
    """`failed` did not work, with `error` as its decisive line; `worked` did. `edits` and `commands` came in between.

    Where the two are the same command, what was in between made the difference; otherwise what changed in it did, or
    the folder that it ran in. `tries` are the places of all the failures among the steps of the run.
    """

    failed: Step
    error: str
    worked: Step
    edits: tuple[Step, ...] = ()
    commands: tuple[Step, ...] = ()
    tries: tuple[int, ...] = ()

    @property
    def same_command(self) -> bool:
        """Return true where both steps are the same command, and something else than its folder was changed."""
        if normalised(self.failed.subject) != normalised(self.worked.subject):
            return False
        moved = folder_of(self.failed.subject) != folder_of(self.worked.subject)
        return not moved or bool(self.edits or self.commands)


def find_repairs(steps: Sequence[Step]) -> Iterator[Repair]:
    """Yield each failing step with the first later step that did the same and worked, in order of the failures.

    A failure that is repeated before it is mended counts once, with its last error; what was changed before it was
    repeated does not count where it failed in the same way again.
    """
    done: set[int] = set()
    net = NetChanges(steps)
    for place, step in enumerate(steps):
        if not step.failed or step.kind == "edit" or place in done or (is_inspection(step) and not _is_script(step)):
            continue
        near = range(place + 1, min(place + 1 + RETRIED_WITHIN, len(steps)))
        later = [number for number in near if _is_retry(step, steps[number])]
        worked = next((number for number in later if steps[number].failed is False), None)
        if worked is None:
            continue
        tries = [place, *(number for number in later if number < worked)]
        done.update(tries)
        last = steps[tries[-1]]
        failed = last if normalised(last.subject) != normalised(steps[worked].subject) or len(tries) == 1 else step
        begin = _begin(steps, tries, worked)
        error = failure_text([last, step])
        if repair := repair_between(failed, error, steps[begin + 1 : worked], steps[worked], net):
            yield replace(repair, tries=tuple(tries))


def _begin(steps: Sequence[Step], tries: Sequence[int], worked: int) -> int:
    """The failure behind which the changes begin that count: not those after which it failed as it had before."""
    end = worked
    for before, again in zip(reversed(tries[:-1]), reversed(tries), strict=False):
        changed = any(_is_change(step) for step in steps[again + 1 : end])
        if changed and failure_text([steps[before]]) == failure_text([steps[again]]):
            return again
        end = end if changed else again
    return tries[0]


def _is_change(step: Step) -> bool:
    return (step.kind == "edit" and not step.failed) or is_preparation(step)


def repair_between(failed: Step, error: str, between: Sequence[Step], worked: Step, net: NetChanges) -> Repair | None:
    """Return the repair that the steps in between made; None where they and the command changed nothing."""
    repair = Repair(
        failed=failed,
        error=error,
        worked=worked,
        edits=tuple(net.of([each for each in between if each.kind == "edit" and not each.failed])),
        commands=tuple(each for each in between if is_preparation(each)),
    )
    return repair if not repair.same_command or repair.edits or repair.commands else None


def _is_retry(failed: Step, other: Step) -> bool:
    """Return true where the other step repeats the failed one: the same call, or a variant of it."""
    if other.kind != failed.kind or other.tool != failed.tool:
        return False
    if failed.kind == "call":
        return True
    ours, theirs = normalised(failed.subject), normalised(other.subject)
    if ours == theirs:
        return True
    a, b = set(_WORD.findall(ours)), set(_WORD.findall(theirs))
    alike = len(a & b) / max(len(a | b), 1)
    if program_of(ours) != program_of(theirs):
        return alike >= _OTHER_PROGRAM  # as in `sh backup.sh`, `bash backup.sh`
    return alike >= _VARIANT or (len(a) > 1 and a <= b)


def is_preparation(step: Step) -> bool:
    """Return true for a command that worked and changed something that others need."""
    return (
        step.kind == "command"
        and step.failed is False
        and not is_inspection(step)
        and bool(_PREPARES.search(step.subject))
    )


def is_inspection(step: Step) -> bool:
    """Return true where a command only reads, in each part of a pipe or a list of commands."""
    if step.kind != "command" or not _INSPECTS.match(normalised(step.subject)):
        return False
    parts = _JOINED.split(_QUOTED.sub("''", _SETUP.sub("", step.subject.strip())))
    return all(_INSPECTS.match(part) or _READS_ON.match(part) for part in filter(None, map(str.strip, parts)))


def _is_script(step: Step) -> bool:
    return bool(_SCRIPTED.match(normalised(step.subject)))


def folder_of(command: str) -> str:
    """Return the folder that a command line changes to first; empty where it does not."""
    found = _FOLDER.match(command)
    return found[1].rstrip("/") if found else ""


@lru_cache(maxsize=2_048)
def normalised(command: str) -> str:
    """Return a command line without changes of the folder before it and pipes that shorten its output."""
    return " ".join(_NOISE.sub(" ", _SETUP.sub("", command.strip())).split())


def program_of(command: str) -> str:
    """Return the program that a normalised command starts, behind assignments, `sudo`, `uv run`, `python -m` etc."""
    words = [word for word in command.split() if "=" not in word.split("/")[0] or word.startswith("-")]
    while len(words) > 1 and words[0] in {"sudo", "env", "time", "npx", "uv", "poetry", "run", "exec", "bundle"}:
        words = words[1:]
    if len(words) > 2 and re.match(r"(?:.*/)?python[\d.]*$", words[0]) and words[1] == "-m":  # noqa: PLR2004 - python -m x
        return words[2]
    return words[0].rpartition("/")[2] if words else ""


def describe_change(step: Step, most: int) -> str:
    """Return the decisive lines of an edit, at most `most` characters:

    `old → new` for one line, else `- old; + new; …`. Empty where nothing is known, and for a new file of more than a
    few lines, whose name says more than its first ones. Where an edit changes nothing but blanks, they are shown, a tab
    by its escape. A line that is only moved is told with its direction.
    """
    for old, new in step.change:
        if old and old.split() == new.split():
            if blanks := _changed_blanks(old, new, most):
                return blanks
            continue
        lines = [
            (line[0], " ".join(line[1:].split()))
            for line in difflib.ndiff(old.splitlines(), new.splitlines())
            if line[:2] in {"- ", "+ "}
        ]
        lines = [(sign, line) for sign, line in lines if len(line) > 1]  # a bracket says nothing
        if not lines or (not old and (len(lines) > _FEW_LINES or sum(len(line) + 6 for _, line in lines) > most)):
            continue
        if [sign for sign, _ in lines] == ["-", "+"] and sum(len(line) for _, line in lines) + 5 <= most:
            return f"`{lines[0][1]}` → `{lines[1][1]}`"
        if len(lines) == 2 and lines[0][1] == lines[1][1]:  # noqa: PLR2004 - taken out and put in elsewhere
            return f"moving `{truncate(lines[0][1], most - 20)}` {'up' if lines[0][0] == '+' else 'down'}"
        told = ""
        for sign, line in lines:
            if len(told) + len(line) + 6 > most:
                break
            told += f"{'; ' if told else ''}{sign} `{line}`"
        if told:
            return told
    return ""


def _changed_blanks(old: str, new: str, most: int) -> str:
    """The first line of which nothing but the blanks differ; empty where only line ends do."""
    pairs = zip(old.splitlines(), new.splitlines(), strict=False)
    changed = next(((a, b) for a, b in pairs if a != b), None)
    if changed is None:
        return ""
    before, after = (truncate(line.replace("\t", "\\t"), most // 2 - 4) for line in changed)
    return f"`{before}` → `{after}`"
