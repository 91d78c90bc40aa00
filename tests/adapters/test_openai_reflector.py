"""The LLM path against a real HTTP server: what is asked, and what is made of the answers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from mcp_reflect.adapters.openai_reflector import OpenAIReflector
from mcp_reflect.adapters.openai_reflector.chat import ChatServer
from mcp_reflect.adapters.prompts import Prompts
from mcp_reflect.application.ports import Usage
from mcp_reflect.domain.models import Material, Observation
from mcp_reflect.domain.trajectory.run import ParsedRun, ReviewedRun
from mcp_reflect.errors import ReflectorBusy
from tests.support.asking import KEY, TASK, a_run, asking
from tests.support.llm_server import (
    WORDS,
    Answer,
    LLMServer,
    fenced,
    hang,
    llm_server,
    raw,
    reflection,
    says,
    status,
    without_response_format,
)
from tests.support.values import make_memory, make_trace

PROSE = "Look at the help of a tool before you use a flag of it."


@pytest.fixture
def server() -> Iterator[LLMServer]:
    with llm_server() as running:
        yield running


def test_a_well_formed_answer_takes_one_request_with_an_enforced_schema(server: LLMServer) -> None:
    draft = asking(server).reflect(a_run())
    assert draft.model_dump(exclude_defaults=True, mode="json") == WORDS
    (request,) = server.requests
    assert request.path == "/v1/chat/completions"
    assert request.headers["authorization"] == f"Bearer {KEY}"
    schema = request.response_format["json_schema"]
    assert schema["strict"] is True
    assert schema["schema"]["required"] == [*WORDS, "claims"]
    assert schema["schema"]["additionalProperties"] is False
    # Reasoning models refuse more than these.
    assert set(request.body) == {"model", "messages", "response_format"}
    assert TASK in request.prompt


def test_json_in_a_code_fence_needs_no_second_request(server: LLMServer) -> None:
    server.enqueue(fenced(summary="From a fence."))
    assert asking(server).reflect(a_run()).summary == "From a fence."
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("key", "stored"),
    [("token/of.no-known_form?42", "[redacted:api-key]"), ("ollama", "ollama"), ("none", "none")],
)
def test_a_key_that_the_server_echoes_stays_out_of_the_answer_and_a_word_for_no_key_in_it(
    server: LLMServer, key: str, stored: str
) -> None:
    server.default(reflection(guidance=f"You sent {key}."))
    reflector = OpenAIReflector("scripted", server.base_url, key, 20, Prompts())
    assert reflector.reflect(a_run()).guidance == f"You sent {stored}."


@pytest.mark.parametrize("code", [400, 404, 422])
def test_a_server_without_response_format_is_asked_for_json_in_text_and_remembered(
    server: LLMServer, code: int
) -> None:
    server.default(without_response_format(fenced(), code))
    reflector = asking(server)
    assert reflector.reflect(a_run()).summary == WORDS["summary"]
    assert reflector.reflect(a_run()).summary == WORDS["summary"]
    assert [request.response_format is not None for request in server.requests] == [True, False, False]
    assert '"applicable_tools": ["..."]' in server.requests[1].prompt


def test_prose_is_asked_for_json_once_more_and_then_taken_as_it_is(server: LLMServer) -> None:
    server.default(says(PROSE))
    draft = asking(server).reflect(a_run())
    assert draft.model_dump(exclude_defaults=True) == {"text": PROSE}
    assert [request.response_format is not None for request in server.requests] == [True, False, False]
    assert "plain prose" in server.requests[2].prompt


def test_the_last_retry_takes_json_as_well(server: LLMServer) -> None:
    server.enqueue(says(PROSE), says(""), reflection(summary="At last."))
    draft = asking(server).reflect(a_run())
    assert (draft.summary, draft.text) == ("At last.", "")


@pytest.mark.parametrize(
    "answer",
    [
        says(""),
        says(None),
        says(None, refusal=""),
        says("<think>I should think about what to"),
        says('{"summary": "", "guidance": null}'),
        says('{"summary": "cut off in the mid'),
        says(json.dumps({"answer": 42})),
        raw({"choices": []}),
        raw({"error": {"message": "overloaded"}}),
        raw(["no", "object"]),
        raw(b"<html>a captive portal</html>", content_type="text/html"),
        raw(b"\xff\xfe not text"),
        raw(b"[" * 100_000),
    ],
    ids=lambda answer: answer.body[:60].decode(errors="replace") if isinstance(answer, Answer) else None,
)
def test_answers_that_hold_nothing_end_as_busy_after_three_tries(server: LLMServer, answer: Answer) -> None:
    server.default(answer)
    with pytest.raises(ReflectorBusy, match=r"scripted at 127\.0\.0\.1:[0-9]+: the answer was empty"):
        asking(server).reflect(a_run())
    assert len(server.requests) == 3


@pytest.mark.slow
def test_prose_in_hand_outlives_the_failure_of_asking_again(server: LLMServer) -> None:
    server.enqueue(says(PROSE), status(429))
    assert asking(server).reflect(a_run()).text == PROSE
    server.enqueue(says(PROSE), hang())
    assert asking(server, 2).reflect(a_run()).text == PROSE


def test_content_in_parts_is_read_without_the_thoughts(server: LLMServer) -> None:
    parts = [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": json.dumps(WORDS)}, {"type": "image"}]
    server.enqueue(says(parts))
    assert asking(server).reflect(a_run()).guidance == WORDS["guidance"]


def test_a_run_that_passed_has_no_mistake_whatever_the_model_says(server: LLMServer) -> None:
    draft = asking(server).reflect(a_run("pass"))
    assert draft.key_mistake == ""
    assert draft.guidance == WORDS["guidance"]
    assert "SUCCESS" in server.requests[0].prompt


def test_a_long_run_is_cut_to_the_limit_of_the_prompt(server: LLMServer) -> None:
    run = a_run()
    trace = run.trace.model_copy(update={"trajectory": "a line of a log\n" * 100_000})
    long = ParsedRun.of(trace).reviewed(run.review)
    asking(server, prompts=Prompts(max_chars=9_000)).reflect(long)
    assert 8_000 < len(server.requests[0].prompt) <= 9_000


# -- accounting


def test_each_request_is_accounted_as_the_server_counts_it(server: LLMServer) -> None:
    spent: list[Usage] = []
    server.enqueue(says(PROSE), reflection(usage={"prompt_tokens": 7, "completion_tokens": 3}))
    asking(server, spend=spent.append).reflect(a_run())
    assert spent == [Usage(100, 20), Usage(7, 3)]


@pytest.mark.parametrize(
    "usage",
    [
        *(None, {}, {"prompt_tokens": -1}, {"prompt_tokens": "many"}, "none"),
        *({"prompt_tokens": n, "completion_tokens": n} for n in (10**30, 2**62, 1_000_000, 1e30, 0.5)),
    ],
)
def test_what_the_server_does_not_count_or_cannot_have_counted_is_estimated(server: LLMServer, usage: Any) -> None:
    spent: list[Usage] = []
    server.enqueue(reflection(usage=usage))
    asking(server, spend=spent.append).reflect(a_run())
    assert spent[0].prompt == pytest.approx(len(server.requests[0].prompt) / 4, abs=1)
    assert spent[0].completion == pytest.approx(len(json.dumps(WORDS)) / 4, abs=1)


def test_the_thoughts_of_a_model_count_although_nobody_sees_them(server: LLMServer) -> None:
    spent: list[Usage] = []
    server.enqueue(reflection(usage={"prompt_tokens": 900, "completion_tokens": 60_000}))
    asking(server, spend=spent.append).reflect(a_run())
    assert spent == [Usage(900, 60_000)]


def test_a_request_that_was_refused_costs_nothing(server: LLMServer) -> None:
    spent: list[Usage] = []
    server.enqueue(status(500))
    with pytest.raises(ReflectorBusy):
        asking(server, spend=spent.append).reflect(a_run())
    assert spent == []


def test_a_server_is_shown_without_its_credentials() -> None:
    assert str(ChatServer("m", "https://ada:secret@host:8/v1", KEY, 1)) == "m at host:8"
    assert str(ChatServer("m", None, None, 1)) == "m at api.openai.com"


def judging() -> ReviewedRun:
    run = a_run()
    memory = make_memory(run.trace, id="mem_shown", reflection="Leave the flag out.")
    return replace(run, retrieved=(memory,))


def test_only_a_run_with_memories_to_judge_is_asked_about_them(server: LLMServer) -> None:
    server.default(reflection(helpful_memory_ids=["mem_shown"], harmful_memory_ids=[], claims=["A fact - it counts."]))
    draft = asking(server).reflect(judging())
    assert (draft.helpful_memory_ids, draft.claims) == (("mem_shown",), ("A fact - it counts.",))
    asking(server).reflect(a_run())
    asked, not_asked = ([*r.response_format["json_schema"]["schema"]["required"]] for r in server.requests)
    assert asked == [*not_asked, "helpful_memory_ids", "harmful_memory_ids"]
    assert "mem_shown: Leave the flag out." in server.requests[0].prompt
    assert "memory_ids" not in server.requests[1].prompt


def material() -> Material:
    trace = make_trace(id="trace_one", task=TASK)
    return Material(focus="flags", observations=(Observation(trace=trace, result="fail", importance=1.0),))


INSIGHT = {"text": "Ask for help first.", "importance": 0.7, "evidence": ["trace_one", "trace_made_up"]}


def test_insights_come_in_an_enforced_schema_with_known_runs_only(server: LLMServer) -> None:
    server.default(says(json.dumps({"insights": [INSIGHT, {"text": "Unfounded.", "evidence": ["trace_made_up"]}]})))
    (insight,) = asking(server).insights(material())
    assert (insight.text, insight.importance, insight.evidence) == ("Ask for help first.", 0.7, ("trace_one",))
    (request,) = server.requests
    assert request.response_format["json_schema"]["name"] == "insights"
    assert "trace_one: " in request.prompt


def test_insights_of_a_server_without_response_format_are_read_from_text(server: LLMServer) -> None:
    answer = says("Here:\n```json\n" + json.dumps({"insights": [INSIGHT]}) + "\n```")
    server.default(without_response_format(answer))
    assert [insight.text for insight in asking(server).insights(material())] == ["Ask for help first."]
    assert len(server.requests) == 2


@pytest.mark.parametrize("answer", [says("No idea."), says(""), says('{"insights": []}')])
def test_an_answer_without_insights_is_worth_another_try(server: LLMServer, answer: Answer) -> None:
    server.default(answer)
    spent: list[Usage] = []
    with pytest.raises(ReflectorBusy, match="no insight"):
        asking(server, spend=spent.append).insights(material())
    assert len(spent) == len(server.requests) == 2
