"""A quick look for text that `inert` gives back unchanged. No imports: a hook before a command needs no more."""

from __future__ import annotations

_LEADING = " \t*#_`~"
HEADINGS = (
    "Decisions in force:",
    "What matters most from earlier runs here:",
    "Errors met here, with their fixes:",
    "What runs here have in common:",
    "Lessons from earlier runs here, best first. Check that they fit before you follow them.",
    "This error was met here before.",
    "This call failed here before; check whether that still holds.",
)
"""The headings below which hooks tell what is remembered; a memory that has one as a line is shown with it quoted."""
_FRAMES = (
    *("relevant", "successful", "failed", "other", "-", "=", "past", "reflection"),
    *("decisions", "errors", "lessons", "this", "what"),
)
"""How the lines begin that could be taken for a section or a heading of ours."""
_BRACKETS = ("<", "INST", "&")
"""What a tag, or a marker of a chat, has in it."""


def is_visible_ascii(text: str) -> bool:
    """Return true for a text of printable ASCII, tabs and line feeds."""
    return text.isascii() and text.replace("\n", "").replace("\t", "").isprintable()


def is_already_inert(text: str, own: tuple[str, ...] = ()) -> bool:
    """Return true only for text of visible ASCII, and "…", that holds nothing like a frame or a tag.

    Most text is; false says that it takes the patterns of `inert` to tell. Lines that are one of `own` are ours.
    """
    plain = text.replace("…", "")  # as truncated text has; neither a frame nor a tag holds one
    if any(sign in plain for sign in _BRACKETS) or not is_visible_ascii(plain):
        return False
    lines = (line for line in plain.split("\n") if line not in own)
    return not any(line.lower().lstrip(_LEADING).startswith(_FRAMES) for line in lines)
