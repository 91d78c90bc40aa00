"""What the user typed, as a transcript or a prompt holds it. Few imports: every prompt waits for them."""

from __future__ import annotations

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.surrogates import replace_surrogates
from mcp_reflect.domain.text.recalled import strip_recalled

_NOISE = re.compile(
    r"<(system-reminder|local-command-[a-z]+|bash-(?:input|stdout|stderr)|user-prompt-submit-hook|task-notification"
    r"|environment_context|user_instructions|ide_[a-z_]+|command-message|hook_context|hook_prompt"
    r"|session_context)(?: [^>]*)?>.*?(?:</\1>|\Z)",
    re.DOTALL,
)


def user_text(text: str) -> str:
    """Return the text that the user typed, without the blocks that clients put around it."""
    text = clean_string(text)
    return (_NOISE.sub("", text) if "<" in text else text).strip()


def clean_string(text: str) -> str:
    """Return text as submit_trace takes it: no NUL, no lone surrogates, nothing that was recalled into it."""
    return strip_recalled(replace_surrogates(text.replace("\0", "")))
