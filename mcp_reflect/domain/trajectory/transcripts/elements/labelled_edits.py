"""Edits that an action tells by labels: the editor and the file, and below `OLD:` and `NEW:` the two texts."""

from __future__ import annotations

from typing import NamedTuple

from mcp_reflect.domain import lazy_re as re

_HEAD = re.compile(r"[a-z][a-z_ ]{2,30}?[ :]{1,2}[`'\"]?(?P<path>[\w./~@+-]{1,300})[`'\"]?[ \t]{0,9}")
_TEXT = r"(?:[ _]?(?:str(?:ing)?|text|code|lines?))?:?[ \t]{0,9}"
_OLD = re.compile(rf"(?:OLD|SEARCH|FIND|BEFORE|Old|Search|Find|Before|old){_TEXT}")
_NEW = re.compile(rf"(?:NEW|REPLACE(?:MENT)?|AFTER|New|Replace(?:ment)?|After|new){_TEXT}")


class LabelledEdit(NamedTuple):
    """The file, the text that is replaced, and the one in its place."""

    path: str
    old: str
    new: str


def read_labelled_edit(action: str) -> LabelledEdit | None:
    """Return the edit that the lines of an action tell; None for any other action."""
    lines = action.strip().split("\n")
    head = _HEAD.fullmatch(lines[0])
    if head is None or len(lines) < 2 or not _OLD.fullmatch(lines[1]):  # noqa: PLR2004 - the head and a label
        return None
    middle = next((number for number, line in enumerate(lines[2:], 2) if _NEW.fullmatch(line)), None)
    if middle is None:
        return None
    return LabelledEdit(head["path"], "\n".join(lines[2:middle]), "\n".join(lines[middle + 1 :]))
