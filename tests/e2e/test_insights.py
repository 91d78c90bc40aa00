"""Insights through the tools: who draws them, how they merge, and what an agent is told at the start."""

from __future__ import annotations

import json
import re
import threading
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.client import Client
from mcp_types import CreateMessageResult, TextContent
from typer.testing import CliRunner

from mcp_reflect.cli.app import build_app
from tests.e2e.test_claims import differing, model_at, until
from tests.support.home_files import files_with
from tests.support.llm_server import Answer, Request, hang, llm_server, reflection, says, status
from tests.support.servers import ERAS, call, connect, environment, refusal
from tests.support.waiting import HANG_S

pytestmark = pytest.mark.anyio

HELP = "Ask a command for its help before using a flag from memory."
VPN = "The staging database needs the VPN to be up."
VPN_AGAIN = "Without the VPN, the staging database cannot be reached."
RETRY, NEVER_RETRY = "Retry the request when the server is busy.", "Never retry a request when the server is busy."
LONG = "step " * 120


def insights_setting(**values: object) -> dict[str, str]:
    return {f"MCP_REFLECT_INSIGHTS__{name.upper()}": str(value) for name, value in values.items()}


async def runs(client: Client, number: int = 3, **more: Any) -> list[str]:
    """Submitted runs, failed and passed in turn; the ids, oldest first."""
    ids = []
    for i in range(number):
        result = {"review_result": "pass" if i % 2 else "fail", "feedback": f"verdict {i}", "guidance": "g"}
        stored = await call(client, "submit_trace", task=f"Task {i}", trajectory=LONG, **(result | more))
        ids.append(stored["trace_id"])
    return ids


def insight(text: str, *evidence: str, importance: float = 0.5) -> dict[str, Any]:
    return {"text": text, "importance": importance, "evidence": list(evidence)}


async def told(client: Client) -> dict[str, dict[str, Any]]:
    """The insights in use, by text."""
    context = await call(client, "project_context", limit=100)
    return {entry["text"]: entry for entry in context["insights"]}


async def settled(client: Client) -> dict[str, Any]:
    """The figures of insights once a job is done or was tried in vain."""
    stats = await until(
        client, lambda s: s["insights"]["completed"] + s["insights"]["failed"] > 0 or bool(s["insights"]["last_error"])
    )
    figures: dict[str, Any] = stats["insights"]
    return figures


def drawing(*texts: str) -> Any:
    """A model that answers questions about many runs with insights on all of them, others with a reflection."""

    def script(request: Request) -> Answer:
        ids = sorted(set(re.findall(r"trace_[a-z0-9]+", request.prompt)))
        if "several runs" not in request.prompt:
            return reflection()
        return says(json.dumps({"insights": [insight(text, *ids, importance=0.8) for text in texts]}))

    return script


async def test_the_calling_agent_draws_insights_from_the_runs_it_is_shown(tmp_path: Path) -> None:
    home = tmp_path / "home"
    async with connect(home) as client:
        ids = await runs(client)
        asked = await call(client, "reflect", focus="databases")
        assert asked["status"] == "your_turn"
        assert [(run["trace_id"], run["result"]) for run in asked["runs"]] == [
            (ids[2], "fail"), (ids[1], "pass"), (ids[0], "fail"),
        ]  # fmt: skip
        assert "verdict 2" in asked["runs"][0]["told"]
        assert "call reflect again" in asked["next_step"]
        assert "databases" in asked["next_step"]
        stored = await call(client, "reflect", insights=[insight(VPN, *ids, importance=0.9)])
        (kept,) = stored["insights"]
        assert (kept["text"], kept["importance"], kept["q_value"]) == (VPN, 0.9, 0.5)
        assert kept["evidence"] == ids
        # An insight is a memory like others: found by its own text, with a run behind it.
        (found,) = (await call(client, "query_memories", task=VPN_AGAIN, limit=1))["memories"]
        assert (found["id"], found["kind"], found["author"]) == (kept["memory_id"], "insight", "agent")
        assert found["source_trace_id"] == ids[2]
        resource = (await client.read_resource("reflect://insights")).contents[0].text  # type: ignore[union-attr]
        assert json.loads(resource)["insights"] == [kept]
    assert differing(home) == []


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ([insight(VPN, "trace_unknown")], "unknown trace_unknown"),
        ([insight(VPN)], "evidence of number 1: is empty"),
        ([insight(" ", "trace_1")], "is empty"),
        ([insight(VPN, "trace_1", importance=1.5)], "got 1.5"),
        ([{"txt": VPN}], "text of number 1: is required"),
        ([insight(VPN, "trace_1"), {**insight(VPN, "trace_1"), "colour": 1}], "colour of number 2"),
        (["words"], "number 1 is str"),
        ([insight(VPN, "trace_1")] * 6, "has 6 members"),
    ],
)
async def test_insights_that_cannot_be_kept_are_refused_with_the_reason(
    tmp_path: Path, given: list[Any], problem: str
) -> None:
    async with connect(tmp_path / "home") as client:
        await runs(client, 1)
        message = await refusal(client, "reflect", insights=given)
        assert message.startswith("insights")
        assert problem in message
        assert await told(client) == {}


