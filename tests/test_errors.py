"""Errors between processes: data that gives the same error back, and nothing in prose."""

from __future__ import annotations

import ast
import inspect
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_reflect import errors
from mcp_reflect.errors import (
    ERRORS_BY_CODE,
    InvalidArgument,
    MemoryUnavailable,
    ReflectError,
    TraceKeyConflict,
    UnknownId,
    UsageError,
    error_data,
    error_from_data,
    read_error_data,
)
from mcp_reflect.server.reflect_server import refused_call
from mcp_reflect.server.refusals import refusal_text
from mcp_reflect.wire import request_meta
from mcp_reflect.wire.hub_errors import HubUnavailable, unavailable

PACKAGE = Path(errors.__file__).parent
CUTTING = {"startswith", "endswith", "removeprefix", "removesuffix", "replace", "partition", "rpartition", "find"}
MATCHING = {"match", "fullmatch", "search", "findall", "finditer", "sub"}
CLASSES = {
    each for _, each in inspect.getmembers(errors, inspect.isclass) if issubclass(each, ReflectError)
}  # fmt: skip
TEXTS = st.text(max_size=20)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)


def test_the_table_of_codes_is_complete_both_ways() -> None:
    assert set(ERRORS_BY_CODE.values()) == CLASSES
    assert {each.code: each for each in CLASSES} == ERRORS_BY_CODE
    assert all("code" in vars(each) for each in CLASSES)


@given(st.sampled_from(sorted(ERRORS_BY_CODE)), TEXTS, st.lists(TEXTS, max_size=12), TEXTS)
def test_data_gives_an_error_of_the_same_class_that_gives_the_same_data(
    code: str, argument: str, ids: list[str], message: str
) -> None:
    data: errors.ErrorData = {"code": code, "argument": argument, "ids": ids, "message": message}
    error = error_from_data(read_error_data(json.loads(json.dumps(data))))
    assert type(error) is ERRORS_BY_CODE[code]
    assert error_data(error) == data


def test_an_error_says_what_it_is_about_without_its_message() -> None:
    gone = [f"mem_{number}" for number in range(7)]
    unknown = error_from_data(error_data(UnknownId("helpful_memory_ids", gone)))
    assert (type(unknown), unknown.argument, unknown.ids) == (UnknownId, "helpful_memory_ids", tuple(gone))
    conflict = error_data(TraceKeyConflict("key", "trace_1"))
    assert (conflict["argument"], conflict["ids"]) == ("trace_key", ["trace_1"])
    refused = error_from_data(error_data(InvalidArgument("limit", "got 0", "1 to 100")))
    assert isinstance(refused, InvalidArgument)
    assert (refused.argument, str(refused)) == ("limit", "limit: got 0. Allowed: 1 to 100")
    assert (refused.problem, refused.allowed) == ("", "")


def test_a_message_holds_neither_the_argument_nor_a_remedy_which_each_surface_adds_for_its_readers() -> None:
    error = UnknownId("trace_id", ["trace_1"])
    assert (error.message, str(error)) == ("unknown trace_1", "trace_id: unknown trace_1")
    assert refusal_text(error) == (
        "trace_id: unknown trace_1. Allowed: ids as issued by submit_trace and list_traces. "
        "Nothing was changed; correct it and call again."
    )


def test_what_the_shim_says_without_a_hub_is_the_data_of_an_error_of_ours() -> None:
    assert unavailable("not here") == error_data(MemoryUnavailable("not here"))
    assert HubUnavailable("two\n lines").data == unavailable("two lines")


def test_no_module_reads_or_edits_the_text_of_an_error_of_ours() -> None:
    readers = {file.relative_to(PACKAGE).as_posix() for file in PACKAGE.rglob("*.py") if reads_error_text(file)}
    # SQLite, Chroma and Python's parsers say what is wrong in words alone.
    assert readers == {
        "adapters/sqlite_remedies.py",
        "cli/install/toml_edit.py",
        "domain/trajectory/parsing.py",
    }


def reads_error_text(file: Path) -> bool:
    """Return whether a module searches or cuts the `str(…)` of what it caught, or matches a pattern against it."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    caught = {node.name for node in ast.walk(tree) if isinstance(node, ast.ExceptHandler)} | {"error"}
    texts = {f"str({name})" for name in caught}
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare) and texts & {ast.unparse(each) for each in [node.left, *node.comparators]}:
            return True
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            cuts = node.func.attr in CUTTING and ast.unparse(node.func.value) in texts
            matches = node.func.attr in MATCHING and texts & {ast.unparse(each) for each in node.args}
            if cuts or matches:
                return True
    return False


def test_a_class_of_another_module_travels_as_the_class_here_that_it_derives_from() -> None:
    class TakenName(UsageError):
        """An error of a command alone."""

    assert type(error_from_data(error_data(TakenName("taken")))) is UsageError


@given(JSON)
def test_whatever_an_older_or_broken_server_sends_is_an_unknown_error(given_data: Any) -> None:
    data = read_error_data(given_data, "the text")
    if not (isinstance(given_data, dict) and given_data.get("code")):
        assert data["code"] == "unknown"
        assert type(error_from_data(data)) is ReflectError
    assert isinstance(error_from_data(data), ReflectError)
    assert all(isinstance(each, str) for each in data["ids"])


@pytest.mark.parametrize("kind", [UnknownId, TraceKeyConflict])
def test_a_refused_call_shows_a_model_its_text_alone(kind: type[UsageError]) -> None:
    error = error_from_data({"code": kind.code, "argument": "a", "ids": ["i"], "message": "as the error words it"})
    sent = json.loads(refused_call("as the model reads it", error).model_dump_json(by_alias=True, exclude_unset=True))
    assert sent["isError"] is True
    assert sent["content"] == [{"type": "text", "text": "as the model reads it"}]
    assert "structuredContent" not in sent
    assert sent["_meta"][request_meta.ERROR] == {
        "code": kind.code,
        "argument": "a",
        "ids": ["i"],
        "message": "as the error words it",
    }
