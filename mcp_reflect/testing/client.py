"""A client of the Python API whose server runs in this process."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp.client import Client

from mcp_reflect.bootstrap.memory import build_memory
from mcp_reflect.bootstrap.parts import build_bundled_embedder
from mcp_reflect.bootstrap.store import Store, open_store
from mcp_reflect.client.connection import MemoryConnection
from mcp_reflect.client.sync_client import ReflectClient
from mcp_reflect.config.load import load_settings
from mcp_reflect.hub.maintenance import run_maintenance
from mcp_reflect.server.app import build_server
from mcp_reflect.wire import request_meta
from mcp_reflect.wire.remote_error import read_result

if TYPE_CHECKING:
    from mcp_reflect.application.memory_service import MemoryService

_META: Any = {request_meta.WAIT: False, request_meta.DETAILED: True}


@contextmanager
def memory_for_tests(project: str = "test", *, user: str = "tester") -> Iterator[ReflectClient]:
    """Open a client on an empty memory that ends, and leaves nothing behind, with the context.

    Neither the environment's settings nor `config.toml` count, so no test depends on the machine it runs on. The client
    is strict: what the memory cannot do fails the test. The first one of a process loads the embedding model, about
    half a second of CPU time; the others open in a tenth of that. Nothing follows the ledger into the vector index,
    whose import would take as long: ranking does without.
    """
    with tempfile.TemporaryDirectory(prefix="mcp-reflect-test-") as folder:
        own = {"MCP_REFLECT_HOME": folder, "MCP_REFLECT_PROJECT": project, "MCP_REFLECT_USER": user}
        environ = {name: value for name, value in os.environ.items() if not name.startswith("MCP_REFLECT_")} | own
        environ.pop("OPENAI_API_KEY", None)
        settings = load_settings(environ, Path(folder))
        with ExitStack() as open_parts:
            store = open_parts.enter_context(open_store(settings, "a test", _bundled_embedder()))
            memory = open_parts.enter_context(build_memory(settings, store))
            caller = open_parts.enter_context(_serve(store, memory))
            with _InProcessClient(MemoryConnection(environ, folder, caller, 60.0, strict=True)) as client:
                yield client


class _InProcessClient(ReflectClient):
    """A client whose connection leads to a server in this process."""

    def __init__(self, connection: MemoryConnection) -> None:
        self.connection = connection


_bundled_embedder = cache(build_bundled_embedder)
"""One for all tests of a process, which loads its model once."""


@contextmanager
def _serve(store: Store, memory: MemoryService) -> Iterator[InProcessCaller]:
    @contextmanager
    def opened() -> Iterator[MemoryService]:
        yield memory

    with start_blocking_portal() as portal:
        server = portal.wrap_async_context_manager(Client(build_server(opened)))
        client = server.__enter__()
        try:
            yield InProcessCaller(portal, client, store, memory.profile.project)
        finally:
            server.__exit__(None, None, None)  # an error of the test is not the server's, which would wrap it


class InProcessCaller:
    """Calls the tools of a server in this process as `wire.caller.Caller` calls those of a hub."""

    def __init__(self, portal: BlockingPortal, client: Client, store: Store, project: str) -> None:
        self._portal = portal
        self._client = client
        self._store = store
        self._project = project

    def call(self, tool: str, arguments: Mapping[str, Any], timeout: float = 60.0, **_: Any) -> Any:
        """Return the structured result of a tool. Raises RemoteError where the server refuses the call."""
        asked = partial(self._client.call_tool, tool, dict(arguments), timeout, meta=_META)
        result = self._portal.call(asked)
        answer = result.model_dump(mode="json", by_alias=True, exclude_none=True)
        return read_result({"result": answer}).get("structuredContent")

    def read_resource(self, uri: str, timeout: float = 60.0, start_s: float = 0.0) -> str:  # noqa: ARG002 - as Caller
        """Return the text of a resource."""
        result = self._portal.call(self._client.read_resource, uri)
        return "".join(getattr(part, "text", "") for part in result.contents)

    def forget(self, trace_id: str) -> None:
        """Delete a run for good. Raises UsageError for an unknown id."""
        run_maintenance("forget", self._store, self._project, lambda _event: None, trace_id)

    def close(self) -> None:
        """Leave the server as it is: it ends with the context that opened it."""