async def test_only_runs_are_evidence(tmp_path: Path) -> None:
    async with connect(tmp_path / "home") as client:
        recorded = await call(client, "record_error_fix", task="deploy", mistake="disk full", fix="make room")
        memory = (await call(client, "query_memories", task="deploy", similarity_threshold=0))["memories"][0]
        assert memory["id"] == recorded["memory_id"]
        message = await refusal(client, "reflect", insights=[insight(VPN, memory["source_trace_id"])])
        assert memory["source_trace_id"] in message
        assert await told(client) == {}


async def test_the_same_said_differently_merges_with_the_evidence_of_both(tmp_path: Path) -> None:
    home = tmp_path / "home"
    async with connect(home) as client:
        ids = await runs(client, 4)
        await call(client, "reflect", insights=[insight(VPN, *ids[:2])])
        stored = await call(client, "reflect", insights=[insight(HELP, ids[0], importance=0.3)])
        assert [entry["text"] for entry in stored["insights"]] == [HELP]
        again = [insight(VPN_AGAIN, *ids[1:3])]
        for _ in range(2):  # saying it twice with the same runs adds nothing
            await call(client, "reflect", insights=again)
            kept = await told(client)
            assert set(kept) == {VPN, HELP}
            assert kept[VPN]["evidence"] == ids[:3]
            assert kept[VPN]["importance"] == pytest.approx(1 - 0.5 * 0.5)
            assert kept[HELP]["importance"] == 0.3
    assert differing(home) == []


async def test_a_contradiction_is_kept_and_both_are_marked(tmp_path: Path) -> None:
    async with connect(tmp_path / "home") as client:
        ids = await runs(client, 2)
        await call(client, "reflect", insights=[insight(RETRY, ids[0])])
        stored = await call(client, "reflect", insights=[insight(NEVER_RETRY, ids[1])])
        assert "contradict" in stored["next_step"]
        kept = await told(client)
        assert kept[RETRY]["contradicts"] == [kept[NEVER_RETRY]["memory_id"]]
        assert kept[NEVER_RETRY]["contradicts"] == [kept[RETRY]["memory_id"]]
        assert (kept[RETRY]["evidence"], kept[NEVER_RETRY]["evidence"]) == ([ids[0]], [ids[1]])
        assert kept[RETRY]["importance"] == kept[NEVER_RETRY]["importance"] == 0.5


async def test_a_run_that_becomes_evidence_no_longer_vouches_for_the_insight(tmp_path: Path) -> None:
    home = tmp_path / "home"
    async with connect(home) as client:
        (first,) = await runs(client, 1)
        stored = await call(client, "reflect", insights=[insight(VPN, first)])
        memory_id = stored["insights"][0]["memory_id"]
        named = {"retrieved_memory_ids": [memory_id], "helpful_memory_ids": [memory_id]}
        given = {"review_result": "pass", **named, "guidance": "g"}
        second = await call(client, "submit_trace", task="Task 9", **given)
        assert (await told(client))[VPN]["q_value"] == pytest.approx(0.65)
        await call(client, "reflect", insights=[insight(VPN_AGAIN, second["trace_id"])])
        assert (await told(client))[VPN]["q_value"] == 0.5
        again = {"trace_id": first, "result": "pass", "helpful_memory_ids": [memory_id], "guidance": "g"}
        assert (await call(client, "review_trace", **again))["q_updates"] == []
    assert differing(home) == []


