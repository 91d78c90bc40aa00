"""Chooses the text to add to a session: each memory once, nothing where nothing fits."""

from __future__ import annotations

from mcp_reflect.domain.limits import MAX_TASK
from mcp_reflect.wire import light_json
from mcp_reflect.wire.request_meta import PLANNED_CALL

TYPE_CHECKING = False  # as typing's, whose import would take longer than this module

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Protocol

    from mcp_reflect.hooks.event import HookEvent
    from mcp_reflect.hooks.options import HookOptions
    from mcp_reflect.hooks.session_state import SessionState

    class QueryTool(Protocol):
        """Calls a tool of the server and returns its structured result; `meta` is what no argument tells."""

        def __call__(self, tool: str, arguments: dict[str, Any], meta: Mapping[str, Any] | None = None) -> Any:
            """Raise what `Caller.call` raises."""
            ...


_MOST_ASKED = 30
_MOST_FIXES = 2
_MOST_INSIGHTS = 5
_LONGEST_ERROR = 20_000
_LONGEST_CALL = 200_000
"""Characters of a call with its arguments; a longer one, a large file, is not met a second time."""


def recall_text(event: HookEvent, session: SessionState, options: HookOptions, call: QueryTool) -> str:
    """Return the text to add to the conversation; empty for none. Notes in the session what it was shown."""
    tell = {"start": _start, "prompt": _prompt, "before": _before, "tool": _tool}.get(event.kind)
    text = tell(event, session, options, call) if tell is not None else ""
    if not text:
        return ""
    from mcp_reflect.domain.text.recall_tags import marked  # noqa: PLC0415 - most calls are told nothing

    return marked(text)


def _start(event: HookEvent, session: SessionState, options: HookOptions, call: QueryTool) -> str:
    del event
    if session.opened or not options.memories:
        return ""
    from mcp_reflect.hooks.rendering import render_opening  # noqa: PLC0415 - of no use before a command

    text, ids = render_opening(call("project_context", {"limit": _MOST_INSIGHTS}), options.tokens)
    session.add({"opened": ids})
    return text


def _prompt(event: HookEvent, session: SessionState, options: HookOptions, call: QueryTool) -> str:
    from mcp_reflect.domain.verdicts.wording import find_verdict  # noqa: PLC0415 - patterns that take a while to compile
    from mcp_reflect.hooks.rendering import render_lessons  # noqa: PLC0415 - of no use before a command

    task = event.prompt.strip()[:MAX_TASK]
    # Commands are the client's own business, and a verdict is about what was done before.
    if not task or task.startswith("/") or find_verdict(task) or not options.memories:
        return ""
    limit = min(options.memories + len(session.shown) + len(session.handed), _MOST_ASKED)
    asked = call("query_memories", {"task": task, "limit": limit})["memories"]
    # What the session itself did stands in its conversation, and is handed in while it goes on.
    found = [memory for memory in asked if not event.origin.items() <= memory["metadata"].items()]
    new = [memory for memory in found if memory["id"] not in session.shown]
    text, ids = render_lessons(new[: options.memories], options.tokens)
    again = [memory["id"] for memory in found if memory["id"] in session.shown][: options.memories]
    if ids or again:
        session.show(event.turn, ids, again)
    return text


def _before(event: HookEvent, session: SessionState, options: HookOptions, call: QueryTool) -> str:
    if not event.tool or not options.memories:
        return ""
    planned = {"tool": event.tool, "arguments": event.arguments, "folder": event.cwd}
    meta = {PLANNED_CALL: planned}
    if len(light_json.dumps(planned)) > _LONGEST_CALL:
        return ""
    known = call("find_error_fixes", {"error": f"before {event.tool}", "limit": _MOST_FIXES + 3}, meta)["fixes"]
    new = [each for each in known if each["memory_id"] not in session.shown]
    if not new:
        return ""
    from mcp_reflect.hooks.rendering import render_warning  # noqa: PLC0415 - most commands need no warning

    text, ids = render_warning(new[:_MOST_FIXES], options.tokens // 2)
    if ids:
        session.show(event.turn, ids, [])
    return text


def _tool(event: HookEvent, session: SessionState, options: HookOptions, call: QueryTool) -> str:
    if not event.error.strip() or not options.memories:
        return ""
    # The last lines say what is wrong; of the rest the first ones, where a compiler begins.
    error = event.error
    if len(error) > _LONGEST_ERROR:
        error = error[: _LONGEST_ERROR // 4] + "\n" + error[-_LONGEST_ERROR * 3 // 4 :]
    known = call("find_error_fixes", {"error": error, "limit": _MOST_FIXES + 3})["fixes"]
    fit = [
        each
        for each in known
        if each["relation"] == "same" and (each["fix"] or each["rule"]) and each["memory_id"] not in session.shown
    ]
    if not fit:
        return ""
    from mcp_reflect.hooks.rendering import render_fixes  # noqa: PLC0415 - most errors are new

    text, ids = render_fixes(fit[:_MOST_FIXES], options.tokens // 2)
    if ids:
        session.show(event.turn, ids, [])
    return text
