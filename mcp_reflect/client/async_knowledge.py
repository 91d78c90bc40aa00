"""Methods of AsyncReflectClient about errors, insights and the project as a whole."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Unpack

from mcp_reflect.client.calls import knowledge_calls as calls
from mcp_reflect.client.calls.knowledge_calls import ErrorFields
from mcp_reflect.client.calls.knowledge_results import Insights, KnownFixes, ProjectContext, RecordedError, StatusChange
from mcp_reflect.client.connection import MemoryConnection
from mcp_reflect.client.in_thread import execute, run_in_thread
from mcp_reflect.client.knowledge import ManagedAction


class AsyncKnowledgeMethods:
    """KnowledgeMethods, awaited."""

    connection: MemoryConnection

    async def find_error_fixes(self, error: str, limit: int = 5) -> KnownFixes:
        """See ReflectClient.find_error_fixes."""
        return await execute(self.connection, partial(calls.find_errors_request, error, limit))

    async def record_error_fix(self, task: str, mistake: str, fix: str, **fields: Unpack[ErrorFields]) -> RecordedError:
        """See ReflectClient.record_error_fix."""
        return await execute(self.connection, partial(calls.record_error_request, task, mistake, fix, fields))

    async def reflect(self, focus: str = "", limit: int = 20, insights: Sequence[Mapping[str, Any]] = ()) -> Insights:
        """See ReflectClient.reflect."""
        return await execute(self.connection, partial(calls.insights_request, focus, limit, insights))

    async def project_context(self, limit: int = 5) -> ProjectContext:
        """See ReflectClient.project_context."""
        return await execute(self.connection, partial(calls.context_request, limit))

    async def guide(self) -> str:
        """See ReflectClient.guide."""
        return await execute(self.connection, calls.guide_request)

    async def manage_memory(self, memory_id: str, action: ManagedAction, reason: str = "") -> StatusChange:
        """See ReflectClient.manage_memory."""
        return await execute(self.connection, partial(calls.status_request, memory_id, action, reason))

    async def delete_traces(self, *trace_ids: str | Iterable[str]) -> None:
        """See ReflectClient.delete_traces."""
        await run_in_thread(partial(self.connection.delete, trace_ids))
