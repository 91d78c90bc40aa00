"""Reads records for a command: from the home's hub where one runs, otherwise from the ledger in this process.

The hub has everything imported and open; doing that here takes several times as long. No hub is started for it.
"""

from __future__ import annotations

import gc
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from mcp_reflect.cli.console import note
from mcp_reflect.cli.error_report import report_errors
from mcp_reflect.cli.settings import current_settings
from mcp_reflect.errors import error_from_data, read_error_data
from mcp_reflect.wire import address, handshake, hub_connection, hub_errors
from mcp_reflect.wire.version import __version__

_HELLO_S = 2.0
_READING_S = 60.0


@dataclass(frozen=True)
class Reading:
    """`document` is what `--json` prints; `beside` holds what only the display for people needs."""

    document: dict[str, Any]
    beside: dict[str, Any]


def read_records(records: str, /, *, typed: Mapping[str, str] | None = None, **arguments: Any) -> Reading:
    """Return a reading of `server.records.READINGS`. What goes wrong is reported and ends the command.

    `typed` as of `report_errors`.
    """
    with report_errors(typed):
        found = _from_hub(records, arguments)
        if found is None:
            with _no_garbage_collection():
                found = _from_ledger(records, arguments)
    return Reading(found["document"], found["beside"])


@contextmanager
def _no_garbage_collection() -> Iterator[None]:
    """Collect no garbage meanwhile, nor later in what is there then.

    What imports make stays, and looking for garbage in it, at the end of the process too, is a quarter of the time.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if was_enabled:
            gc.enable()


def _from_ledger(records: str, arguments: dict[str, Any]) -> dict[str, Any]:
    from mcp_reflect.bootstrap.ledger import open_read_access  # noqa: PLC0415 - heavy
    from mcp_reflect.server.views.records import RecordReader  # noqa: PLC0415 - heavy

    with open_read_access(current_settings()) as access:
        reader = RecordReader(access.ledger, access.profile, access.embedder.identity, access.count_waiting_errors)
        return reader.read(records, arguments)


def resolve_ids(beginnings: Sequence[Sequence[str]], option: str = "ID") -> list[str]:
    """Return the full ids of beginnings, each followed by the prefixes that it may have, `trace` and `mem`.

    `option` is what a person types before them.
    """
    ids: list[str] = read_records("ids", typed={"record_id": option}, beginnings=beginnings).document["ids"]
    return ids


def _from_hub(records: str, arguments: dict[str, Any]) -> dict[str, Any] | None:
    """The hub's reading; None where none runs, or what runs does not answer or is of another version or store.

    Reading the ledger beside it is right then, and reports settings that are wrong. Raises ReflectError.
    """
    environ, cwd = os.environ, address.current_folder()
    home = address.home_folder(environ, cwd)
    if not address.hub_enabled(environ, home, cwd):
        return None
    hello = handshake.build_hello(__version__, home, environ, cwd, "")
    hello |= {"command": handshake.READ_COMMAND, "records": records, "arguments": arguments}
    try:
        found = hub_connection.try_connect(home, hello, patience_s=_HELLO_S)
    except hub_errors.HubSilent:
        note(f"The hub of {home} does not answer; reading the ledger without it. `mcp-reflect doctor` says more.")
        return None
    except hub_errors.HubUnavailable:
        return None
    return None if found is None else _received(found)


def _received(found: hub_connection.HubConnection) -> dict[str, Any] | None:
    answer: dict[str, Any] = {}
    with closing(found.link), suppress(OSError, ValueError):
        if found.answer.get("version") == __version__:
            found.link.settimeout(_READING_S)
            answer = json.loads(found.lines.next() or b"{}")
    if "error_data" in answer:
        raise error_from_data(read_error_data(answer["error_data"]))
    return answer.get("reading")
