"""Answers a command of a person that reads records; the ledger is open here, and importing it takes a second there."""

from __future__ import annotations

from typing import Any

from mcp_reflect.bootstrap.ledger import ledger_access_of
from mcp_reflect.bootstrap.store import Store
from mcp_reflect.config.load import Settings
from mcp_reflect.errors import MemoryUnavailable, ReflectError, UsageError, error_data
from mcp_reflect.hub.handshake import client_settings
from mcp_reflect.hub.status import find_setting_conflicts


def reader_settings(hello: dict[str, Any], home: Settings) -> Settings:
    """Return the settings of who reads. Raises ReflectError for wrong ones, and where they name another store."""
    settings = client_settings(hello, home.home)
    if conflicts := find_setting_conflicts(home, settings):
        raise MemoryUnavailable(conflicts[0])
    return settings


def answer_read(store: Store, settings: Settings, hello: dict[str, Any]) -> dict[str, Any]:
    """Return `{"reading"}`, see `server.records`, or `{"error_data"}` where the command asked for what is not there."""
    from mcp_reflect.server.views.records import RecordReader  # noqa: PLC0415 - no session needs it

    access = ledger_access_of(store.ledger, store.embedder, settings)
    try:
        reader = RecordReader(access.ledger, access.profile, access.embedder.identity, access.count_waiting_errors)
        return {"reading": reader.read(str(hello.get("records")), dict(hello.get("arguments") or {}))}
    except ReflectError as error:
        return {"error_data": error_data(error)}
    except (TypeError, KeyError) as error:  # arguments of another version
        return {"error_data": error_data(UsageError(f"arguments: {error}"))}
