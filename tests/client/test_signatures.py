"""The Python API's signatures are written out for people who read them; they must say what the request models say."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Any, Literal, get_args, get_origin, get_type_hints

import pytest

from mcp_reflect import AsyncReflectClient, ReflectClient, reflect_trace
from mcp_reflect.application.requests import (
    ContextRequest,
    ErrorFix,
    ErrorQuery,
    MemoryQuery,
    Query,
    ReflectionArguments,
    RequestModel,
    ReviewRequest,
    StatusRequest,
    Submission,
    TraceListRequest,
    TraceRequest,
    argument_fields,
)
from mcp_reflect.client.calls import fields, knowledge_calls

CLIENTS = [ReflectClient, AsyncReflectClient]
FIELDS = [
    (fields.QueryOptions, Query, {"task"}),
    (fields.ReflectionFields, ReflectionArguments, set()),
    (fields.ReviewFields, ReviewRequest, {"trace_id", "result"}),
    (fields.TraceFields, Submission, {"task"}),
]
METHODS = [
    ("query_memories", Query, fields.QueryOptions),
    ("augment_with_memories", Query, fields.QueryOptions),
    ("create_trace", Submission, fields.TraceFields),
    ("review_trace", ReviewRequest, fields.ReviewFields),
    ("list_traces", TraceListRequest, None),
    ("get_trace", TraceRequest, None),
    ("find_error_fixes", ErrorQuery, None),
    ("record_error_fix", ErrorFix, knowledge_calls.ErrorFields),
    ("project_context", ContextRequest, None),
    ("manage_memory", StatusRequest, None),
]


def written(kind: type[RequestModel], name: str) -> Any:
    """The type that the Python API writes for a field of a request."""
    if name == "trajectory":
        return str | Sequence[Mapping[str, Any]]
    return {tuple[str, ...]: Sequence[str], dict[str, Any]: Mapping[str, Any]}.get(
        kind.model_fields[name].annotation, kind.model_fields[name].annotation
    )


def same(hint: Any, wanted: Any) -> bool:
    """Whether a hint says what is wanted. An empty text, which stands for none in a tool's call, may be left out."""
    if type(None) in get_args(hint):  # None stands for an argument that is not given
        return bool(hint == wanted | None)
    if get_origin(wanted) is Literal:
        return set(get_args(hint)) in (set(get_args(wanted)), set(get_args(wanted)) - {""})
    return bool(hint == wanted)


@pytest.mark.parametrize(("fields", "kind", "apart"), FIELDS, ids=lambda value: getattr(value, "__name__", ""))
def test_fields_have_the_names_and_types_of_the_arguments(fields: Any, kind: Any, apart: set[str]) -> None:
    hints = get_type_hints(fields)
    assert set(hints) == set(argument_fields(kind)) - apart
    assert [name for name, hint in hints.items() if not same(hint, written(kind, name))] == []


def test_the_answers_form_is_the_only_argument_of_a_query_that_programs_have_no_use_for() -> None:
    assert set(argument_fields(MemoryQuery)) - set(argument_fields(Query)) == {"response_format"}


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize(("method", "kind", "fields"), METHODS, ids=[method for method, _, _ in METHODS])
def test_methods_take_the_arguments_with_their_types_and_defaults(
    client: Any, method: str, kind: type[RequestModel], fields: Any
) -> None:
    signature, hints = inspect.signature(getattr(client, method)), get_type_hints(getattr(client, method))
    parameters = [p for p in signature.parameters.values() if p.name != "self"]
    plain = {p.name: p for p in parameters if p.kind is not inspect.Parameter.VAR_KEYWORD}
    assert [get_args(hints[p.name])[0] for p in parameters if p.name not in plain] == ([fields] if fields else [])
    taken = set(get_type_hints(fields)) if fields else set()
    assert set(plain) == set(argument_fields(kind)) - taken
    for name, parameter in plain.items():
        field = kind.model_fields[name]
        assert same(hints[name], written(kind, name)), name
        default = ... if parameter.default is inspect.Parameter.empty else parameter.default
        assert default == (... if field.is_required() else field.default), name


@pytest.mark.parametrize("function", [*(client.trace for client in CLIENTS), reflect_trace])
def test_what_a_run_is_started_with_is_what_a_submission_has(function: Any) -> None:
    """None stands for an argument that is not given, where the tool has an object or a number to say that."""
    own = {"self", "function", "client", "task", "judge", "augment", "options"}
    parameters = inspect.signature(function).parameters
    hints = get_type_hints(function, localns={"AsyncReflectClient": AsyncReflectClient})
    assert set(parameters) >= {"model", "metadata"}
    for name in set(parameters) - own:
        assert parameters[name].default in (Submission.model_fields[name].default, None), name
        assert hints[name] in (written(Submission, name), written(Submission, name) | None), name
    assert get_args(hints["options"]) == (fields.QueryOptions,)


def test_both_clients_have_the_same_methods_and_signatures() -> None:
    plain, other = ({name for name in dir(client) if not name.startswith("_")} for client in CLIENTS)
    assert plain == other
    for name in sorted(plain - {"connection"}):
        first, second = (inspect.signature(getattr(client, name)) for client in CLIENTS)
        assert first.parameters == second.parameters, name
