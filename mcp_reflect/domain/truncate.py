"""Shortens a text to a number of characters or bytes, with a mark for what was left out. Standard library only."""

from __future__ import annotations

CUT = "…"
"""What stands for the end that was left out."""


def truncate(text: str, limit: int) -> str:
    """Cut a text to at most `limit` characters, the last of which stands for the end that was left out."""
    if len(text) <= limit:
        return text
    return text[: limit - 1].rstrip() + CUT if limit > 0 else ""


def truncate_line(text: str, limit: int) -> str:
    """Put a text into one line of at most `limit` characters."""
    # Words are counted in a piece only: a text may be megabytes long.
    return truncate(" ".join(text[: 4 * limit].split()), limit)


def in_one_line(text: str) -> str:
    """Put the lines of a text into one. The blanks within them stay, as in a command they stand for themselves."""
    return " ".join(filter(None, map(str.strip, text.splitlines())))


def truncate_bytes(text: str, limit: int) -> str:
    """Cut a text to at most `limit` bytes of UTF-8, three or more, the last of which stand for the end left out."""
    encoded = text.encode("utf-8", "replace")
    if len(encoded) <= limit:
        return text
    return encoded[: limit - len(CUT.encode())].decode("utf-8", "ignore") + CUT


def truncate_middle(text: str, limit: int, *, head: float = 0.5, hint: str = "") -> str:
    """Cut a text to at most `limit` characters by leaving out its middle, and say how many characters that were.

    `head`, in [0, 1], is the share of the kept characters that stands before the gap. `hint` follows the number; it may
    say where the whole text is. Where there is no room for the note, the text is cut at its end.
    """
    if len(text) <= limit:
        return text
    room = limit - len(_note(len(text), hint))
    if room <= 0:
        return text[: max(limit, 0)]
    tail = room - round(room * head)
    return text[: room - tail] + _note(len(text) - room, hint) + text[len(text) - tail :]


def _note(left_out: int, hint: str) -> str:
    return f"\n[{CUT} {left_out:,} characters left out{hint} {CUT}]\n"
