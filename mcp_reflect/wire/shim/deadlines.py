"""Deadlines of a client's calls: how long they wait for a hub before they are answered without it.

MCP tells no server how long its client waits. Programs that people work with wait for a minute or more. Libraries on
the Python SDK leave the SDK's own name in place, and some of them (openai-agents, google-adk) give a call up after 5
seconds. For a query that does no harm: they tell the model, which calls again. A run would be lost with the call.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

from mcp_reflect.wire.shim import repeatable

SDK_CLIENT_NAME = "mcp"
"""`clientInfo.name` of a client that leaves it to the Python SDK."""

RUN_S = 2.5
"""After this a run is put into the outbox."""

KEEPING_S = 1.0
"""What that takes, as it takes a process of its own, on a busy machine."""

LONG_S = 45.0
"""Most programs give a call up after 60 seconds."""

_ENVELOPE = "io.modelcontextprotocol/"


class Limits(NamedTuple):
    """Seconds that a call waits: in the queue while no hub takes it, and altogether once it was sent to one."""

    queued_s: float = math.inf
    sent_s: float = math.inf


NO_LIMITS = Limits()


def limits_of(message: Mapping[str, Any], initialize: Mapping[str, Any], within_s: float | None) -> Limits:
    """Return the limits of a request from a client. `initialize` is what it said of itself there; empty where nothing.

    `within_s` is `hub.answer_within_s`: with it every client is answered within that time.
    """
    if not repeatable.is_call(message):
        return NO_LIMITS
    if repeatable.submitted_run(message) is None:
        # What may have changed something is not to be called again while it may still be under way.
        repeatable_s = within_s if within_s and repeatable.is_repeatable(message) else math.inf
        return Limits(within_s or LONG_S, repeatable_s)
    if within_s is not None:
        soon = max(within_s - KEEPING_S, 0.0)
        return Limits(soon, soon)
    name, has_roots = _client(message, initialize)
    if name == SDK_CLIENT_NAME:
        return Limits(RUN_S, RUN_S)
    # The roots may name another project than the one that a run in the outbox is for, and only a hub can ask for them.
    return Limits(LONG_S if has_roots else RUN_S, LONG_S)


def _client(message: Mapping[str, Any], initialize: Mapping[str, Any]) -> tuple[str, bool]:
    """The client's name, and whether it has roots to tell."""
    meta = _object(_object(message.get("params")).get("_meta"))
    info = _object(meta.get(_ENVELOPE + "clientInfo") or initialize.get("clientInfo"))
    return str(info.get("name", "")), "roots" in _object(initialize.get("capabilities"))


def _object(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
