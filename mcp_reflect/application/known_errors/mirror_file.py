"""The file of a mirror: its stamp and its text, or why it is left alone."""

from __future__ import annotations

from pathlib import Path

from mcp_reflect.application.confined_file import Stamp, read_confined, stamp_confined
from mcp_reflect.domain.error_matching.reflexion_lines import has_merge_conflict


class LeftAloneError(Exception):
    """Says why the file is neither read nor written now."""


def stamp_of(file: Path) -> Stamp | None:
    """Return the stamp of the file, None where there is none. Raises LeftAloneError."""
    try:
        return stamp_confined(file)
    except OSError as error:
        raise LeftAloneError(f"{file} is left alone: {error.strerror}") from error


def content_of(file: Path) -> str:
    """Return the text of the file, empty where there is none. Raises LeftAloneError, also in the middle of a merge."""
    try:
        found = read_confined(file)
        text = "" if found is None else found.content.decode("utf-8-sig")
    except OSError as error:
        raise LeftAloneError(f"{file} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise LeftAloneError(f"{file} is no UTF-8 text and is left alone") from error
    if has_merge_conflict(text):
        raise LeftAloneError(f"{file} is in the middle of a merge and is left alone until that is finished")
    return text
