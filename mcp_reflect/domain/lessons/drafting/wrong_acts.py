"""Acts of a failed run that were wrong or incomplete: those that its reviewer names, else the edits it ended with."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.lessons.failures.wording import NEW_FILE, describe_edit, describe_step, is_telling
from mcp_reflect.domain.lessons.run.call_text import describe_call_form, describe_case_call
from mcp_reflect.domain.lessons.run.case_data import serves_one_case
from mcp_reflect.domain.lessons.run.commands.effects import prepares, searches_output
from mcp_reflect.domain.lessons.run.net_changes import NetChanges
from mcp_reflect.domain.lessons.run.step import Step
from mcp_reflect.domain.lessons.run.undone_files import files_changed_by
from mcp_reflect.domain.lessons.sentences.vocabulary import names_something, stem, term_weights

MOST_EDITS = 2
_UNOPPOSED = "Not objected to: "
DID = "The run did: "
_ACTS = 2
"""Before acts that nobody called wrong, behind a reviewer's words that name none; and how many."""
_WORD = re.compile(r"[A-Za-z]{3,}|\d{2,}")
_OF_LANGUAGES_TEXT = """
    class const def else error false for from function if import let new not null return self static string this true
    var
"""
_OF_LANGUAGES = frozenset(_OF_LANGUAGES_TEXT.split())
"""Words of code that a reviewer may use of anything."""
_FILE_NAME = re.compile(r"(?<![\w./@-])[\w@-][\w./@-]*\.[A-Za-z]\w{0,11}\b")


def edits_told(steps: Sequence[Step]) -> list[Step]:
    """Return the last edits of a failed run, as they ended: they are what was wrong or incomplete, not its checks."""
    edits = NetChanges(steps).of([step for step in steps if step.kind == "edit" and not step.failed])
    told = [_told_edit(step, steps) for step in edits if step.change]
    changes = [step for step in told if any(old for old, _ in step.change)]
    return (changes or told)[-MOST_EDITS:]  # of what was there before a run knew less than of its own files


def _told_edit(edit: Step, steps: Sequence[Step]) -> Step:
    """An edit, or the last of that file that tells anything, where the run wrote all of it."""
    if not describe_edit(edit).startswith(NEW_FILE):
        return edit
    later = [step for step in steps if step.kind == "edit" and not step.failed and step.subject == edit.subject]
    return next((step for step in reversed(later) if not describe_edit(step).startswith(NEW_FILE)), edit)


def acts_named_in(feedback: str, steps: Sequence[Step]) -> list[Step]:
    """The edits of files that the reviewer names; without any the last command that changes one of them."""
    named = set(map(_last_name, _FILE_NAME.findall(feedback)))
    if not named:
        return []
    edits = NetChanges(steps).of([step for step in steps if step.kind == "edit" and not step.failed])
    told = [step for step in edits if step.change and _last_name(step.subject) in named]
    ran = (step for step in reversed(steps) if step.kind == "command")
    changing = (step for step in ran if not named.isdisjoint(map(_last_name, files_changed_by(step.subject))))
    return told[-MOST_EDITS:] or list(islice(changing, 1))


def edits_behind(feedback: str, steps: Sequence[Step]) -> list[Step]:
    """The last edits of a failed run that share a word with what the reviewer said.

    Of several, nobody said that those were wrong which the reviewer has no word about. Where there is none, they are
    all, unless the reviewer names something else.
    """
    edits = edits_told(steps)
    named = [step for step in edits if _shares_word(feedback, step)]
    return named or (edits[: len(edits) == 1] if names_something(feedback) else edits)


def describe_unopposed(feedback: str, steps: Sequence[Step], mistake: str) -> str:
    """Return the last edits of a failed run that its reviewer has no word about, as a line; empty without any.

    Nobody said that they were right, but they are not what it failed by.
    """
    every = edits_told(steps)
    edits = [step for step in every if not _shares_word(feedback, step)]
    if len(edits) == len(every):
        return ""
    told = [edit for edit in map(describe_edit, edits) if edit not in mistake and not edit.startswith(NEW_FILE)]
    return f"{_UNOPPOSED}{'; '.join(told)}" if told else ""


def describe_last_acts(steps: Sequence[Step]) -> str:
    """Return the last acts of a failed run as a line, for a reviewer's words that name none; empty without any."""
    acting = [step for step in steps if step.failed is not True and is_telling(step) and not only_searches(step)]
    describe = describe_case_call if serves_one_case(steps) else describe_act
    acts = [*edits_told(steps), *(step for step in acting if step.kind != "edit")]
    told = [act for act in dict.fromkeys(map(describe, acts)) if not act.startswith(NEW_FILE)]
    return f"{DID}{'; '.join(told[-_ACTS:])}" if told else ""


def only_searches(step: Step) -> bool:
    """Return true for a command that only searches the output of another one."""
    return step.kind == "command" and searches_output(step.subject) and not prepares(step.subject)


def _shares_word(feedback: str, edit: Step) -> bool:
    return not _words_of(" ".join(term_weights(feedback))).isdisjoint(_words_of(_text_of(edit)))


def _text_of(edit: Step) -> str:
    """The name of an edit's file, and the words of what it took out and put in."""
    changed = (_code_words(old) | _code_words(new) for old, new in edit.change)
    return " ".join((_last_name(edit.subject).partition(".")[0], *set[str]().union(*changed) - _OF_LANGUAGES))


def _code_words(text: str) -> set[str]:
    return {word.lower() for word in _WORD.findall(text)}


def _words_of(text: str) -> set[str]:
    return set(map(stem, _WORD.findall(text.lower())))


def _last_name(path: str) -> str:
    return path.rpartition("/")[2]


def describe_rejected(step: Step) -> str:
    """Return a call of a run that worked on a case, which was wrong: without the values of that case."""
    return describe_call_form(step) if step.kind == "call" else describe_act(step)


def describe_act(step: Step) -> str:
    return describe_edit(step) if step.kind == "edit" else describe_step(step)
