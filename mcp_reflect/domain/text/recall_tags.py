"""The tags around what hooks add to a conversation. Few imports: a hook before a command waits for them."""

from __future__ import annotations

from mcp_reflect.domain.text.already_inert import HEADINGS, is_already_inert

__all__ = ["CLOSING", "HEADINGS", "OPENING", "TAG", "marked"]

TAG = "mcp-reflect-recall"
OPENING, CLOSING = f"<{TAG}>", f"</{TAG}>"


def marked(text: str) -> str:
    """Return recalled text as hooks add it to a conversation, so that it can be cut out again."""
    if not is_already_inert(text, HEADINGS):
        from mcp_reflect.domain.text.inert import inert_below_headings  # noqa: PLC0415 - its patterns are seldom needed

        text = inert_below_headings(text)
    return f"{OPENING}\n{text}\n{CLOSING}"
