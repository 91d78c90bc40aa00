"""Calls that the user rejected or stopped: what they said, or what their client says of it, stands for a result."""

from __future__ import annotations

from mcp_reflect.domain import lazy_re as re

_REJECTED = re.compile(
    r"\s{0,9}(?P<told>The user doesn['’]t want to proceed with this tool use\."
    r"(?: The tool use was rejected(?: \([^()\n]{0,200}\))?\.)?)\s{0,9}"
    r"(?:To tell you how to proceed, the user said:|The user provided the following reason for the rejection:)"
    r"\s{0,9}(?P<words>\S.*)",
    re.DOTALL,
)
_NOTE = re.compile(r"(?:\A|\n\n)Note: The user's next message may contain")
"""What the client adds behind the words, for its own agent."""
_ASKS_BACK = "The user wants to clarify these questions"
"""Words of the client where the user left questions unanswered."""
_PRINTS_NOTHING = frozenset({"Edit", "ExitPlanMode", "MultiEdit", "NotebookEdit", "Write"})
"""Tools of Claude Code whose failures hold no text of others."""
_STOPPED = re.compile(
    r"\s{0,9}(?:\[Request interrupted by user(?: for tool use)?\]|interrupted by user"
    r"|interrupted · what should \w{1,20} do instead\?|(?:command )?aborted by user(?: after [\d.]{1,9}s)?)\s{0,9}",
    re.IGNORECASE,
)


def was_stopped(result: str) -> bool:
    """Return true for a result that is nothing but what a client says of a call that its user stopped."""
    return _STOPPED.fullmatch(result) is not None


def split_rejection(result: str) -> tuple[str, str]:
    """Return what a client says of a call that the user rejected, and what they said; the latter is empty without any.

    Whether the text is the client's is for the caller to tell: a command may print the same.
    """
    found = _REJECTED.match(result)
    words = _NOTE.split(found["words"], 1)[0].strip() if found else ""
    is_said = found is not None and words and not words.startswith(_ASKS_BACK)
    return (found["told"], words) if is_said and found else (result, "")


def words_of_rejection(tool: str, result: str) -> str:
    """Return what the user said when they rejected a call; empty where its tool may have printed that itself."""
    return split_rejection(result)[1] if tool in _PRINTS_NOTHING else ""
