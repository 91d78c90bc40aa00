"""Answers a client while the hub is still starting, from what the package ships. Standard library only.

`front.json` holds what the server answers to requests that only tell about the server. It is recorded from the server
itself by `python -m docs.tools.front`, and a test compares the two. It has one part per protocol era: `handshake`
(initialize first, versions up to 2025-11-25) and `stateless` (2026-07-28, every request carries an envelope).

A request that is not exactly of the expected form is left to the hub, which knows how to refuse it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

from mcp_reflect import own_files
from mcp_reflect.wire import address, handshake
from mcp_reflect.wire.owner_note import HUB_ROLE, read_owner
from mcp_reflect.wire.shim import settings_check

ANSWERS_NAME = "front.json"
ACCEPTED_NAME = "hub.accepted"
"""File in the home: fingerprints of the settings that hubs have accepted, one per line."""

_ACCEPTED_AT_MOST = 100
_ENVELOPE = "io.modelcontextprotocol/"
_ID_TYPES = {int, str}


class Front:
    """Answers one client's requests, in their order, as the server would.

    `answers` is the content of `front.json`. `protocol` is the version that was agreed on; None before a handshake.
    `answered` says that the client has had an answer.
    """

    def __init__(self, answers: Mapping[str, Any]) -> None:
        self._answers = answers
        self._era = ""
        self.protocol: str | None = None
        self.answered = False

    def answer(self, message: Mapping[str, Any]) -> bytes | None:
        """Return the response line to a request; None where it is for the hub.

        The client's first request decides the era, as in the server: where that request is for the hub, all are.
        """
        body = self._body(message)
        if body is None:
            self._era = self._era or "hub"
            return None
        self.answered = True
        return json.dumps({"jsonrpc": "2.0", "id": message["id"], **body}, ensure_ascii=False).encode() + b"\n"

    def _body(self, message: Mapping[str, Any]) -> Mapping[str, Any] | None:
        params = message.get("params", {})
        method = str(message.get("method"))
        if message.get("jsonrpc") != "2.0" or type(message.get("id")) not in _ID_TYPES or not isinstance(params, dict):
            return None
        meta = params.get("_meta", {})
        if not isinstance(meta, dict) or type(meta.get("progressToken", "")) not in _ID_TYPES:
            return None
        if method == "initialize":
            return self._initialize(params) if self._era in {"", "handshake"} else None
        era = "stateless" if _ENVELOPE + "protocolVersion" in meta else "handshake"
        ready = self._is_envelope(meta) if era == "stateless" else self.protocol is not None or method == "ping"
        plain = params.keys() <= {"_meta", "cursor"} and isinstance(params.get("cursor", ""), str)
        if self._era not in {"", era} or not ready or not plain:
            return None
        body: Mapping[str, Any] | None = self._answers[era].get(method)
        if body is not None:
            self._era = era
        return body

    def _initialize(self, params: Mapping[str, Any]) -> Mapping[str, Any] | None:
        asked = params.get("protocolVersion")
        if not isinstance(asked, str) or not _is_client(params.get("clientInfo"), params.get("capabilities")):
            return None
        versions = self._answers["handshake_versions"]
        self._era = "handshake"
        self.protocol = asked if asked in versions else versions[-1]
        return {"result": {**self._answers["handshake"]["initialize"]["result"], "protocolVersion": self.protocol}}

    def _is_envelope(self, meta: Mapping[str, Any]) -> bool:
        version = meta[_ENVELOPE + "protocolVersion"]
        info = meta.get(_ENVELOPE + "clientInfo", {"name": "", "version": ""})
        return version in self._answers["stateless_versions"] and _is_client(
            info, meta.get(_ENVELOPE + "clientCapabilities")
        )


def _is_client(info: object, capabilities: object) -> bool:
    return (
        isinstance(info, dict)
        and isinstance(info.get("name"), str)
        and isinstance(info.get("version"), str)
        and isinstance(capabilities, dict)
        and all(isinstance(capability, dict) for capability in capabilities.values())
    )


def open_front(environ: Mapping[str, str], home: str, cwd: str) -> Front | None:
    """Return the front for a client with these settings; None where the hub might refuse this client or its home.

    A wrong setting has to stop the start. Settings are taken for right where `settings_check` proves it, or where a hub
    accepted the same ones before.
    """
    answers = _read_answers()
    if answers is None or _owned_by_another(home):
        return None
    settings = fingerprint_settings(answers["settings"], environ, home, cwd)
    if settings and settings not in _read_accepted(home):
        return None
    return Front(_for_hooks(answers) if address.hooks_active(environ, home, cwd) else answers)


def _read_answers() -> dict[str, Any] | None:
    try:
        with open(os.path.join(os.path.dirname(__file__), ANSWERS_NAME), encoding="utf-8") as file:
            answers = json.load(file)
    except (OSError, ValueError):  # a package without its data still works, only later
        return None
    return answers if isinstance(answers, dict) else None


def _for_hooks(answers: dict[str, Any]) -> dict[str, Any]:
    """The answers to a client whose hooks submit its runs: its instructions leave that to them."""
    for era, method in (("handshake", "initialize"), ("stateless", "server/discover")):
        answers[era][method]["result"]["instructions"] = answers["hooked_instructions"]
    return answers


def fingerprint_settings(rules: settings_check.Rules, environ: Mapping[str, str], home: str, cwd: str) -> str:
    """Return a hash of the client's settings that a hub could refuse, from environment and config.toml; empty for none.

    It changes with the version of the package, and holds of an API key only that there is one.
    """
    read = {
        name: value
        for name, value in handshake.select_settings_environ(environ, home, cwd).items()
        if name.startswith("MCP_REFLECT_") or name in {"OPENAI_BASE_URL", "Q_LEARNING_ALPHA"}
    }
    config = address.config_content(environ, home, cwd)
    unproven = settings_check.find_unproven_variables(rules, read)
    if not read.get("MCP_REFLECT_CONFIG", "").strip() or config:
        unproven.pop("MCP_REFLECT_CONFIG", None)
    right = not unproven and (config is None or settings_check.is_proven_config(rules, config))
    if right and settings_check.is_proven_combination(rules, environ, config):
        return ""
    from hashlib import sha256  # noqa: PLC0415 - most clients have no such settings

    from mcp_reflect.wire.version import __version__  # noqa: PLC0415 - as above

    key = bool(environ.get("OPENAI_API_KEY", "").strip())
    text = json.dumps([__version__, sorted(unproven.items()), key, (config or b"").hex()])
    return sha256(text.encode()).hexdigest()


def note_accepted(environ: Mapping[str, str], home: str, cwd: str) -> None:
    """Remember that a hub of the home accepted this client's settings."""
    answers = _read_answers()
    settings = fingerprint_settings(answers["settings"], environ, home, cwd) if answers else ""
    known = _read_accepted(home)
    if not settings or settings in known:
        return
    mode = os.O_WRONLY | os.O_CREAT | (os.O_TRUNC if len(known) >= _ACCEPTED_AT_MOST else os.O_APPEND)
    try:
        own_files.refuse_foreign(home)
        descriptor = own_files.open_own(os.path.join(home, ACCEPTED_NAME), mode)
    except OSError:  # a read-only home: the front stays away the next time, too
        return
    with os.fdopen(descriptor, "wb") as file:
        file.write(settings.encode() + b"\n")


def _read_accepted(home: str) -> set[str]:
    try:
        return set(own_files.read_own(os.path.join(home, ACCEPTED_NAME)).decode("ascii", "replace").split())
    except OSError:
        return set()


def _owned_by_another(home: str) -> bool:
    """Return whether the note of the home's owner names something that is no hub, so that a hub would find it taken."""
    owner = read_owner(home)
    return owner is not None and owner.role != HUB_ROLE
