"""Requests: what a tool's schema says is what is taken, in every form that loses nothing, and nothing else is."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_reflect.application import requests
from mcp_reflect.application.requests import (
    DEFAULT,
    ErrorFix,
    MemoryQuery,
    Query,
    ReflectionArguments,
    ReflectRequest,
    ReviewArguments,
    ReviewRequest,
    Submission,
    TraceListRequest,
    TraceRequest,
    Verdict,
    argument_fields,
    input_schema,
    parse_arguments,
)
from mcp_reflect.domain.models import ReflectionDraft
from mcp_reflect.errors import InvalidArgument

TASK = {"task": "Rename a module"}
KINDS = [
    kind
    for kind in vars(requests).values()
    if isinstance(kind, type) and issubclass(kind, requests.RequestModel) and kind is not requests.RequestModel
]
OPTIONAL = [
    pytest.param(kind, name, id=f"{kind.__name__}.{name}")
    for kind in KINDS
    for name, field in argument_fields(kind).items()
    if not field.is_required()
]

texts = st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"]), min_size=1, max_size=20)
names = texts.filter(str.strip)
ids = texts.filter(lambda text: text.strip(" \t\r\n`'\"").strip())  # quotes around an id are taken off


def needed_by(kind: type[requests.RequestModel]) -> dict[str, Any]:
    """Some values of the required arguments."""
    required = input_schema(kind).get("required", [])
    return {name: {"result": "pass", "action": "adopt"}.get(name, "x") for name in required}


def reason(kind: type[requests.RequestModel], **arguments: Any) -> InvalidArgument:
    with pytest.raises(InvalidArgument) as refused:
        parse_arguments(kind, arguments, "a_tool")
    return refused.value


# -- schemas


@pytest.mark.parametrize("kind", KINDS)
def test_a_schema_is_flat_with_a_type_and_a_default_for_every_optional_argument(kind: Any) -> None:
    schema = input_schema(kind)
    assert not {"anyOf", "$ref", "$defs", "null", "title"} & set(json.dumps(schema).replace('"', " ").split())
    for name, entry in schema["properties"].items():
        assert isinstance(entry["type"], str)
        assert (name in schema.get("required", [])) == ("default" not in entry)
        assert entry.get("default", ...) is not None
        assert "items" in entry or entry["type"] != "array"


@pytest.mark.parametrize("kind", KINDS)
def test_numbers_have_their_range_as_keywords_and_in_words(kind: Any) -> None:
    for name, entry in input_schema(kind)["properties"].items():
        if entry["type"] in {"integer", "number"}:
            least, most = entry["minimum"], entry["maximum"]
            told = entry["description"]
            assert f"{max(least, 0)} to {most}" in told, name
            assert (least == DEFAULT) == ("-1: default" in told)
            for value, wrong in ((least, least - 1), (most, most + 1)):
                required = needed_by(kind)
                assert getattr(parse_arguments(kind, {**required, name: value}, "a_tool"), name) == value
                assert reason(kind, **{**required, name: wrong}).name == name


@pytest.mark.parametrize(("kind", "name"), OPTIONAL)
def test_a_default_of_a_schema_may_be_sent_and_changes_nothing(kind: Any, name: str) -> None:
    schema = input_schema(kind)
    needed = needed_by(kind)
    sent = {**needed, name: schema["properties"][name]["default"]}
    assert parse_arguments(kind, sent, "a_tool") == parse_arguments(kind, needed, "a_tool")


@pytest.mark.parametrize(("kind", "name"), OPTIONAL)
def test_null_for_an_optional_argument_means_that_it_is_not_given(kind: Any, name: str) -> None:
    needed = needed_by(kind)
    assert parse_arguments(kind, {**needed, name: None}, "a_tool") == parse_arguments(kind, needed, "a_tool")


def test_what_programs_tell_is_no_argument_but_may_be_filled_in() -> None:
    for kind in (Submission, ReviewRequest):
        assert "source" not in input_schema(kind)["properties"]
    needed = {"trace_id": "trace_1", "result": "pass"}
    assert reason(ReviewRequest, **needed, source="user").name == "source"
    assert parse_arguments(ReviewRequest, needed, "review_trace", {"source": "user"}).source == "user"


def test_a_tool_that_is_like_another_repeats_no_words_but_ranges() -> None:
    alone, beside = input_schema(ReviewRequest)["properties"], input_schema(ReviewRequest, Submission)["properties"]
    assert "description" in alone["guidance"]
    assert "description" not in beside["guidance"]
    assert alone["alpha"] == beside["alpha"]
    without_words = [{k: v for k, v in entry.items() if k != "description"} for entry in alone.values()]
    assert [{k: v for k, v in entry.items() if k != "description"} for entry in beside.values()] == without_words


# -- what a call gives


def test_configured_defaults_give_way_to_arguments_and_not_to_null() -> None:
    configured = {"limit": 3, "lambda_": 0.25}
    asked = parse_arguments(Query, {**TASK, "limit": None, "lambda_": 1}, "query_memories", configured)
    assert (asked.limit, asked.lambda_, asked.mmr_lambda) == (3, 1.0, 0.95)


def test_what_gemini_adds_to_every_tool_counts_for_nothing() -> None:
    assert parse_arguments(Query, {**TASK, "wait_for_previous": True}, "query_memories") == Query(**TASK)
    assert parse_arguments(requests.FiguresRequest, {"wait_for_previous": False}, "memory_stats")


def test_a_missing_argument_is_named_before_an_unknown_one_and_an_unknown_one_before_a_wrong_one() -> None:
    missing = reason(Query, taks="Rename a module", limit="many")
    assert missing.name == "task"
    assert missing.problem == "is required; a_tool has no argument taks (did you mean task?)"
    unknown = reason(Query, **TASK, lambda1=1, limit="many")
    assert unknown.name == "lambda1"
    assert unknown.problem == "a_tool has no such argument (did you mean lambda_?)"
    assert unknown.allowed.split(", ") == list(argument_fields(Query))
    assert reason(Query, **TASK, limit="many").problem == "got 'many'"
    assert reason(Query, task=None, limit="many").problem == "is required, got null"


@pytest.mark.parametrize(
    ("kind", "name", "sent", "taken"),
    [
        (Query, "limit", "5", 5),
        (Query, "limit", 5.0, 5),
        (Query, "limit", " 5.0 ", 5),
        (Query, "lambda_", "0.5", 0.5),
        (Query, "similarity_threshold", "-1", DEFAULT),
        (Query, "metadata_filter", '{"a": 1}', {"a": 1}),
        (Query, "metadata_filter", "", {}),
        (Submission, "review_result", "passed", "pass"),
        (Submission, "review_result", "Failed", "fail"),
        (Submission, "review_result", " success ", "pass"),
        (Submission, "review_result", "FAILURE", "fail"),
        (Submission, "metadata", '{"a": [1, "b"]}', {"a": [1, "b"]}),
        (Submission, "retrieved_memory_ids", "mem_1", ("mem_1",)),
        (Submission, "retrieved_memory_ids", '["mem_1", "mem_2", "mem_1"]', ("mem_1", "mem_2")),
        (Submission, "retrieved_memory_ids", "", ()),
        (Submission, "retrieved_memory_ids", "mem_1, mem_2\nmem_1", ("mem_1", "mem_2")),
        (Submission, "helpful_memory_ids", [" `mem_1` ", "mem_1"], ("mem_1",)),
        (Submission, "retrieval_id", '"ret_1" ', "ret_1"),
        (TraceRequest, "trace_id", " `trace_1`\n", "trace_1"),
        (TraceRequest, "trace_id", ["trace_1"], "trace_1"),
        (Submission, "applicable_tools", "Bash(git log, git show)", ("Bash(git log, git show)",)),
        (Submission, "applicable_tools", "[shell]", ("[shell]",)),
        (Submission, "claims", "The cache lives for a day.", ("The cache lives for a day.",)),
        (Submission, "trajectory", [{"role": "user", "content": "go"}], '[{"role": "user", "content": "go"}]'),
        (ErrorFix, "tests", "run pytest", ("run pytest",)),
    ],
)
def test_other_forms_of_a_right_value_are_taken(kind: Any, name: str, sent: Any, taken: Any) -> None:
    needed = dict.fromkeys(input_schema(kind)["required"], "x")
    assert getattr(parse_arguments(kind, {**needed, name: sent}, "a_tool"), name) == taken


@pytest.mark.parametrize(
    "sent", ["5.5", "0", "101", "five", "", "1e999", "NaN", "true", "null", "[5]", True, [5], math.nan, math.inf]
)
def test_no_form_that_loses_something_is_taken_for_a_number(sent: Any) -> None:
    refused = reason(Query, **TASK, limit=sent)
    assert (refused.name, refused.allowed) == ("limit", "a whole number from 1 to 100")


@pytest.mark.parametrize("sent", ["done", "passing?", "0", "true", True, 1, ["pass"]])
def test_no_other_word_is_taken_for_a_result(sent: Any) -> None:
    assert reason(ReviewRequest, trace_id="trace_1", result=sent).name == "result"


@pytest.mark.parametrize("sent", [["'"], ['" "'], "`", ["mem_1", "'\x0b'"]])
def test_quotes_around_nothing_are_no_id(sent: Any) -> None:
    assert reason(Submission, **TASK, helpful_memory_ids=sent).name == "helpful_memory_ids"


def test_insights_are_taken_as_json_and_one_alone() -> None:
    one = {"text": "Seed tests.", "importance": "0.5", "evidence": "trace_1"}
    (wanted,) = parse_arguments(ReflectRequest, {"insights": [one]}, "reflect").drafts
    assert (wanted.text, wanted.importance, wanted.evidence) == ("Seed tests.", 0.5, ("trace_1",))
    for sent in (one, json.dumps(one), json.dumps([one])):
        assert parse_arguments(ReflectRequest, {"insights": sent}, "reflect").drafts == [wanted]
    refused = reason(ReflectRequest, insights=[one, {**one, "importance": 2}])
    assert refused.problem == "importance of number 2: got 2.0"


@given(limit=st.integers(1, 100), weight=st.floats(0, 1), listed=st.lists(names, max_size=5, unique=True))
def test_json_texts_of_values_are_taken_as_the_values(limit: int, weight: float, listed: list[str]) -> None:
    told = {"limit": json.dumps(limit), "lambda_": json.dumps(weight), "mmr_lambda": weight, "response_format": None}
    asked = parse_arguments(MemoryQuery, {**TASK, **told}, "query_memories")
    assert (asked.limit, asked.lambda_, asked.mmr_lambda) == (limit, weight, weight)
    for sent in (listed, tuple(listed), json.dumps(listed)):
        given_tools = parse_arguments(Submission, {**TASK, "applicable_tools": sent}, "submit_trace").applicable_tools
        assert given_tools == tuple(listed)


@given(kind=st.sampled_from(KINDS), name=texts)
def test_any_argument_that_a_tool_does_not_have_is_refused_by_its_name(kind: Any, name: str) -> None:
    if name not in argument_fields(kind):
        needed = needed_by(kind)
        assert reason(kind, **needed, **{name: "x"}).name == name


# -- what is said once


def test_the_fields_of_a_reflection_are_those_of_its_draft() -> None:
    """A draft has more: a model's prose and its opinion of what the run was given, and where the words come from."""
    more = {"text", "helpful_memory_ids", "harmful_memory_ids", "lineage", "withheld", "unvouched", "further"}
    assert set(ReflectionArguments.model_fields) == set(ReflectionDraft.model_fields) - more
    words = dict.fromkeys(ReflectionArguments.model_fields, " a ")
    draft = Verdict(**words, helpful_memory_ids=("mem_1",)).draft
    assert draft == ReflectionDraft.model_validate(
        {name: ("a",) if name == "claims" else (" a ",) if name == "applicable_tools" else "a" for name in words}
    )


@given(
    result=st.sampled_from(["", "pass", "fail"]),
    feedback=texts,
    guidance=texts,
    helpful=st.lists(ids, max_size=3, unique=True),
    alpha=st.floats(0, 1),
    source=texts,
)
def test_the_verdict_of_a_submission_is_the_one_of_a_review(
    result: str, feedback: str, guidance: str, helpful: list[str], alpha: float, source: str
) -> None:
    shared = {"feedback": feedback, "guidance": guidance, "helpful_memory_ids": helpful, "alpha": alpha}
    shared["source"] = source
    assert Submission(**TASK, review_result=result, **shared).verdict == Verdict(result=result, **shared)
    assert set(Verdict.model_fields) - {"result"} <= set(Submission.model_fields)
    assert set(ReviewArguments.model_fields) < set(ReviewRequest.model_fields)


def test_review_states_are_those_of_the_domain() -> None:
    assert input_schema(TraceListRequest)["properties"]["review_status"]["enum"] == ["pending", "reviewed", "all"]
