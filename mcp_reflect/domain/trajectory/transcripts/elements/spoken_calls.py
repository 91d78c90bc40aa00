"""Words of an agent that end with a call in a fence, behind which its result stands."""

from __future__ import annotations

from mcp_reflect.domain.trajectory.replaced_texts import replaced_texts
from mcp_reflect.domain.trajectory.tools import SHELLS
from mcp_reflect.domain.trajectory.transcripts.elements.call_notation import add_noted_call
from mcp_reflect.domain.trajectory.transcripts.elements.collected import CollectedMessages
from mcp_reflect.domain.trajectory.transcripts.elements.fences import FencedPart, split_fences
from mcp_reflect.domain.trajectory.transcripts.elements.named_calls import is_known_tool


def split_last_fence(text: str) -> tuple[str, FencedPart | None]:
    """Return what stands before the fence that a text ends with, and the fence; None where it ends with words."""
    parts = [part for part in split_fences(text) if part.text.strip()]
    if not parts or parts[-1].language is None:
        return text, None
    return "\n".join(part.text for part in parts[:-1]), parts[-1]


def add_fenced_call(found: CollectedMessages, call: FencedPart) -> bool:
    """Add the call that a fence holds: a command line, a program, or a noted call; return false where it is none."""
    language = call.language or ""
    if language in SHELLS or not language:
        found.run(call.text.strip().removeprefix("$ "))
    elif call.about and language == "patch" and (blocks := replaced_texts(call.text.split("\n"))):
        found.edit(call.about, *((each.old, each.new) for each in blocks))
    elif call.about and language in {"save", "append"}:
        given = {"content": call.text} if language == "save" else {"old_string": "", "new_string": call.text}
        found.call("write" if language == "save" else "edit", {"file_path": call.about, **given})
    elif language.startswith(("python", "ipython")):
        found.run_code(call.text)
    else:
        return add_noted_call(found, language if is_known_tool(language) else "", call.text)
    return True
