"""Puts the server together."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractContextManager, asynccontextmanager

from mcp.server import MCPServer

from mcp_reflect import __version__
from mcp_reflect.application.memory_service import MemoryService
from mcp_reflect.server import prompts, resources
from mcp_reflect.server.reflect_server import ReflectServer
from mcp_reflect.server.tools import TOOLS

INSTRUCTIONS = """\
A memory of what earlier runs in this project learned. It only works if you use it on every task, unasked. \
project_context tells at the start of a session what is known here:

1. BEFORE you start a task that takes more than one step (code, debugging, research, anything with tools): call \
query_memories with the task in the user's words, or augment_task for a ready-made prompt. Follow memories with a \
high q_value; treat failed ones (success=false) as warnings. No result is fine: go on.
2. AFTER the task: call submit_trace once, with the task, what you did (trajectory: messages, or a short honest log of \
the commands you ran, their errors and results), final_response, and the retrieval_id from step 1.
   - If the outcome is known (tests pass or fail, the user is satisfied or not), set review_result to "pass" or "fail" \
with the evidence in feedback. Never guess: leave it empty and call review_trace(trace_id, result) when you know.
   - Name the memories that helped in helpful_memory_ids and those that misled in harmful_memory_ids.
   - Write the lesson yourself: summary, key_mistake (what went wrong, empty if nothing), correct_action (tool and \
arguments that work), guidance (a rule for similar tasks, not a retelling), \
claims (facts worth knowing on other tasks too). It is what the next run will read.
3. WHEN AN ERROR occurs: find_error_fixes with its text; once solved: record_error_fix.
4. If a verdict turns out wrong, call review_trace again: it replaces the earlier one.

Each review moves the q_value of the memories the run was given, so honest verdicts make the next answer better. \
list_traces shows runs that wait for a review. Never put secrets in a trace; known kinds are redacted anyway.
"""
"""Clients cut instructions near 2,000 characters; what makes the loop run comes first."""


def build_server(
    open_memory: Callable[[], AbstractContextManager[MemoryService]] | None = None,
) -> MCPServer[MemoryService]:
    """A server whose every session works on the memory that `open_memory` opens for it.

    Without it, whoever drives the sessions gives each its memory as the state of its lifespan.
    """

    @asynccontextmanager
    async def lifespan(_: MCPServer[MemoryService]) -> AsyncIterator[MemoryService]:
        assert open_memory is not None
        with open_memory() as memory:
            yield memory

    server = ReflectServer(
        "mcp-reflect",
        title="Reflect: memory that learns from runs",
        instructions=INSTRUCTIONS,
        version=__version__,
        lifespan=lifespan,
        tools=list(TOOLS),
        middleware=[resources.with_connection, resources.with_worker_slot],
        log_level="WARNING",
    )
    resources.register_resources(server)
    prompts.register_prompts(server)
    return server
