"""Every Reflector turns any reviewed run into words, or says in its own errors why not."""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mcp_reflect.adapters.extractive_reflector import ExtractiveReflector
from mcp_reflect.adapters.openai_reflector import OpenAIReflector
from mcp_reflect.adapters.prompts import Prompts
from mcp_reflect.application.ports import Reflector
from mcp_reflect.domain.lessons.drafting.feedback import is_bare_verdict
from mcp_reflect.domain.models import ReflectionDraft
from mcp_reflect.domain.trajectory.parsing import parse
from mcp_reflect.domain.trajectory.run import ParsedRun, ReviewedRun
from tests.support.effort import examples
from tests.support.llm_server import llm_server
from tests.support.values import make_review, make_trace

CHAT = json.dumps(
    [
        {"role": "user", "content": "Run the tests of the parser."},
        {
            "role": "assistant",
            "tool_calls": [{"id": "a", "function": {"name": "run_tests", "arguments": '{"path": "tests", "fast": 1}'}}],
        },
        {"role": "tool", "tool_call_id": "a", "content": "error: unrecognized arguments: --fast"},
        {
            "role": "assistant",
            "tool_calls": [{"id": "b", "function": {"name": "run_tests", "arguments": '{"path": "tests"}'}}],
        },
        {"role": "tool", "tool_call_id": "b", "content": "12 passed"},
        {"role": "assistant", "content": "All tests pass."},
    ]
)


def run_of(
    result: str = "fail",
    *,
    task: str = "Run the tests of the parser.",
    trajectory: str = "",
    feedback: str = "",
    **more: str,
) -> ReviewedRun:
    parsed = parse(trajectory)
    trace = make_trace(task=task, trajectory=parsed.text, tools_used=parsed.tools_used, **more)
    return ParsedRun(trace, parsed).reviewed(make_review(trace, 1, result=result, feedback=feedback))


@pytest.fixture(scope="module", params=["extractive", "llm"])
def reflector(request: pytest.FixtureRequest) -> Iterator[Reflector]:
    if request.param == "extractive":
        yield ExtractiveReflector()
        return
    with llm_server() as server:
        yield OpenAIReflector("scripted", server.base_url, "sk-test", 20, Prompts())


RUNS = {
    "failed with feedback": run_of(trajectory=CHAT, feedback="The flag --fast does not exist."),
    "failed without feedback": run_of(trajectory=CHAT),
    "passed with tool calls": run_of("pass", trajectory=CHAT),
    "plain text": run_of("pass", trajectory="$ pytest\nValueError: unknown flag\n$ pytest tests\n12 passed"),
    "everything there is": run_of(
        trajectory=CHAT, feedback="no", final_response="done", reference_context="pytest tests", task="x" * 32_000
    ),
}


NOTHING_TO_LEARN = (run_of(), run_of("pass"), run_of("pass", trajectory='[{"role": "user", "content": "Thanks!"}]'))


@pytest.mark.parametrize("run", RUNS.values(), ids=RUNS.keys())
def test_a_run_with_something_to_say_gets_words_and_stays_as_it_is(reflector: Reflector, run: ReviewedRun) -> None:
    before = deepcopy(run)
    draft = reflector.reflect(run)
    assert not draft.is_empty
    assert run == before
    assert reflector.author in {"extractive", "llm"}


@pytest.mark.slow
@pytest.mark.parametrize("result", ["pass", "fail"])
def test_a_huge_trajectory_gets_a_reflection_of_common_size(reflector: Reflector, result: str) -> None:
    messages = json.loads(CHAT) * 2_000
    draft = reflector.reflect(run_of(result, trajectory=json.dumps(messages), feedback="a long word " * 10_000))
    assert not draft.is_empty
    assert all(len(str(value)) <= 4_000 for value in draft.model_dump().values())
    text = reflector.reflect(run_of(result, trajectory="a line of a log\n" * 240_000, feedback="a long word " * 10_000))
    assert not text.is_empty
    assert all(len(str(value)) <= 4_000 for value in text.model_dump().values())


@settings(max_examples=examples(40), suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(
    result=st.sampled_from(["pass", "fail"]),
    task=st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=200),
    feedback=st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=200),
    said=st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=300),
)
def test_no_text_breaks_a_reflector(reflector: Reflector, result: str, task: str, feedback: str, said: str) -> None:
    trajectory = json.dumps([{"role": "assistant", "content": said}])
    draft = reflector.reflect(run_of(result, task=task, trajectory=trajectory, feedback=feedback, final_response=said))
    assert not draft.is_empty or not feedback.strip() or is_bare_verdict(feedback.strip())


# -- `extractive`; what it takes from a run is tested in tests/domain/lessons/test_lessons.py


@pytest.mark.parametrize("run", NOTHING_TO_LEARN, ids=["failed", "passed", "courtesy"])
def test_nothing_is_made_up_where_nothing_was_learned(run: ReviewedRun) -> None:
    assert ExtractiveReflector().reflect(run) == ReflectionDraft()


def test_the_tools_are_those_that_the_lesson_names() -> None:
    assert ExtractiveReflector().reflect(RUNS["failed with feedback"]).applicable_tools == ("run_tests",)
    calls = [{"id": str(n), "function": {"name": f"tool_{n}", "arguments": '{"of": "all"}'}} for n in range(100)]
    many = run_of("pass", trajectory=json.dumps([{"role": "assistant", "tool_calls": calls}]))
    draft = ExtractiveReflector().reflect(many)
    named = [name for name in many.trace.tools_used if f"`{name}(" in draft.correct_action]
    assert list(draft.applicable_tools) == named
    assert 0 < len(draft.applicable_tools) <= 20


def test_a_tool_that_only_refused_is_no_tool_for_the_task() -> None:
    steps = [
        ("amend_declaration", {"hs": "8507.60"}, '{"error": "needs broker mandate"}'),
        ("message_broker", {"broker": "Kuiper", "text": "amend_declaration please"}, '{"sent": true}'),
    ]
    messages: list[dict[str, object]] = [{"role": "user", "content": "Get the shipment released"}]
    for number, (name, arguments, answer) in enumerate(steps):
        call = {"id": f"c{number}", "function": {"name": name, "arguments": json.dumps(arguments)}}
        messages.append({"role": "assistant", "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": f"c{number}", "content": answer})
    draft = ExtractiveReflector().reflect(run_of("pass", task="Release it", trajectory=json.dumps(messages)))
    assert "amend_declaration" in draft.correct_action + draft.guidance
    assert draft.applicable_tools == ("message_broker",)
