"""The hub of the home, and the LLM, if one is configured."""

from __future__ import annotations

import json
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from mcp_reflect.cli.doctor.report import DoctorFinding
from mcp_reflect.cli.formats import format_count
from mcp_reflect.config.masking import mask_secrets
from mcp_reflect.config.settings import Settings
from mcp_reflect.wire import address, handshake, hub_connection, hub_errors
from mcp_reflect.wire.hub_errors import HubFrozen
from mcp_reflect.wire.owner_note import read_owner
from mcp_reflect.wire.version import __version__

_HUB_S = 5.0
_LLM_S = 5.0
_MOST = 1_000_000
_RESTART = "mcp-reflect hub restart"


def check_hub(folder: Path, environ: Mapping[str, str], cwd: str) -> Iterator[DoctorFinding]:
    """Check that a hub runs and answers; none is started."""
    home = str(folder)
    if not address.hub_enabled(environ, home, cwd):
        yield DoctorFinding("hub", "ok", "switched off; every client has a server of its own, one at a time")
        return
    began = time.monotonic()
    try:
        found = hub_connection.try_connect(
            home, {"mcp-reflect": handshake.HUB_PROTOCOL, "command": "status"}, patience_s=_HUB_S
        )
    except HubFrozen as error:
        detail = f"process {error.pid} {error.how} and does not answer"
        yield DoctorFinding("hub", "wrong", detail, _end(folder))
        return
    except hub_errors.HubSilent:
        yield DoctorFinding(
            "hub", "wrong", f"takes connections but does not answer within {_HUB_S:.0f} seconds", _end(folder)
        )
        return
    except hub_errors.HubUnavailable as error:
        yield DoctorFinding("hub", "wrong", str(error), _end(folder))
        return
    if found is None:
        yield DoctorFinding("hub", "ok", "not running; the first client starts it")
        return
    found.link.close()
    status = found.answer["status"]
    took = (time.monotonic() - began) * 1000
    detail = (
        f"process {status['pid']}, version {status['version']}, {format_count(len(status['clients']), 'client')}, "
        f"{_waiting(status)}answered in {took:.0f} ms"
    )
    if trouble := status.get("trouble"):
        yield DoctorFinding("hub", "wrong", f"{detail}: {trouble}", _RESTART)
        return
    if status["version"] != __version__:
        yield DoctorFinding("hub", "warning", f"{detail}; this is {__version__}", _RESTART)
    else:
        yield DoctorFinding("hub", "ok", detail)


def _waiting(status: Mapping[str, Any]) -> str:
    return "" if status["queued"] is None else f"{format_count(status['queued'], 'reflection')} waiting, "


def _end(folder: Path) -> str:
    """The command that ends the owner of a home which does not listen to us any more."""
    owner = read_owner(str(folder))
    if owner is None:
        return f"end the process that owns {folder}, then {_RESTART}"
    end = f"taskkill /F /PID {owner.pid}" if sys.platform == "win32" else f"kill -9 {owner.pid}"
    return f"{end} && {_RESTART}"


def check_llm(settings: Settings | None) -> Iterator[DoctorFinding]:
    """Check that the configured model can be asked; the list of models costs nothing. The key is never shown."""
    if settings is None or not settings.llm_configured:
        yield DoctorFinding("llm", "ok", "none configured, none is called")
        return
    url, model = settings.openai_base_url, settings.reflection.model
    shown = f"{model} at {mask_secrets(url)}"
    request = urllib.request.Request(f"{url}/models")  # noqa: S310 - only http(s) passes the settings
    if settings.openai_api_key is not None:
        # Unredirected: a key must not follow a redirect to another host.
        request.add_unredirected_header("Authorization", f"Bearer {settings.openai_api_key.get_secret_value()}")
    try:
        with closing(urllib.request.urlopen(request, timeout=_LLM_S)) as answer:  # noqa: S310 - as above
            names = _names(answer.read(_MOST))
    except urllib.error.HTTPError as error:
        with closing(error):
            if error.code in {401, 403}:
                yield DoctorFinding(
                    "llm", "wrong", f"{shown}: the key is refused ({error.code})", "correct OPENAI_API_KEY"
                )
            elif error.code == 404:  # noqa: PLR2004 - a server may speak chat completions and list nothing
                yield DoctorFinding("llm", "ok", f"{shown}: the server answers, and lists no models")
            else:
                yield DoctorFinding(
                    "llm", "warning", f"{shown}: the server answers with {error.code}", "try again later"
                )
        return
    except (OSError, ValueError) as error:
        reason = mask_secrets(str(getattr(error, "reason", error)))
        remedy = "start the server, or correct reflection.base_url"
        yield DoctorFinding("llm", "wrong", f"{shown}: cannot be reached ({reason})", remedy)
        return
    if names and model not in names:
        some = ", ".join(sorted(names)[:5])
        yield DoctorFinding(
            "llm", "warning", f"{shown}: the server knows no such model, but {some}", "set reflection.model"
        )
    else:
        yield DoctorFinding("llm", "ok", f"{shown}: the server answers")


def _names(body: bytes) -> set[str]:
    try:
        listed = json.loads(body)["data"]
        return {str(entry["id"]) for entry in listed}
    except (ValueError, KeyError, TypeError):
        return set()
