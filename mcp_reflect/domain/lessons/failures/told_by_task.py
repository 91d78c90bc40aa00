"""Edits that the task tells already: a name that it asks to change, a slip that it asks to correct."""

from __future__ import annotations

import difflib

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.lessons.run.step import Step

_WORD = re.compile(r"[\w-]+")
_ASKS = re.compile(r"\b(?:renam\w+|typos?|misspell\w*|spelling|correct the|replace)\b", re.IGNORECASE)
_MOST_CHARS = 4_000
_MOST_WORDS = 4
_ALIKE = 0.8
"""Likeness of two words (`difflib`) from which one is a slip of the other."""
_LEAST_LETTERS = 4


def is_told_by_task(edit: Step, task: str) -> bool:
    """Return true for an edit that only puts a word in the place of another one, both of which stand in the task.

    One of them may stand there with a slip.
    """
    known = {word for word in _WORD.findall(task[:_MOST_CHARS].lower()) if not word[0].isdigit()}
    return bool(edit.change and _ASKS.search(task)) and all(
        _is_renaming(_words(old), _words(new), known) for old, new in edit.change
    )


def _is_renaming(old: set[str], new: set[str], known: set[str]) -> bool:
    taken_out, put_in = old - new, new - old
    if not taken_out or not put_in or len(taken_out | put_in) > _MOST_WORDS:
        return False
    return all(word in known or _is_slip_of_any(word, known) for word in taken_out | put_in)


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.lower()))


def _is_slip_of_any(word: str, known: set[str]) -> bool:
    if len(word) < _LEAST_LETTERS or any(map(str.isdigit, word)):
        return False
    return bool(difflib.get_close_matches(word, known, 1, _ALIKE))
