"""Methods of ReflectClient about errors, insights and the project as a whole."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, Unpack

from mcp_reflect.client.calls import knowledge_calls as calls
from mcp_reflect.client.calls.knowledge_calls import ErrorFields
from mcp_reflect.client.calls.knowledge_results import Insights, KnownFixes, ProjectContext, RecordedError, StatusChange
from mcp_reflect.client.connection import MemoryConnection

ManagedAction = Literal["adopt", "deprecate", "archive", "restore"]


class KnowledgeMethods:
    """The methods of ReflectClient about a project beside its runs."""

    connection: MemoryConnection

    def find_error_fixes(self, error: str, limit: int = 5) -> KnownFixes:
        """Return recorded errors like a message, log or stack trace, best first, at most `limit` (1 to 100)."""
        return self.connection.execute(calls.find_errors_request(error, limit))

    def record_error_fix(self, task: str, mistake: str, fix: str, **fields: Unpack[ErrorFields]) -> RecordedError:
        """Record an error and its fix; an empty `fix` means that it is not solved yet. See ErrorFields.

        The same error again counts as a recurrence.
        """
        return self.connection.execute(calls.record_error_request(task, mistake, fix, fields))

    def reflect(self, focus: str = "", limit: int = 20, insights: Sequence[Mapping[str, Any]] = ()) -> Insights:
        """Draw insights from the newest `limit` (1 to 100) runs, or store `insights` that were drawn elsewhere.

        Each of these is `{"text": ..., "importance": 0 to 1, "evidence": [trace ids]}`.
        """
        return self.connection.execute(calls.insights_request(focus, limit, insights))

    def project_context(self, limit: int = 5) -> ProjectContext:
        """Return what to know at the start of a session, at most `limit` (1 to 100) of each kind."""
        return self.connection.execute(calls.context_request(limit))

    def guide(self) -> str:
        """Return the project guide as Markdown, with the runs that bear out each line; empty without a memory."""
        return self.connection.execute(calls.guide_request())

    def manage_memory(self, memory_id: str, action: ManagedAction, reason: str = "") -> StatusChange:
        """Change a memory's status: `adopt`, `deprecate`, `archive`, or `restore` the one before."""
        return self.connection.execute(calls.status_request(memory_id, action, reason))

    def delete_traces(self, *trace_ids: str | Iterable[str]) -> None:
        """Delete runs with all that came from them, for good; q_values are replayed without them.

        Takes ids, and lists of ids. Nothing is deleted where one of them is no id of a run at all.
        Raises UsageError for an unknown id and MemoryUnavailable where the home cannot be reached, also of a client
        that is not strict: a deletion that did not happen must not pass for one.
        """
        self.connection.delete(trace_ids)
