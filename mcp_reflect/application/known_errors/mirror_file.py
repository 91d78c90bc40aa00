"""The file of a mirror: its stamp and its text, or why it is left alone."""

from __future__ import annotations

from pathlib import Path

from mcp_reflect.application.confined_file import Stamp, read_confined, stamp_confined
from mcp_reflect.domain.error_matching.reflexion_lines import ErrorLine, has_merge_conflict, read_lines

LOOKED_AT = 256_000
"""Bytes of a file that nobody has consented to which are read to say what waits in it; about 300 errors."""


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
    return _read(file, None)[0]


def beginning_of(file: Path) -> tuple[str, bool]:
    """Return the first lines of the file, LOOKED_AT bytes at most, and whether there are more. Raises as `content_of`.

    What a repository brought may be large, and nobody has asked for it.
    """
    return _read(file, LOOKED_AT)


def errors_at_beginning(file: Path) -> list[ErrorLine]:
    """Return the errors in the first lines of the file; none where it is left alone."""
    try:
        return waiting_errors_in(beginning_of(file)[0])
    except LeftAloneError:
        return []


def waiting_errors_in(text: str) -> list[ErrorLine]:
    """Return those lines of a file that hold an error."""
    return [line for _, line in read_lines(text) if isinstance(line, ErrorLine)]


def _read(file: Path, at_most: int | None) -> tuple[str, bool]:
    try:
        found = read_confined(file, at_most=at_most)
        content = b"" if found is None else found.content
        is_cut = found is not None and len(content) < found.stamp.size
        if is_cut:
            content = content[: content.rfind(b"\n") + 1]
        text = content.decode("utf-8-sig")
    except OSError as error:
        raise LeftAloneError(f"{file} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise LeftAloneError(f"{file} is no UTF-8 text and is left alone") from error
    if has_merge_conflict(text):
        raise LeftAloneError(f"{file} is in the middle of a merge and is left alone until that is finished")
    return text, is_cut