@pytest.mark.parametrize("capacity", [0, 1])
async def test_the_least_important_beyond_the_capacity_are_archived_and_can_come_back(
    tmp_path: Path, capacity: int
) -> None:
    async with connect(tmp_path / "home", more=insights_setting(capacity=capacity)) as client:
        ids = await runs(client)
        stored = [insight(VPN, ids[0], importance=0.5), insight(HELP, ids[0], importance=0.6)]
        await call(client, "reflect", insights=stored)
        assert list(await told(client)) == [HELP][:capacity]
        # Borne out by further runs, the other one weighs more: 1 - 0.5 * 0.5.
        await call(client, "reflect", insights=[insight(VPN_AGAIN, ids[1])])
        assert list(await told(client)) == [VPN][:capacity]


@pytest.mark.parametrize("era", ERAS)
async def test_the_clients_model_draws_insights_where_it_is_offered(tmp_path: Path, era: str) -> None:
    prompts: list[str] = []

    async def sampled(_context: object, params: Any) -> CreateMessageResult:
        prompts.append(params.messages[0].content.text)
        ids = re.findall(r"trace_[a-z0-9]+", prompts[-1])
        text = json.dumps({"insights": [insight(VPN, *ids, "trace_made_up")]})
        return CreateMessageResult(role="assistant", content=TextContent(type="text", text=text), model="m")

    async with connect(tmp_path / "home", era=era, sampling_callback=sampled) as client:
        ids = await runs(client)
        stored = await call(client, "reflect", focus="the staging database")
        assert stored["status"] == "stored"
        assert sorted(stored["insights"][0]["evidence"]) == sorted(ids)
        assert "the staging database" in prompts[-1]
        failed, passed = prompts[-1].index("RUNS THAT FAILED"), prompts[-1].index("RUNS THAT PASSED")
        assert failed < prompts[-1].index(ids[0]) < passed < prompts[-1].index(ids[1])


