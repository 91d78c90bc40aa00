"""Triggers of errors: commands and edits that led to one, in a form by which the same call is known again.

A trigger is a text, `run <command>` or `edit <digest> <path>`. Two commands are the same where their words are, however
they are written (`command_form.py`), and a path counts from the folder that both know. An edit is the same where it
writes the same text into the same file.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable
from pathlib import PurePosixPath

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.lessons.failures.command_form import CHANGED_FOLDER, CommandForm, command_form, is_optional
from mcp_reflect.domain.lessons.run.commands.lines import folder_of, normalised
from mcp_reflect.domain.lessons.run.step import Step

MOST_TRIGGERS = 20
"""Most triggers of one error."""
_MOST_CHARS = 4_000
"""Characters of a command; a longer one, a script perhaps, is not met a second time."""

_RUN, _EDIT = "run ", "edit "
_ON_FILE = re.compile(r"\s+(?!-)((?:[\w.@-]*/)*[\w@-][\w.@-]*\.\w{1,5})$")
_EXPORTED = re.compile(r"\bexport\s+([A-Za-z_]\w*)=", re.ASCII)


def trigger_of(step: Step) -> str:
    """Return the trigger that a step is; empty for other tools, and for what is too long or says nothing."""
    if step.kind == "command":
        command = command_text(step.subject)
        return _RUN + command if command and len(command) <= _MOST_CHARS else ""
    written = "\0".join(new for _, new in step.change)
    if step.kind != "edit" or not step.subject or not written.strip():
        return ""
    return f"{_EDIT}{hashlib.sha256(written.encode('utf-8', 'replace')).hexdigest()[:16]} {step.subject}"


def trigger_of_command(command: str) -> str:
    """Return the trigger that a command is."""
    return _RUN + command_text(command)


def command_of_trigger(trigger: str) -> str:
    """Return the command that a trigger is; empty for an edit."""
    return trigger.removeprefix(_RUN) if trigger.startswith(_RUN) else ""


def trigger_key(trigger: str) -> str:
    """Return a key that triggers of the same call share; few others do, which `is_same_trigger` tells apart."""
    if trigger.startswith(_EDIT):
        head = len(_EDIT) + 16
        return f"{trigger[:head]} {_base(trigger[head + 1 :])}"
    program, *operands = map(_base, form_of_trigger(trigger).operands or ("",))
    return _RUN + "\0".join((program, *sorted(operands)))


def is_same_trigger(one: str, other: str) -> bool:
    """Return whether two triggers are of the same call."""
    if one.startswith(_EDIT) or other.startswith(_EDIT):
        head = len(_EDIT) + 16
        return one[:head] == other[:head] and _is_same_word(one[head + 1 :], other[head + 1 :])
    a, b = form_of_trigger(one).words, form_of_trigger(other).words
    return len(a) == len(b) and all(map(_is_same_word, a, b))


def wider_triggers(trigger: str) -> list[str]:
    """Return the triggers of a command on a file as it is on the file's folders, and with none named; else none."""
    found = _ON_FILE.search(trigger) if trigger.startswith(_RUN) else None
    if found is None:
        return []
    folders = [each for each in map(str, PurePosixPath(found[1]).parents) if each not in {".", "/"}]
    before = trigger[: found.start()]
    return [*(f"{before} {folder}" for folder in folders), before]


def is_about_the_same(failed: Iterable[str], worked: str) -> bool:
    """Return whether a command has the words of one that failed, and nothing further but options and their values."""
    form = form_of_trigger(worked)
    words = Counter(form.words)
    for known in map(form_of_trigger, failed):
        further = words - Counter(known.words)
        behind = dict(zip(form.written[1:], form.written, strict=False))
        if not Counter(known.words) - words and all(is_optional(w) or is_optional(behind.get(w, "")) for w in further):
            return True
    return False


def is_same_mistake(failed: str, trigger: str, error: str, worked: Iterable[str]) -> bool:
    """Return whether a command is one that failed, with further options, and holds the word for which that failed.

    Such a word is named by the error and gone from the commands that worked instead (`make tests`: no rule to make
    target 'tests'; `make check`). Behind a further option it may be the option's value, and mean something else.
    """
    if failed.startswith(_EDIT) or trigger.startswith(_EDIT):
        return False
    a, b = form_of_trigger(failed), form_of_trigger(trigger)
    further = Counter(b.words) - Counter(a.words)
    if Counter(a.words) - Counter(b.words) or not further or not all(map(is_optional, further)):
        return False
    kept = {word for command in worked for word in command_form(command_text(command)).words}
    wrong = {word for word in a.words[1:] if word not in kept and _is_named(word, error)}
    before = zip(("", *b.written), b.written, strict=False)
    return any(word in wrong and previous not in further for previous, word in before)


def _is_named(word: str, error: str) -> bool:
    return len(word) > 1 and re.search(rf"(?<![\w./-]){re.escape(word)}(?![\w/-])", error) is not None


def form_of_trigger(trigger: str) -> CommandForm:
    """Return the form of the command that a trigger is."""
    return command_form(trigger.removeprefix(_RUN))


def command_text(command: str) -> str:
    """Return a command on one line, with marks for what it exports and the folder below that it changes to before."""
    before = "".join(f"{name}= " for name in dict.fromkeys(_EXPORTED.findall(command)))
    folder = folder_of(command.strip())
    if folder and not folder.startswith(("/", "~", "$", '"', "'")) and folder != ".":
        before += f"{CHANGED_FOLDER}={folder} "
    text = normalised(command)
    return before + text if text else ""


def _is_same_word(one: str, other: str) -> bool:
    """Return whether two words are equal, or a path below a folder and the same path from that folder."""
    a, b = one.removeprefix("./"), other.removeprefix("./")
    return a == b or (a.startswith("/") and a.endswith(f"/{b}")) or (b.startswith("/") and b.endswith(f"/{a}"))


def _base(word: str) -> str:
    return word.rstrip("/").rpartition("/")[2] or word
