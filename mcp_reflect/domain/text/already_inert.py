"""A quick look for text that `inert` gives back unchanged. No imports: a hook before a command needs no more."""

from __future__ import annotations

_LEADING = " \t*#_`~"
_FRAMES = ("relevant", "successful", "failed", "other", "-", "past", "reflection")
"""How the lines begin that could be taken for a frame of ours."""


def is_visible_ascii(text: str) -> bool:
    """Return true for a text of printable ASCII, tabs and line feeds."""
    return text.isascii() and text.replace("\n", "").replace("\t", "").isprintable()


def is_already_inert(text: str) -> bool:
    """Return true only for text of visible ASCII, and "…", that holds nothing like a frame or a tag.

    Most text is; false says that it takes the patterns of `inert` to tell.
    """
    plain = text.replace("…", "")  # as truncated text has; neither a frame nor a tag holds one
    if "<" in plain or not is_visible_ascii(plain):
        return False
    return not any(line.lstrip(_LEADING).startswith(_FRAMES) for line in plain.lower().split("\n"))