async def test_the_configured_model_draws_insights_in_the_background(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with llm_server() as server:
        server.default(drawing(VPN))
        async with connect(home, more=model_at(server.base_url)) as client:
            ids = await runs(client)
            queued = await call(client, "reflect")
            assert queued["status"] == "queued"
            figures = await settled(client)
            assert (figures["in_use"], figures["completed"], figures["last_error"]) == (1, 1, "")
            assert sorted((await told(client))[VPN]["evidence"]) == sorted(ids)
    assert differing(home) == []


async def test_every_so_many_runs_the_model_draws_insights_by_itself(tmp_path: Path) -> None:
    with llm_server() as server:
        server.default(drawing(VPN))
        more = model_at(server.base_url) | insights_setting(reflect_every=3)
        async with connect(tmp_path / "home", more=more) as client:
            await runs(client, 2)
            stats = await call(client, "memory_stats")
            assert (stats["insights"]["queued"], stats["insights"]["completed"]) == (0, 0)
            await runs(client, 1)
            assert (await settled(client))["completed"] == 1
            assert VPN in await told(client)


async def test_zero_is_zero_and_not_the_default(tmp_path: Path) -> None:
    with llm_server() as server:
        server.default(drawing(VPN))
        more = model_at(server.base_url) | insights_setting(reflect_every=0)
        async with connect(tmp_path / "by-hand", more=more) as client:
            await runs(client, 16)
            figures = (await call(client, "memory_stats"))["insights"]
            assert (figures["queued"], figures["completed"], figures["failed"]) == (0, 0, 0)
    async with connect(tmp_path / "none", more=insights_setting(recent_capacity=0)) as client:
        await runs(client, 1)
        assert (await call(client, "reflect"))["status"] == "nothing_to_do"
    async with connect(tmp_path / "threshold", more=insights_setting(importance_threshold=1)) as client:
        await runs(client, 1)
        await runs(client, 1, metadata={"importance": 1.0})
        assert [run["importance"] for run in (await call(client, "reflect"))["runs"]] == [1.0]
    async with connect(tmp_path / "everything", more=insights_setting(importance_threshold=0)) as client:
        await runs(client, 1, metadata={"importance": 0})
        assert [run["importance"] for run in (await call(client, "reflect"))["runs"]] == [0.0]


async def test_a_model_that_hangs_blocks_no_submit(tmp_path: Path) -> None:
    with llm_server() as server:
        asked = threading.Event()

        def script(request: Request) -> Answer:
            if "several runs" not in request.prompt:
                return reflection()
            asked.set()
            return hang()

        server.default(script)
        async with connect(tmp_path / "home", more=model_at(server.base_url, TIMEOUT_S="600")) as client:
            await call(client, "submit_trace", task="Task", trajectory=LONG)
            await call(client, "reflect")
            with anyio.fail_after(HANG_S):
                await anyio.to_thread.run_sync(asked.wait, HANG_S)
                outcome = await call(client, "submit_trace", task="Task", review_result="pass", feedback="fine")
            assert outcome["ingest_status"] == "completed"


async def test_what_went_wrong_is_told_and_a_job_outlives_its_process(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with llm_server() as server:
        server.default(status(503))
        async with connect(home, more=model_at(server.base_url)) as client:
            await call(client, "submit_trace", task="Task", trajectory=LONG)
            await call(client, "reflect")
            figures = await settled(client)
            assert figures["queued"] == 1
            assert "503" in figures["last_error"]
            assert "503" in (await call(client, "memory_stats"))["last_error"]
    with llm_server() as server:
        server.default(drawing(VPN))
        async with connect(home, more=model_at(server.base_url)) as client:
            stats = await until(client, lambda stats: stats["insights"]["completed"] == 1)
            assert stats["insights"]["last_error"] == ""
            assert VPN in await told(client)
    with llm_server() as server:
        server.default(status(401, "bad key"))
        async with connect(home, more=model_at(server.base_url)) as client:
            await call(client, "reflect")
            stats = await until(client, lambda stats: stats["insights"]["failed"] == 1)
            assert "401" in stats["insights"]["last_error"]


async def test_the_prompt_for_insights_can_be_replaced(tmp_path: Path) -> None:
    home = tmp_path / "home"
    (home / "prompts").mkdir(parents=True)
    (home / "prompts" / "insights.md").write_text("My several runs: {{ failed }} {{ passed }} {{ open }}")
    with llm_server() as server:
        server.default(drawing(VPN))
        async with connect(home, more=model_at(server.base_url)) as client:
            await call(client, "submit_trace", task="Task", trajectory=LONG)
            await call(client, "reflect")
            await settled(client)
        asked = [request.prompt for request in server.requests if "several runs" in request.prompt]
        assert asked[0].startswith("My several runs:")


async def test_a_session_starts_with_insights_recent_runs_and_open_reviews(tmp_path: Path) -> None:
    async with connect(tmp_path / "home") as client:
        empty = await call(client, "project_context")
        assert empty == {"insights": [], "recent_observations": [], "open_reviews": []}
        ids = await runs(client, 4)
        waiting = await call(client, "submit_trace", task="Waits for a review", trajectory=LONG)
        given = [insight(HELP, *ids, importance=0.2), insight(VPN, *ids, importance=0.9), insight(RETRY, ids[0])]
        await call(client, "reflect", insights=given)
        context = await call(client, "project_context", limit=2)
        assert [entry["text"] for entry in context["insights"]] == [VPN, RETRY]
        seen = [run["trace_id"] for run in context["recent_observations"]]
        assert seen == [waiting["trace_id"], ids[-1]]
        assert context["recent_observations"][0]["result"] == "pending"
        assert [run["trace_id"] for run in context["open_reviews"]] == [waiting["trace_id"]]


async def test_a_session_starts_with_the_lessons_and_errors_that_matter_most(tmp_path: Path) -> None:
    async with connect(tmp_path / "home") as client:
        run = {"task": "Start the database", "review_result": "pass", "correct_action": "`docker compose up -d db`"}
        stored = await call(client, "submit_trace", **run)
        await call(client, "record_error_fix", task="t", mistake="ImportError: yaml", fix="pip install pyyaml")
        context = await call(client, "project_context")
        assert list(context)[:2] == ["lessons", "errors"]
        (lesson,) = context["lessons"]
        assert (lesson["task"], lesson["text"]) == (run["task"], run["correct_action"])
        assert (lesson["evidence"], lesson["passed"]) == ([stored["trace_id"]], 1)
        assert context["errors"][0]["text"] == "ImportError: yaml. Fix: pip install pyyaml."
        page = (await client.read_resource("reflect://guide")).contents[0]
        assert page.mime_type == "text/markdown"
        assert f"(1 passed: {stored['trace_id']})" in page.text  # type: ignore[union-attr]


async def test_projects_and_users_do_not_see_each_others_insights(tmp_path: Path) -> None:
    home = tmp_path / "home"
    async with connect(home) as client:
        ids = await runs(client, 1)
        await call(client, "reflect", insights=[insight(VPN, *ids)])
    for stranger in (
        {"MCP_REFLECT_PROJECT": "other-project"},
        {"MCP_REFLECT_USER": "bob", "MCP_REFLECT_MEMORY__SCOPE": "user"},
    ):
        async with connect(home, more=stranger) as client:
            context = await call(client, "project_context")
            assert context == {"insights": [], "recent_observations": [], "open_reviews": []}
            assert ids[0] in await refusal(client, "reflect", insights=[insight(VPN, *ids)])
    async with connect(home, more={"MCP_REFLECT_USER": "bob"}) as client:
        assert list(await told(client)) == [VPN]


async def test_secrets_in_insights_never_reach_the_disk(tmp_path: Path) -> None:
    key = "sk-proj-" + "a1B2c3D4e5" * 4
    async with connect(tmp_path / "home") as client:
        ids = await runs(client, 1)
        stored = await call(client, "reflect", insights=[insight(f"The key is {key}", *ids)])
        assert key not in str(stored)
    assert files_with(tmp_path / "home", key.encode()) == []


async def test_a_model_cannot_bring_secrets_into_insights(tmp_path: Path) -> None:
    key = "sk-proj-" + "a1B2c3D4e5" * 4
    with llm_server() as server:
        server.default(drawing(f"The key is {key}"))
        async with connect(tmp_path / "home", more=model_at(server.base_url)) as client:
            await runs(client)
            await call(client, "reflect")
            await settled(client)
            assert list(await told(client)) == ["The key is [redacted:openai-key]"]
    assert files_with(tmp_path / "home", key.encode()) == []


async def test_recalled_memories_are_cut_out_of_insights(tmp_path: Path) -> None:
    async with connect(tmp_path / "home") as client:
        ids = await runs(client, 1)
        block = (await call(client, "augment_task", task="Task 0"))["augmented_task"].removeprefix("Task 0")
        assert "Relevant memories" in block
        await call(client, "reflect", insights=[insight(VPN + block, *ids)])
        assert list(await told(client)) == [VPN]
        message = await refusal(client, "reflect", insights=[insight(block, *ids)])
        assert "insights: a text holds nothing but recalled memories" in message


async def test_purge_forgets_insights_for_good_but_only_when_told_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    async with connect(home) as client:
        ids = await runs(client)
        stored = await call(client, "reflect", insights=[insight(VPN, *ids)])
        memory_id = stored["insights"][0]["memory_id"]
        named = {"retrieved_memory_ids": [memory_id], "helpful_memory_ids": [memory_id]}
        given = {"review_result": "pass", **named, "guidance": "g"}
        await call(client, "submit_trace", task="Task 9", **given)
    for name, value in environment(home).items():
        monkeypatch.setenv(name, value)
    runner = CliRunner()
    shown = runner.invoke(build_app(), ["purge"])
    assert (shown.exit_code, VPN in shown.output, "--apply" in shown.output) == (0, True, True)
    assert "No insights" in runner.invoke(build_app(), ["purge", "--older-than", "1", "--apply"]).output
    async with connect(home) as client:
        assert list(await told(client)) == [VPN]
    assert "1 insight forgotten" in runner.invoke(build_app(), ["purge", "--apply"]).output
    async with connect(home) as client:
        assert await told(client) == {}
        found = await call(client, "query_memories", task=VPN, similarity_threshold=0, limit=50)
        assert memory_id not in [memory["id"] for memory in found["memories"]]
        # The same insight may be drawn anew, as a new one.
        again = await call(client, "reflect", insights=[insight(VPN, *ids)])
        assert again["insights"][0]["memory_id"] != memory_id
        for action in ("restore", "adopt"):
            assert "was purged" in await refusal(client, "manage_memory", memory_id=memory_id, action=action)
    assert differing(home) == []
