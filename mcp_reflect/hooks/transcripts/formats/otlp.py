"""OTLP as JSON: spans with their attributes as plain values, from one object or from one a line."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

from mcp_reflect.hooks.event import first_text
from mcp_reflect.hooks.transcripts.json_lines import read_json, read_json_lines

_DETAILS = "gen_ai.client.inference.operation.details"
_FAILED = 2
"""The code of a span's status that stands for an error."""
_DEEPEST = 30

_Object = dict[str, Any]


class Span(NamedTuple):
    """A span; `start` and `end` in seconds since the epoch, `folder` that of its process where it is told."""

    number: str
    parent: str
    trace: str
    start: float
    end: float
    failed: bool
    attributes: _Object
    folder: str

    @property
    def session(self) -> str:
        """Return the id of its conversation, or else of its trace."""
        return first_text(self.attributes, "gen_ai.conversation.id") or self.trace


def read_spans(path: str) -> tuple[Span, ...]:
    """Return the spans in a file, in no order. Raises OSError where it cannot be read."""
    found = os.stat(path)
    return _spans_as_written(path, found.st_mtime_ns, found.st_size)


@lru_cache(1)
def _spans_as_written(path: str, modified: int, size: int) -> tuple[Span, ...]:
    """The spans in a file as it was written last; its conversations are read one after the other."""
    del modified, size
    return tuple(_iter_spans(path))


def _iter_spans(path: str) -> Iterator[Span]:
    values: list[Any] = [line for _, line in read_json_lines(path)] if path.endswith(".jsonl") else [read_json(path)]
    for value in values:
        for resource in _objects(value, "resourceSpans"):
            about = resource.get("resource")
            folder = first_text(_attributes(about), "process.working_directory")
            for scope in _objects(resource, "scopeSpans"):
                yield from (_span(span, folder) for span in _objects(scope, "spans"))


def _objects(value: Any, name: str) -> list[_Object]:
    found = value.get(name) if isinstance(value, dict) else None
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []


def _span(span: _Object, folder: str) -> Span:
    attributes = _attributes(span)
    for event in _objects(span, "events"):
        if event.get("name") == _DETAILS:
            attributes |= _attributes(event)
    status = span.get("status")
    code = status.get("code") if isinstance(status, dict) else None
    return Span(
        first_text(span, "spanId"),
        first_text(span, "parentSpanId"),
        first_text(span, "traceId"),
        _second(span.get("startTimeUnixNano")),
        _second(span.get("endTimeUnixNano")),
        code in {_FAILED, "STATUS_CODE_ERROR"},
        attributes,
        folder,
    )


def _second(nanoseconds: Any) -> float:
    try:
        return max(int(nanoseconds) / 1e9, 0.0)
    except (TypeError, ValueError, OverflowError):
        return 0.0


def _attributes(holder: Any) -> _Object:
    return {first_text(each, "key"): _value(each.get("value")) for each in _objects(holder, "attributes")}


def _value(value: Any, deepest: int = _DEEPEST) -> Any:
    """The value in an AnyValue of OTLP; None for what is none, or nested too deeply."""
    if not isinstance(value, dict) or not deepest:
        return None
    for name in ("stringValue", "boolValue", "intValue", "doubleValue"):
        if name in value:
            return value[name]
    if "arrayValue" in value:
        return [_value(each, deepest - 1) for each in _objects(value["arrayValue"], "values")]
    if "kvlistValue" in value:
        pairs = _objects(value["kvlistValue"], "values")
        return {first_text(each, "key"): _value(each.get("value"), deepest - 1) for each in pairs}
    return None
