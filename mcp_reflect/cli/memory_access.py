"""What commands reach the memory by: the ledger itself, or a tool of the home's hub."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from mcp_reflect.cli.console import note, print_warnings
from mcp_reflect.cli.error_report import report_errors
from mcp_reflect.cli.settings import current_settings

if TYPE_CHECKING:
    from mcp_reflect.bootstrap.ledger import LedgerAccess


_CLIENT = "mcp-reflect command"


@contextmanager
def ledger_access() -> Iterator[LedgerAccess]:
    """Open the ledger of the settings in force, beside whoever owns the home."""
    from mcp_reflect.bootstrap.ledger import open_ledger_access  # noqa: PLC0415 - heavy

    with report_errors(), open_ledger_access(current_settings()) as access:
        yield access


def call_tool(tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the structured result of a tool, from the home's hub."""
    from mcp_reflect.wire.caller import Caller  # noqa: PLC0415 - as above

    with Caller(client=_CLIENT, starting=say_hub_starts) as caller:
        result: dict[str, Any] = caller.call(tool, arguments)
        print_warnings(caller.warnings)
        return result


def say_hub_starts(*_: object) -> None:
    """Tell a person at a terminal what they wait for."""
    note("starting the hub …")
