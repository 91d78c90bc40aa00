"""Triggers of errors: commands and edits that led to one, in a form by which the same call is known again.

A trigger is a text, `run <command>` or `edit <digest> <path>`. Two commands are the same where their words are: a
change of the folder before them, pipes that shorten the output, assignments, quotes and white space do not count, and
a path counts from the folder that both know. An edit is the same where it writes the same text into the same file.
"""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Iterable
from typing import NamedTuple

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.lessons.run.command_lines import normalised
from mcp_reflect.domain.lessons.run.steps import Step
from mcp_reflect.domain.text.memoize import memoize_short

MOST_TRIGGERS = 20
"""Most triggers of one error."""
_MOST_CHARS = 4_000
"""Characters of a command; a longer one, a script perhaps, is not met a second time."""

_RUN, _EDIT = "run ", "edit "
_OPERATORS = frozenset(";&|()")
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)=", re.ASCII)
_EXPORTED = re.compile(r"\bexport\s+([A-Za-z_]\w*)=", re.ASCII)


class CommandForm(NamedTuple):
    """The words of a command without assignments, and the names that it assigns."""

    words: tuple[str, ...]
    assigned: frozenset[str] = frozenset()


def trigger_of(step: Step) -> str:
    """Return the trigger that a step is; empty for other tools, and for what is too long or says nothing."""
    if step.kind == "command":
        command = _command_text(step.subject)
        return _RUN + command if command and len(command) <= _MOST_CHARS else ""
    written = "\0".join(new for _, new in step.change)
    if step.kind != "edit" or not step.subject or not written.strip():
        return ""
    return f"{_EDIT}{hashlib.sha256(written.encode('utf-8', 'replace')).hexdigest()[:16]} {step.subject}"


def command_of_trigger(trigger: str) -> str:
    """Return the command that a trigger is; empty for an edit."""
    return trigger.removeprefix(_RUN) if trigger.startswith(_RUN) else ""


def trigger_key(trigger: str) -> str:
    """Return a key that triggers of the same call share; few others do, which `is_same_trigger` tells apart."""
    if trigger.startswith(_EDIT):
        head = len(_EDIT) + 16
        return f"{trigger[:head]} {_base(trigger[head + 1 :])}"
    return _RUN + "\0".join(map(_base, command_form(trigger.removeprefix(_RUN)).words))


def is_same_trigger(one: str, other: str) -> bool:
    """Return whether two triggers are of the same call."""
    if one.startswith(_EDIT) or other.startswith(_EDIT):
        head = len(_EDIT) + 16
        return one[:head] == other[:head] and _is_same_word(one[head + 1 :], other[head + 1 :])
    a, b = command_form(one.removeprefix(_RUN)).words, command_form(other.removeprefix(_RUN)).words
    return len(a) == len(b) and all(map(_is_same_word, a, b))


def is_way_out(trigger: str, failed: Iterable[str], worked: Iterable[str]) -> bool:
    """Return whether a call differs from those that failed by what made a command work: the variables it assigns.

    `failed` are triggers, `worked` commands.
    """
    if not trigger.startswith(_RUN):
        return False
    assigned = _assigned(trigger)
    before = frozenset[str]().union(*(_assigned(each) for each in failed if each.startswith(_RUN)))
    ways = [_RUN + _command_text(command) for command in worked]
    return any((own := _assigned(way) - before) and own <= assigned and is_same_trigger(trigger, way) for way in ways)


def _assigned(trigger: str) -> frozenset[str]:
    return command_form(trigger.removeprefix(_RUN)).assigned


def _command_text(command: str) -> str:
    """A command on one line, with a mark for what it exports before it starts."""
    exported = "".join(f"{name}= " for name in dict.fromkeys(_EXPORTED.findall(command)))
    text = normalised(command)
    return exported + text if text else ""


@memoize_short(entries=1_024, chars=8_000)
def command_form(command: str) -> CommandForm:
    """Return the form of a command on one line; one whose quotes do not close is split at white space."""
    lexer = shlex.shlex(command, posix=True, punctuation_chars=";&|()<>")
    lexer.commenters, lexer.whitespace_split = "", True
    try:
        tokens = list(lexer)
    except ValueError:
        tokens = command.split()
    words: list[str] = []
    assigned: set[str] = set()
    begins = True
    for word in tokens:
        assignment = _ASSIGNMENT.match(word) if begins else None
        if assignment:
            assigned.add(assignment[1])
        elif not (begins and word == "env"):
            words.append(word)
            begins = bool(word) and set(word) <= _OPERATORS
    return CommandForm(tuple(words), frozenset(assigned))


def _is_same_word(one: str, other: str) -> bool:
    """Return whether two words are equal, or a path below a folder and the same path from that folder."""
    a, b = one.removeprefix("./"), other.removeprefix("./")
    return a == b or (a.startswith("/") and a.endswith(f"/{b}")) or (b.startswith("/") and b.endswith(f"/{a}"))


def _base(word: str) -> str:
    return word.rstrip("/").rpartition("/")[2] or word
