"""Makes a program's values fit the memory: texts that are too long, tags that are no JSON scalars."""

from __future__ import annotations

import json
import logging
import sys
import threading
from collections.abc import Mapping
from typing import Any

from mcp_reflect.client.calls.json_values import to_json_value, to_printable_text
from mcp_reflect.client.calls.run_content import clean_text, to_text_field
from mcp_reflect.domain.limits import MAX_METADATA_BYTES, MAX_METADATA_KB, MAX_TASK
from mcp_reflect.domain.truncate import truncate_middle

log = logging.getLogger("mcp_reflect.client")

_LONG_TEXTS = ("final_response", "reference_context", "feedback")
_TAG_CHARS = 1_000
"""Of each text among tags that are too long together."""

_telling = threading.Lock()
_told: set[str] = set()


def fitting_task(task: Any) -> Any:
    """Return a task without its middle where it is too long, and without what no text may hold; else as it is."""
    return truncate_middle(clean_text(task), MAX_TASK) if isinstance(task, str) else task


def fitting_fields(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a run or review with long texts shortened and tags as JSON scalars; None is not given."""
    fields = {name: value for name, value in given.items() if value is not None}
    for name in _LONG_TEXTS:
        if isinstance(fields.get(name), str):
            fields[name] = to_text_field(fields[name])
    if isinstance(fields.get("metadata"), Mapping):
        fields["metadata"] = fitting_metadata(fields["metadata"])
    return fields


def fitting_metadata(metadata: Mapping[Any, Any]) -> dict[str, Any]:
    """Return tags as the memory takes them: scalars and lists of scalars; the rest as text, None left out.

    A warning goes to the log for the first tag of each name that is changed. Where the tags are more than
    16 kB together, long texts among them are shortened, and then the last tags left out.
    """
    tags = {}
    for key, value in metadata.items():
        name = clean_text(to_printable_text(key)).strip()
        if value is None or not name:
            continue
        tags[name] = _tag(name, value)
    if _size(tags) > MAX_METADATA_BYTES:
        _tell_once(
            "metadata", f"is larger than {MAX_METADATA_KB} kB; texts above {_TAG_CHARS:,} characters are shortened"
        )
        tags = {name: truncate_middle(tag, _TAG_CHARS) if isinstance(tag, str) else tag for name, tag in tags.items()}
    while _size(tags) > MAX_METADATA_BYTES:
        tags.popitem()
    return tags


def _tag(name: str, value: Any) -> Any:
    if isinstance(value, list | tuple | set | frozenset):
        return [_scalar(name, item) for item in value if item is not None]
    return _scalar(name, value)


def _scalar(name: str, value: Any) -> Any:
    if isinstance(value, str):
        return clean_text(value)
    plain = to_json_value(value)
    if isinstance(value, bool | int | float) and plain is value and abs(value) <= sys.float_info.max:
        return value
    _tell_once(f"metadata[{name!r}]", f"holds a {type(value).__name__}, which is stored as text")
    return clean_text(plain if isinstance(plain, str) else json.dumps(plain, ensure_ascii=False))


def _size(tags: Mapping[str, Any]) -> int:
    return len(json.dumps(tags, ensure_ascii=False).encode())


def _tell_once(what: str, problem: str) -> None:
    with _telling:
        first = what not in _told
        _told.add(what)
    if first:
        log.warning("%s %s", what, problem)
