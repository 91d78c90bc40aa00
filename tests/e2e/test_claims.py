"""Claims, verdicts of the model, ratings and recency, through the tools."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.client import Client
from mcp_types import CreateMessageResult, TextContent

from mcp_reflect.application.maintenance.audit import audit_project
from mcp_reflect.bootstrap.store import open_store
from mcp_reflect.config.load import load_settings
from tests.support.llm_server import Answer, Request, fenced, llm_server, reflection, says
from tests.support.servers import ERAS, call, connect, environment, refusal
from tests.support.waiting import HANG_S

pytestmark = pytest.mark.anyio

TASK = "Run the tests of the parser"
CLAIMS = [
    "The staging database answers only through the VPN - queries without it hang instead of failing.",
    "The parser's tests need Python 3.12 - older interpreters cannot read their fixtures.",
]
LESSON = {"guidance": "Leave the flag out.", "summary": "The flag was wrong."}


def model_at(base_url: str, **more: str) -> dict[str, str]:
    settings = {"MODEL": "scripted", "BASE_URL": base_url, "TIMEOUT_S": str(HANG_S)} | more
    return {f"MCP_REFLECT_REFLECTION__{name}": value for name, value in settings.items()}


def differing(home: Path) -> list[str]:
    """What `mcp-reflect verify` would list."""
    with open_store(load_settings(environment(home), home.parent)) as store:
        store.indexer.sync("test-project")
        return [found.text for found in audit_project(store.ledger, store.index, store.embedder, "test-project")]


async def known(client: Client, task: str = TASK, **more: Any) -> dict[str, dict[str, Any]]:
    """What a query finds, by text."""
    told = await call(client, "query_memories", task=task, **({"limit": 20, "mmr_lambda": 1.0} | more))
    return {memory["reflection"]: memory for memory in told["memories"]}


async def until(client: Client, there: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    """The figures once they are as wanted."""
    with anyio.fail_after(HANG_S):
        while True:
            stats = await call(client, "memory_stats")
            if there(stats):
                return stats
            await anyio.sleep(0.05)


@pytest.mark.parametrize("later", [False, True], ids=["submit_trace", "review_trace"])
async def test_the_claims_of_the_calling_agent_are_memories_of_their_own(tmp_path: Path, later: bool) -> None:
    async with connect(tmp_path / "home") as client:
        if later:
            trace = await call(client, "submit_trace", task=TASK)
            given = {"trace_id": trace["trace_id"], "result": "fail", "claims": CLAIMS}
            outcome = await call(client, "review_trace", **given, **LESSON)
        else:
            outcome = await call(client, "submit_trace", task=TASK, review_result="fail", claims=CLAIMS, **LESSON)
        # Each is found by its own text, far from the task that it came from.
        for claim in CLAIMS:
            found = await known(client, claim, limit=1, lambda_=0.0)
            assert list(found) == [claim]
            memory = found[claim]
            assert memory["similarity"] == pytest.approx(1.0, abs=1e-3)
            assert (memory["kind"], memory["q_value"], memory["author"]) == ("claim", 0.5, "agent")
            assert (memory["task"], memory["source_trace_id"]) == (TASK, outcome["trace_id"])
            assert memory["success"] is False
        shown = await call(client, "get_trace", trace_id=outcome["trace_id"])
        assert sorted(claim["reflection"] for claim in shown["claims"]) == sorted(CLAIMS)


async def test_a_claim_earns_its_own_q_value_and_none_from_its_own_run(tmp_path: Path) -> None:
    home = tmp_path / "home"
    async with connect(home) as client:
        first = await call(client, "submit_trace", task=TASK, review_result="pass", claims=CLAIMS, **LESSON)
        one, two = [(await known(client, claim, limit=1))[claim]["id"] for claim in CLAIMS]
        verdict = {"review_result": "pass", "helpful_memory_ids": [one], "harmful_memory_ids": [two]}
        outcome = await call(client, "submit_trace", task="Another task", **verdict)
        moved = {update["memory_id"]: update["q_after"] for update in outcome["q_updates"]}
        assert moved == {one: pytest.approx(0.65), two: pytest.approx(0.35)}
        own = {"trace_id": first["trace_id"], "result": "pass", "helpful_memory_ids": [one, two]}
        again = await call(client, "review_trace", **own, claims=CLAIMS, **LESSON)
        assert again["q_updates"] == []
        assert (await known(client, CLAIMS[0], limit=1))[CLAIMS[0]]["q_value"] == pytest.approx(0.65)
    assert differing(home) == []


async def test_a_second_review_replaces_the_claims_of_the_first(tmp_path: Path) -> None:
    home = tmp_path / "home"
    async with connect(home) as client:
        first = await call(client, "submit_trace", task=TASK, review_result="fail", claims=CLAIMS, **LESSON)
        before = await known(client, CLAIMS[0])
        later = ["The linter reads pyproject.toml - flags on the command line win over it."]
        again = {"trace_id": first["trace_id"], "result": "pass", "claims": [CLAIMS[0], *later]}
        await call(client, "review_trace", **again, **LESSON)
        assert (await known(client, CLAIMS[0]))[CLAIMS[0]]["id"] == before[CLAIMS[0]]["id"]
        assert (await known(client, CLAIMS[0]))[CLAIMS[0]]["success"] is True
        assert CLAIMS[1] not in await known(client, CLAIMS[1])
        assert later[0] in await known(client, later[0])
        shown = await call(client, "get_trace", trace_id=first["trace_id"])
        assert {claim["reflection"]: claim["status"] for claim in shown["claims"]} == {
            CLAIMS[0]: "active",
            CLAIMS[1]: "archived",
            later[0]: "active",
        }
    assert differing(home) == []


@pytest.mark.parametrize(
    ("claims", "told"),
    [
        (["a", "b", "c", "d"], "has 4 members"),
        (["x" * 501], "501 characters"),
        ([" "], "is empty"),
        (7, "got 7"),
        ([1], "got 1"),
    ],
)
async def test_claims_out_of_bounds_are_refused(tmp_path: Path, claims: Any, told: str) -> None:
    async with connect(tmp_path / "home") as client:
        message = await refusal(client, "submit_trace", task=TASK, review_result="pass", claims=claims)
        assert "claims" in message
        assert told in message
        assert "at most 3" in message
        assert (await call(client, "memory_stats"))["traces"]["total"] == 0


async def test_an_augmented_task_shows_a_claim_as_an_entry_of_its_own(tmp_path: Path) -> None:
    async with connect(tmp_path / "home") as client:
        await call(client, "submit_trace", task=TASK, review_result="pass", claims=CLAIMS[:1], **LESSON)
        told = await call(client, "augment_task", task="Ask the staging database through the VPN")
        assert f"Past task:\n{TASK}\n\nReflection:\n{CLAIMS[0]}" in told["augmented_task"]


@pytest.mark.parametrize("form", [reflection, fenced], ids=["structured", "fenced"])
async def test_the_model_brings_claims_with_its_reflection(tmp_path: Path, form: Callable[..., Answer]) -> None:
    with llm_server() as server:
        server.default(form(claims=[*CLAIMS, "A third fact - it counts.", "A fourth - it does not."]))
        async with connect(tmp_path / "home", more=model_at(server.base_url)) as client:
            outcome = await call(client, "submit_trace", task=TASK, review_result="fail", feedback="wrong flag")
            shown = await call(client, "get_trace", trace_id=outcome["trace_id"])
            assert [claim["author"] for claim in shown["claims"]] == ["llm"] * 3
            assert CLAIMS[0] in await known(client, CLAIMS[0])


async def memories(client: Client, *words: str) -> list[str]:
    """Ids of memories that a query for the task finds, one for each lesson."""
    ids = []
    for word in words:
        stored = await call(client, "submit_trace", task=TASK, review_result="pass", guidance=word, trace_key=word)
        ids.append(stored["memory"]["id"])
    return ids


async def test_the_model_judges_which_memories_the_run_used(tmp_path: Path) -> None:
    home = tmp_path / "home"
    async with connect(home, more={"MCP_REFLECT_PROJECT": "test-project"}) as client:
        one, two, three, four = await memories(client, "first", "second", "third", "fourth")
    with llm_server() as server:
        # Only what was retrieved counts, and harmful wins over helpful.
        server.default(reflection(helpful_memory_ids=[one, two, four, "mem_unknown"], harmful_memory_ids=[two]))
        async with connect(home, more=model_at(server.base_url)) as client:
            given = {"retrieved_memory_ids": [one, two, three], "review_result": "fail", "feedback": "no"}
            outcome = await call(client, "submit_trace", task=TASK, **given)
            moved = {update["memory_id"]: update for update in outcome["q_updates"]}
            # The run's own verdict, 0.35 each at first, was replaced.
            assert moved[one]["q_after"] == pytest.approx(0.65)
            assert moved[two]["q_after"] == pytest.approx(0.35)
            assert (moved[three]["q_before"], moved[three]["q_after"], moved[three]["reward"]) == (0.5, 0.5, None)
            assert four not in moved
            review = (await call(client, "get_trace", trace_id=outcome["trace_id"]))["review"]
            assert (review["judged_by"], review["judged_helpful"], review["judged_harmful"]) == ("llm", [one], [two])
        assert len(server.requests) == 1
        assert all(memory_id in server.requests[0].prompt for memory_id in (one, two, three))
        assert "first" in server.requests[0].prompt
    assert differing(home) == []


async def test_who_names_memories_is_not_overruled(tmp_path: Path) -> None:
    home = tmp_path / "home"
    async with connect(home) as client:
        one, two = await memories(client, "first", "second")
    with llm_server() as server:
        server.default(reflection(helpful_memory_ids=[two], harmful_memory_ids=[one]))
        async with connect(home, more=model_at(server.base_url)) as client:
            given = {"retrieved_memory_ids": [one, two], "review_result": "fail", "feedback": "no"}
            outcome = await call(client, "submit_trace", task=TASK, **given, helpful_memory_ids=[one])
            assert {u["memory_id"]: u["q_after"] for u in outcome["q_updates"]} == {one: pytest.approx(0.65)}
        assert two not in server.requests[0].prompt
        assert "helpful_memory_ids" not in json.dumps(server.requests[0].body)
    assert differing(home) == []


async def test_a_verdict_that_comes_late_is_put_where_its_review_stands(tmp_path: Path) -> None:
    """The model answers when others have been reviewed already; a re-review takes the verdict back."""
    home = tmp_path / "home"
    release, others_reviewed = anyio.Event(), threading.Event()
    async with connect(home) as client:
        one, two = await memories(client, "first", "second")
    with llm_server() as server:

        def slowly(request: Request) -> Answer:
            assert others_reviewed.wait(HANG_S)
            return reflection(helpful_memory_ids=[two], harmful_memory_ids=[one])

        server.default(slowly)
        async with connect(home, more=model_at(server.base_url)) as client:

            async def judged() -> None:
                given = {"retrieved_memory_ids": [one, two], "review_result": "pass", "trace_key": "late"}
                await call(client, "submit_trace", task=TASK, **given, feedback="fine")
                release.set()

            async with anyio.create_task_group() as group:
                group.start_soon(judged)
                await until(client, lambda stats: stats["q_updates"] > 0)
                named = {"review_result": "fail", "retrieved_memory_ids": [one], "helpful_memory_ids": [one], **LESSON}
                await call(client, "submit_trace", task="Another task", **named)
                others_reviewed.set()
                with anyio.fail_after(HANG_S):
                    await release.wait()
            q = {m["id"]: m["q_value"] for m in (await known(client)).values()}
            # one: harmful in the first review, then helpful in the second.
            assert q[one] == pytest.approx(0.35 + 0.3 * (1 - 0.35))
            assert q[two] == pytest.approx(0.65)
            again = await call(client, "submit_trace", task=TASK, trace_key="late")
            await call(
                client, "review_trace", trace_id=again["trace_id"], result="fail", harmful_memory_ids=[two], **LESSON
            )
            q = {m["id"]: m["q_value"] for m in (await known(client)).values()}
            assert (q[one], q[two]) == (pytest.approx(0.65), pytest.approx(0.35))
    assert differing(home) == []


@pytest.mark.parametrize("era", ERAS)
async def test_the_clients_model_judges_too(tmp_path: Path, era: str) -> None:
    home = tmp_path / "home"
    async with connect(home) as client:
        one, two = await memories(client, "first", "second")

    async def sampled(_context: object, params: Any) -> CreateMessageResult:
        words = {"summary": "It went well.", "helpful_memory_ids": [one], "claims": CLAIMS[:1]}
        content = TextContent(type="text", text=json.dumps(words))
        return CreateMessageResult(role="assistant", content=content, model="the client's")

    async with connect(home, era=era, sampling_callback=sampled) as client:
        given = {"retrieved_memory_ids": [one, two], "review_result": "fail", "feedback": "no"}
        outcome = await call(client, "submit_trace", task=TASK, **given)
        assert {u["memory_id"]: u["q_after"] for u in outcome["q_updates"]} == {
            one: pytest.approx(0.65),
            two: pytest.approx(0.5),
        }
        assert (await known(client, CLAIMS[0]))[CLAIMS[0]]["author"] == "sampling"
    assert differing(home) == []


async def test_a_model_that_only_talks_leaves_the_runs_own_verdict(tmp_path: Path) -> None:
    home = tmp_path / "home"
    async with connect(home) as client:
        (one,) = await memories(client, "first")
    with llm_server() as server:
        server.default(says("Leave the flag out; the runner does not know it."))
        async with connect(home, more=model_at(server.base_url)) as client:
            given = {"retrieved_memory_ids": [one], "review_result": "fail", "feedback": "no"}
            outcome = await call(client, "submit_trace", task=TASK, **given)
            assert {u["memory_id"]: u["q_after"] for u in outcome["q_updates"]} == {one: pytest.approx(0.35)}
    assert differing(home) == []


async def test_the_rating_is_the_q_value_from_minus_ten_to_ten(tmp_path: Path) -> None:
    async with connect(tmp_path / "home") as client:
        (one,) = await memories(client, "first")
        assert (await known(client, response_format="detailed"))["Guidance: first"]["rating"] == pytest.approx(0.0)
        await call(client, "submit_trace", task=TASK, review_result="pass", helpful_memory_ids=[one], **LESSON)
        memory = (await known(client, response_format="detailed"))["Guidance: first"]
        assert memory["rating"] == pytest.approx(20 * 0.65 - 10)
        concise = await client.call_tool("query_memories", {"task": TASK})
        assert concise.structured_content is not None
        assert "rating" not in concise.structured_content["memories"][0]


@pytest.mark.parametrize("weight", ["0", "1"])
async def test_recency_decides_between_equals_and_only_where_it_is_asked_for(tmp_path: Path, weight: str) -> None:
    """Of two lessons of the same task and q_value the older was used last, which makes it the fresher one."""
    home = tmp_path / "home"
    async with connect(home, more={"MCP_REFLECT_MEMORY__RECENCY_WEIGHT": weight}) as client:
        one = await call(client, "submit_trace", task=TASK, review_result="pass", guidance="older", metadata={"n": 1})
        await call(client, "submit_trace", task=TASK, review_result="pass", guidance="newer", metadata={"n": 2})
        await call(client, "query_memories", task=TASK, metadata_filter={"n": 1})
        told = await call(client, "query_memories", task=TASK, mmr_lambda=1.0)
        first = told["memories"][0]
        assert (first["id"] == one["memory"]["id"]) is (weight == "1")
        assert first["score"] <= 0.5 * first["similarity"] + 0.5 * first["q_value"] + 1e-12


async def test_being_shown_changes_nothing_but_the_last_use(tmp_path: Path) -> None:
    async with connect(tmp_path / "home") as client:
        (one,) = await memories(client, "first")

        async def stored() -> dict[str, Any]:
            contents = (await client.read_resource(f"reflect://memories/{one}")).contents
            memory: dict[str, Any] = json.loads(contents[0].text)  # type: ignore[union-attr]
            return memory

        before = await stored()
        await call(client, "query_memories", task=TASK)
        after = await stored()
        assert before["last_used_at"] is None
        assert after["last_used_at"] is not None
        assert {**after, "last_used_at": None} == before
