"""Who writes the reflection, through the tools, with a real HTTP server behind the openai client."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.client import Client
from mcp_types import CreateMessageResult, TextContent

from tests.support.home_files import files_with
from tests.support.llm_server import WORDS, closed_url, fenced, hang, llm_server, reflection, says, status
from tests.support.servers import ERAS, call, connect
from tests.support.waiting import HANG_S

pytestmark = pytest.mark.anyio

TASK = "Run the tests of the parser"
MESSAGES = [
    {"role": "user", "content": TASK},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "1", "type": "function", "function": {"name": "run_tests", "arguments": '{"fast": 1}'}}],
    },
    {"role": "tool", "tool_call_id": "1", "content": "Error: unrecognized flag --fast"},
]
FAILED = {"task": TASK, "trajectory": MESSAGES, "review_result": "fail", "feedback": "the flag is wrong"}


def model_at(base_url: str, **more: str) -> dict[str, str]:
    settings = {"MODEL": "scripted", "BASE_URL": base_url, "TIMEOUT_S": str(HANG_S)} | more
    return {f"MCP_REFLECT_REFLECTION__{name}": value for name, value in settings.items()}


async def settled(client: Client, trace_id: str) -> dict[str, Any]:
    """The trace once its reflection is no longer queued."""
    with anyio.fail_after(HANG_S):
        while True:
            shown = await call(client, "get_trace", trace_id=trace_id)
            if shown["ingest_status"] != "queued":
                return shown
            await anyio.sleep(0.05)


@pytest.mark.parametrize("answer", [reflection(), fenced()], ids=["structured", "fenced"])
async def test_the_configured_model_writes_the_reflection(tmp_path: Path, answer: Any) -> None:
    with llm_server() as server:
        server.default(answer)
        async with connect(tmp_path / "home", more=model_at(server.base_url)) as client:
            outcome = await call(client, "submit_trace", **FAILED)
            assert outcome["ingest_status"] == "completed"
            memory = outcome["memory"]
            assert memory["author"] == "llm"
            assert memory["key_mistake"] == WORDS["key_mistake"]
            assert memory["applicable_tools"] == WORDS["applicable_tools"]
            assert memory["tools_used"] == ["run_tests"]
        assert "unrecognized flag" in server.requests[0].prompt


async def test_prose_becomes_the_text_of_the_reflection(tmp_path: Path) -> None:
    prose = "The runner has no flag called fast; leave it out and run everything."
    with llm_server() as server:
        server.default(says(prose))
        async with connect(tmp_path / "home", more=model_at(server.base_url)) as client:
            outcome = await call(client, "submit_trace", **FAILED)
            assert (outcome["memory"]["author"], outcome["memory"]["reflection"]) == (
                "llm",
                f"{prose}\n  Reviewer: the flag is wrong",
            )


async def test_the_calling_agent_comes_before_the_model(tmp_path: Path) -> None:
    with llm_server() as server:
        async with connect(tmp_path / "home", more=model_at(server.base_url)) as client:
            outcome = await call(client, "submit_trace", **FAILED, guidance="Leave the flag out.")
            assert outcome["memory"]["author"] == "agent"
        assert server.requests == []


@pytest.mark.parametrize(
    ("author", "expected"), [("extractive", "extractive"), ("agent", "agent"), ("llm", "llm"), ("auto", "agent")]
)
async def test_the_setting_says_who_writes(tmp_path: Path, author: str, expected: str) -> None:
    with llm_server() as server:
        more = model_at(server.base_url, AUTHOR=author)
        async with connect(tmp_path / "home", more=more) as client:
            outcome = await call(client, "submit_trace", **FAILED, guidance="Leave the flag out.")
            assert outcome["memory"]["author"] == expected


BROKEN = {
    "empty": [says("")],
    "rate limited": [status(429, retry_after="1")],
    "server error": [status(500)],
    "hanging": [hang()],
}


@pytest.mark.parametrize("trouble", [*BROKEN, "refused"])
async def test_a_broken_model_costs_neither_the_review_nor_the_learning(tmp_path: Path, trouble: str) -> None:
    home = tmp_path / "home"
    async with connect(home) as client:
        await call(client, "submit_trace", task=TASK, review_result="pass", guidance="first lesson")
    with llm_server() as server:
        for answer in BROKEN.get(trouble, []):
            server.default(answer)
        url = closed_url() if trouble == "refused" else server.base_url
        limit = {"TIMEOUT_S": "2"} if trouble == "hanging" else {}
        async with connect(home, more=model_at(url, **limit)) as client:
            with anyio.fail_after(HANG_S):
                told = await call(client, "query_memories", task=TASK)
                outcome = await call(client, "submit_trace", **FAILED)
            assert outcome["review_status"] == "reviewed"
            assert outcome["ingest_status"] == "queued"
            assert outcome["memory"]["author"] == "extractive"
            assert outcome["last_error"]
            assert [u["memory_id"] for u in outcome["q_updates"]] == [told["memories"][0]["id"]]
            assert outcome["q_updates"][0]["q_after"] == pytest.approx(0.35)
            stats = await call(client, "memory_stats")
            assert stats["reflections"]["queued"] == 1
            assert stats["last_error"]
    # The job outlives the process: a later one, with a model that works, writes it.
    with llm_server() as server:
        async with connect(home, more=model_at(server.base_url)) as client:
            shown = await settled(client, outcome["trace_id"])
            assert (shown["memory"]["author"], shown["memory"]["id"]) == ("llm", outcome["memory"]["id"])
            assert (await call(client, "memory_stats"))["reflections"]["queued"] == 0


async def test_a_model_that_refuses_leaves_an_extractive_reflection_and_the_reason(tmp_path: Path) -> None:
    with llm_server() as server:
        server.default(status(401, "bad key"))
        async with connect(tmp_path / "home", more=model_at(server.base_url)) as client:
            outcome = await call(client, "submit_trace", **FAILED)
            assert (outcome["ingest_status"], outcome["memory"]["author"]) == ("completed", "extractive")
            assert "401" in outcome["last_error"]


async def test_where_only_the_model_may_write_a_refusal_is_a_failure(tmp_path: Path) -> None:
    with llm_server() as server:
        server.default(status(401, "bad key"))
        async with connect(tmp_path / "home", more=model_at(server.base_url, AUTHOR="llm")) as client:
            outcome = await call(client, "submit_trace", **FAILED)
            assert (outcome["ingest_status"], outcome["memory"]) == ("failed", None)
            assert "401" in (await call(client, "memory_stats"))["last_error"]


async def test_a_second_review_hides_the_memory_until_it_is_written_anew(tmp_path: Path) -> None:
    with llm_server() as server:
        async with connect(tmp_path / "home", more=model_at(server.base_url)) as client:
            first = await call(client, "submit_trace", **FAILED)
            server.default(status(500))
            second = await call(client, "review_trace", trace_id=first["trace_id"], result="pass")
            assert (second["ingest_status"], second["memory"]) == ("queued", None)
            assert (await call(client, "query_memories", task=TASK))["memories"] == []
            server.default(reflection(summary="It passed after all."))
            shown = await settled(client, first["trace_id"])
            assert shown["memory"]["id"] == first["memory"]["id"]
            summary = shown["memory"]["summary"].splitlines()[0]  # behind it stands what the model took from the tool
            assert (summary, shown["memory"]["success"]) == ("It passed after all.", True)
            assert len((await call(client, "query_memories", task=TASK))["memories"]) == 1


async def test_the_daily_limit_of_tokens_holds_the_model_back(tmp_path: Path) -> None:
    with llm_server() as server:
        more = model_at(server.base_url, MAX_TOKENS_PER_DAY="100")
        async with connect(tmp_path / "home", more=more) as client:
            first = await call(client, "submit_trace", **FAILED)  # uses 120
            second = await call(client, "submit_trace", **FAILED)
            assert (first["ingest_status"], second["ingest_status"]) == ("completed", "queued")
            assert "daily limit" in second["last_error"]
        assert len(server.requests) == 1


async def test_a_prompt_of_the_user_takes_the_place_of_ours(tmp_path: Path) -> None:
    home = tmp_path / "home"
    (home / "prompts").mkdir(parents=True)
    (home / "prompts" / "reflect_fail.md").write_text("Say in French why this failed: {{ task }}")
    with llm_server() as server:
        async with connect(home, more=model_at(server.base_url)) as client:
            await call(client, "submit_trace", **FAILED)
        assert server.requests[0].prompt.strip() == f"Say in French why this failed: {TASK}"


async def test_a_model_cannot_bring_secrets_into_a_reflection(tmp_path: Path) -> None:
    key = "ghp_" + "a1B2c3D4e5F6" * 3
    with llm_server() as server:
        server.default(reflection(guidance=f"Log in with {key}", claims=[f"The token is {key}"]))
        async with connect(tmp_path / "home", more=model_at(server.base_url)) as client:
            outcome = await call(client, "submit_trace", **FAILED)
            memory = (await settled(client, outcome["trace_id"]))["memory"]
            assert memory["author"] == "llm"
            assert memory["guidance"].startswith("Log in with [redacted:github-token]")
    assert files_with(tmp_path / "home", key.encode()) == []


async def test_secrets_are_redacted_before_the_model_sees_them(tmp_path: Path) -> None:
    key = "ghp_" + "a1B2c3D4e5F6" * 3
    with llm_server() as server:
        async with connect(tmp_path / "home", more=model_at(server.base_url)) as client:
            await call(client, "submit_trace", **FAILED | {"feedback": f"token {key}", "final_response": key})
        assert key not in json.dumps([request.body for request in server.requests])


@pytest.mark.parametrize("era", ERAS)
async def test_the_clients_own_model_writes_where_it_is_offered(tmp_path: Path, era: str) -> None:
    asked: list[str] = []

    async def sample(_: Any, params: Any) -> CreateMessageResult:
        asked.append(params.messages[0].content.text)
        words = TextContent(type="text", text=json.dumps(WORDS))
        return CreateMessageResult(role="assistant", content=words, model="client", stop_reason="end")

    async with connect(tmp_path / "home", "memory", era, sampling_callback=sample) as client:
        outcome = await call(client, "submit_trace", **FAILED)
        assert (outcome["ingest_status"], outcome["memory"]["author"]) == ("completed", "sampling")
        assert outcome["memory"]["key_mistake"] == WORDS["key_mistake"]
        assert (await call(client, "memory_stats"))["traces"]["total"] == 1
        again = await call(client, "review_trace", trace_id=outcome["trace_id"], result="pass")
        assert again["memory"]["success"] is True
    assert len(asked) == 2
    assert "unrecognized flag" in asked[0]


async def test_a_client_whose_model_says_nothing_leaves_the_reflection_to_the_queue(tmp_path: Path) -> None:
    async def sample(_: Any, __: Any) -> CreateMessageResult:
        return CreateMessageResult(role="assistant", content=TextContent(type="text", text=""), model="client")

    async with connect(tmp_path / "home", sampling_callback=sample) as client:
        outcome = await call(client, "submit_trace", **FAILED)
        assert (outcome["review_status"], outcome["ingest_status"]) == ("reviewed", "queued")


@pytest.mark.parametrize("era", ERAS)
async def test_what_is_stored_is_not_said_to_be_lost_where_a_prompt_cannot_be_rendered(
    tmp_path: Path, era: str
) -> None:
    home = tmp_path / "home"
    (home / "prompts").mkdir(parents=True)
    (home / "prompts" / "reflect_fail.md").write_text("{{ task }}{{ 1 // (feedback | length) }}")

    async def sample(_: Any, __: Any) -> CreateMessageResult:
        raise AssertionError("there is nothing to ask")

    async with connect(home, "memory", era, sampling_callback=sample) as client:
        outcome = await call(client, "submit_trace", **{**FAILED, "feedback": ""})
        assert (outcome["review_status"], outcome["ingest_status"]) == ("reviewed", "queued")
        assert (await call(client, "memory_stats"))["traces"]["total"] == 1
