"""Prompts that a person starts by hand: one at each end of the loop."""

from __future__ import annotations

from anyio import to_thread
from mcp.server import MCPServer

from mcp_reflect.application.memory_service import MemoryService
from mcp_reflect.application.requests import AugmentQuery, Verdict, make_request
from mcp_reflect.server.connection_defaults import augment_defaults
from mcp_reflect.server.refusals import as_protocol_errors
from mcp_reflect.server.tools.tool import AppContext

_START = """\
{augmented}

When the task is done, call submit_trace with the task, what you did, your final response and \
retrieval_id="{retrieval_id}"; set review_result if the outcome is known, and name the memories above that helped or \
misled ({ids}).
"""

_FINISH = """\
The task is finished; hand it in so that the next run learns from it.

Call submit_trace with: task (in the user's words), trajectory (what was done: commands, their errors and results, or \
the messages as a JSON array), final_response, and the retrieval_id of the memories you were given.
{verdict}
Write the lesson for a run that knows nothing of this conversation: summary, key_mistake (empty if there was none), \
correct_action (tool and arguments that work), guidance (a rule for similar tasks), applicable_tools. Name the \
memories that helped in helpful_memory_ids and those that misled in harmful_memory_ids.
"""

_UNKNOWN = (
    "Set review_result only if there is evidence (tests, the user's verdict) and quote it in feedback; "
    "otherwise leave it empty and call review_trace when it is known."
)


def register_prompts(server: MCPServer[MemoryService]) -> None:
    """Add the prompts to a server."""

    @server.prompt(title="Start a task with what earlier runs learned")
    async def start_task(task: str, ctx: AppContext) -> str:
        """The task with the memories that may help, and how to hand it in afterwards."""
        memory = ctx.request_context.lifespan_context
        with as_protocol_errors():
            query = make_request(AugmentQuery, task=task, **augment_defaults(memory.profile))
            augmented, retrieved = await to_thread.run_sync(memory.augment, query)
        ids = ", ".join(match.memory.id for match in retrieved.matches) or "none this time"
        return _START.format(augmented=augmented, retrieval_id=retrieved.retrieval_id, ids=ids)

    @server.prompt(title="Hand in the finished task")
    def finish_task(result: str = "", feedback: str = "") -> str:
        """How to submit this conversation's run; result is pass, fail or empty."""
        with as_protocol_errors():
            verdict = make_request(Verdict, result=result, feedback=feedback)
        given = f'Set review_result to "{verdict.result}".' if verdict.result else _UNKNOWN
        if feedback:
            given += f" Feedback of the user, to be passed on word for word: {feedback}"
        return _FINISH.format(verdict=given)
