"""A tool's arguments by its request model: the schema that clients see, and the request made of what they send."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any

from pydantic.fields import FieldInfo

from mcp_reflect.application.requests.arguments import ProgramOnly
from mcp_reflect.application.requests.request_model import Requested, RequestModel, allowed_in, make_request
from mcp_reflect.errors import InvalidArgument

_NOISE = {"title", "additionalProperties"}
"""Keywords that cost the model tokens and tell it nothing; a misspelt argument is refused when it comes."""

INJECTED_BY_CLIENTS = frozenset({"wait_for_previous"})
"""Arguments that a client adds to every tool on its own and sends on. Gemini CLI: wait_for_previous."""


@cache
def argument_fields(kind: type[RequestModel]) -> Mapping[str, FieldInfo]:
    """Return the fields of a request that are arguments of its tool, by name; the required ones first."""
    fields = {
        name: field
        for name, field in kind.model_fields.items()
        if not any(isinstance(mark, ProgramOnly) for mark in field.metadata)
    }
    return MappingProxyType(dict(sorted(fields.items(), key=lambda item: not item[1].is_required())))


def input_schema(kind: type[RequestModel], described_in: type[RequestModel] | None = None) -> dict[str, Any]:
    """Return the JSON schema of a tool's arguments: flat, without unions, every optional one with its default.

    Words that `described_in` says of the same argument are left out, except the range of a number.
    """
    described = _properties(described_in) if described_in else {}
    properties = _properties(kind)
    for name, entry in properties.items():
        if "minimum" not in entry and entry.get("description") == described.get(name, {}).get("description"):
            entry.pop("description", None)
    required = [name for name, entry in properties.items() if "default" not in entry]
    schema: dict[str, Any] = {"type": "object", "properties": properties}
    return schema | ({"required": required} if required else {})


def _properties(kind: type[RequestModel]) -> dict[str, dict[str, Any]]:
    whole = kind.model_json_schema().get("properties", {})
    return {
        name: {key: _short(value) for key, value in whole[name].items() if key not in _NOISE}
        for name in argument_fields(kind)
    }


def _short(value: Any) -> Any:
    """A whole number without its fraction, anything else as it is."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def parse_arguments(
    kind: type[Requested], given: Mapping[str, Any], tool: str, filled_in: Mapping[str, Any] | None = None
) -> Requested:
    """Make the request of a call, and check it.

    Null for an optional argument means that it was not given; what clients inject is dropped. `filled_in` are values
    that stand where `given` has none, for fields that are no arguments too; `tool` is a name for messages. Raises
    InvalidArgument for the first of: a required argument that is missing, one that the tool does not have, a wrong
    value.
    """
    fields = argument_fields(kind)
    present = {
        name: value
        for name, value in given.items()
        if not (name in INJECTED_BY_CLIENTS and name not in fields)
        and not (value is None and name in fields and not fields[name].is_required())
    }
    missing = [name for name, field in fields.items() if field.is_required() and present.get(name) is None]
    unknown = [name for name in present if name not in fields]
    hint = nearest_hint(unknown[0], fields) if unknown else ""
    if missing:
        problem = "is required" if missing[0] not in present else "is required, got null"
        also = f"; {tool} has no argument {unknown[0]}{hint}" if unknown else ""
        raise InvalidArgument(missing[0], problem + also, allowed_in(fields[missing[0]]))
    if unknown:
        raise InvalidArgument(unknown[0], f"{tool} has no such argument{hint}", ", ".join(fields) or "none")
    return make_request(kind, **{**(filled_in or {}), **present})


def nearest_hint(name: str, known: Iterable[str]) -> str:
    """Return a remark on the known name that is nearest to one that is not known; empty where none is near."""
    near = difflib.get_close_matches(name, list(known), n=1, cutoff=0.55)
    return f" (did you mean {near[0]}?)" if near else ""
