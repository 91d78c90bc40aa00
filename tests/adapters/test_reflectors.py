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
from mcp_reflect.domain.trajectory.parsing import parse
from mcp_reflect.domain.trajectory.run import ParsedRun, ReviewedRun
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
    "nothing but a task": run_of(),
    "nothing but a task, passed": run_of("pass"),
    "everything there is": run_of(
        trajectory=CHAT, feedback="no", final_response="done", reference_context="pytest tests", task="x" * 32_000
    ),
}


@pytest.mark.parametrize("run", RUNS.values(), ids=RUNS.keys())
def test_any_run_gets_words_and_stays_as_it_is(reflector: Reflector, run: ReviewedRun) -> None:
    before = deepcopy(run)
    draft = reflector.reflect(run)
    assert not draft.is_empty
    assert run == before
    assert reflector.author in {"extractive", "llm"}


@pytest.mark.parametrize("result", ["pass", "fail"])
def test_a_huge_trajectory_gets_a_reflection_of_common_size(reflector: Reflector, result: str) -> None:
    messages = json.loads(CHAT) * 2_000
    draft = reflector.reflect(run_of(result, trajectory=json.dumps(messages), feedback="f" * 100_000))
    assert not draft.is_empty
    assert all(len(str(value)) <= 4_000 for value in draft.model_dump().values())
    text = reflector.reflect(run_of(result, trajectory="a line of a log\n" * 240_000, feedback="f" * 100_000))
    assert not text.is_empty


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(
    result=st.sampled_from(["pass", "fail"]),
    task=st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=200),
    feedback=st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=200),
    said=st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=300),
)
def test_no_text_breaks_a_reflector(reflector: Reflector, result: str, task: str, feedback: str, said: str) -> None:
    trajectory = json.dumps([{"role": "assistant", "content": said}])
    draft = reflector.reflect(run_of(result, task=task, trajectory=trajectory, feedback=feedback, final_response=said))
    assert not draft.is_empty


# -- what `extractive` takes from a run


def test_feedback_is_the_mistake_of_a_failed_run() -> None:
    draft = ExtractiveReflector().reflect(RUNS["failed with feedback"])
    assert draft.key_mistake == "The flag --fast does not exist."
    assert draft.summary == "Failed after 2 tool calls: Run the tests of the parser."
    assert "unrecognized arguments: --fast" in draft.guidance
    assert draft.applicable_tools == ("run_tests",)
    assert not draft.correct_action


def test_without_feedback_the_last_error_is_named_as_what_it_is() -> None:
    draft = ExtractiveReflector().reflect(RUNS["failed without feedback"])
    assert draft.key_mistake.startswith("The review gave no reason; the last error of the run was: error: unrecognized")
    assert "unrecognized" not in draft.guidance


def test_of_a_passed_run_the_calls_that_worked_are_kept_with_the_names_of_their_arguments() -> None:
    draft = ExtractiveReflector().reflect(RUNS["passed with tool calls"])
    assert draft.correct_action == "Tool calls that worked, in order: run_tests(path)"
    assert not draft.key_mistake
    assert "Errors overcome on the way" in draft.guidance


def test_a_log_without_calls_tells_how_it_ended() -> None:
    draft = ExtractiveReflector().reflect(RUNS["plain text"])
    assert draft.guidance.endswith("The run ended with: 12 passed.")
    assert "ValueError: unknown flag" in draft.guidance


def test_the_reference_of_a_failed_run_is_handed_on() -> None:
    assert "pytest tests" in ExtractiveReflector().reflect(RUNS["everything there is"]).correct_action


def test_nothing_is_made_up_where_nothing_is_known() -> None:
    draft = ExtractiveReflector().reflect(RUNS["nothing but a task"])
    assert draft.model_dump(exclude_defaults=True) == {"summary": "Failed: Run the tests of the parser."}


def test_many_calls_are_told_in_short() -> None:
    calls = [{"id": str(n), "function": {"name": f"tool_{n}", "arguments": "{}"}} for n in range(100)]
    trajectory = json.dumps([{"role": "assistant", "tool_calls": calls + calls[-1:] * 3}])
    draft = ExtractiveReflector().reflect(run_of("pass", trajectory=trajectory))
    assert "tool_0() → tool_1()" in draft.correct_action
    assert "… 88 more …" in draft.correct_action
    assert draft.correct_action.endswith("tool_99() ×4")
    assert len(draft.applicable_tools) == 20
