"""Recognises the tools of this server under the names that clients give them."""

from __future__ import annotations

RECALLING = frozenset(
    {
        *("query_memories", "augment_task", "find_error_fixes", "project_context", "get_trace"),
        *("list_traces", "reflect", "memory_stats"),
    }
)
"""Tools whose results hold memories."""

WRITING = frozenset({"submit_trace", "review_trace", "record_error_fix", "manage_memory"})

_ALL = RECALLING | WRITING


def own_tool(name: str) -> str:
    """Return the tool of ours that a client calls by this name; empty for any other.

    Claude Code writes `mcp__reflect__submit_trace`, with a plugin's name before the server's where there is one, Gemini
    CLI `mcp_reflect_submit_trace`, and Codex puts `mcp__reflect` into a field of its own, which stands before the name
    here. The server is known by "reflect" in its name.
    """
    server, _, tool = name.rpartition("__")
    if server:
        return tool if tool in _ALL and "reflect" in server else ""
    if not name.startswith("mcp_"):
        return ""
    return next((each for each in _ALL if name.endswith(f"_{each}") and "reflect" in name[: -len(each) - 1]), "")


def returns_memories(name: str) -> bool:
    """Return whether a tool of a client is one of ours that returns memories."""
    return own_tool(name) in RECALLING
