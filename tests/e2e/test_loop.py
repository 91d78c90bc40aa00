"""The learning loop through a real client, the same body over both transports and both protocol eras."""

from __future__ import annotations

from pathlib import Path

import anyio
import pytest
from anyio import to_thread

from tests.support.home_files import files_with
from tests.support.hubs import run_command
from tests.support.servers import ERAS, TRANSPORTS, call, connect, refusal
from tests.support.waiting import HANG_S

pytestmark = pytest.mark.anyio

CANCEL = "Cancel a flight reservation that is covered by travel insurance"
FEE = "The fee is charged per passenger."
LESSON = {
    "summary": "Cancelled an insured flight.",
    "key_mistake": "",
    "correct_action": 'cancel_reservation(reservation_id="…")',
    "guidance": "Check the insurance first, then cancel.",
    "applicable_tools": ["cancel_reservation"],
}


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("transport", TRANSPORTS)
async def test_a_reviewed_run_is_told_to_the_next_one_and_learns_from_it(
    tmp_path: Path, transport: str, era: str
) -> None:
    with anyio.fail_after(HANG_S):
        async with connect(tmp_path / "home", transport, era) as client:
            empty = await call(client, "augment_task", task=CANCEL)
            assert empty["augmented_task"] == CANCEL
            assert empty["memories"] == []

            trace = await call(client, "submit_trace", task=CANCEL, trajectory="did it", model="m")
            assert (trace["review_status"], trace["ingest_status"], trace["memory"]) == ("pending", "none", None)
            pending = await call(client, "list_traces")
            assert [t["trace_id"] for t in pending["traces"]] == [trace["trace_id"]]

            outcome = await call(client, "review_trace", trace_id=trace["trace_id"], result="pass", **LESSON)
            memory = outcome["memory"]
            assert (outcome["ingest_status"], memory["q_value"], memory["author"]) == ("completed", 0.5, "agent")
            assert (memory["source_trace_id"], memory["success"]) == (trace["trace_id"], True)

            task = "The customer wants to cancel an insured flight"
            told = await call(client, "augment_task", task=task)
            assert [m["id"] for m in told["memories"]] == [memory["id"]]
            assert told["augmented_task"] == (
                f"{task}\n\nRelevant memories:\n\nSuccessful memories:\n\n--- Memory 1 ---\n"
                f"Past task:\n{CANCEL}\n\nReflection:\n{memory['reflection']}"
            )
            match = told["memories"][0]
            assert match["score"] == pytest.approx(0.5 * match["relevance"] + 0.5 * match["q_value"])

            # The agent forgets what it was told; the connection does not.
            second = await call(client, "submit_trace", task=task, review_result="fail", alpha=0.5, feedback=FEE)
            assert second["q_updates"] == [
                {"memory_id": memory["id"], "q_before": 0.5, "q_after": 0.25, "reward": 0.0, "alpha": 0.5}
            ]
            # What was credited once is not credited by the next trace.
            third = await call(client, "submit_trace", task=task, review_result="fail", feedback="It took too long.")
            assert third["q_updates"] == []

            again = await call(client, "review_trace", trace_id=second["trace_id"], result="pass", feedback=FEE)
            assert again["q_updates"][0]["q_before"] == 0.25
            assert again["q_updates"][0]["q_after"] == pytest.approx(0.65)
            assert again["memory"]["id"] == second["memory"]["id"]
            assert again["memory"]["success"] is True

            shown = await call(client, "get_trace", trace_id=second["trace_id"])
            assert shown["retrieved_memory_ids"] == [memory["id"]]
            assert shown["review"]["result"] == "pass"
            stats = await call(client, "memory_stats")
            assert stats["traces"] == {"total": 3, "pending": 0, "reviewed": 3}
            assert stats["reviews"] == {"pass": 2, "fail": 1}


async def test_verdicts_move_only_the_memories_they_name(tmp_path: Path) -> None:
    async with connect(tmp_path / "home") as client:
        for number in range(3):
            await call(client, "submit_trace", task=f"{CANCEL} {number}", review_result="pass", **LESSON)
        told = await call(client, "query_memories", task=CANCEL, mmr_lambda=1.0)
        first, second, third = (m["id"] for m in told["memories"])
        outcome = await call(
            client,
            "submit_trace",
            task=CANCEL,
            retrieval_id=told["retrieval_id"],
            review_result="fail",
            helpful_memory_ids=[second],
            harmful_memory_ids=[first],
        )
        moved = {u["memory_id"]: u["q_after"] for u in outcome["q_updates"]}
        assert moved == {second: pytest.approx(0.65), first: pytest.approx(0.35)}
        told = await call(client, "query_memories", task=CANCEL, lambda_=1.0, mmr_lambda=1.0)
        ids = [m["id"] for m in told["memories"]]
        assert [i for i in ids if i in {first, second, third}] == [second, third, first]


async def test_a_run_never_credits_the_memory_it_left(tmp_path: Path) -> None:
    async with connect(tmp_path / "home") as client:
        outcome = await call(client, "submit_trace", task=CANCEL, review_result="pass", **LESSON)
        own = outcome["memory"]["id"]
        named = {"helpful_memory_ids": [own], **LESSON}
        again = await call(client, "review_trace", trace_id=outcome["trace_id"], result="pass", **named)
        assert again["q_updates"] == []
        assert again["memory"]["q_value"] == 0.5


async def test_the_same_trace_key_is_the_same_trace(tmp_path: Path) -> None:
    async with connect(tmp_path / "home") as client:
        await call(client, "submit_trace", task=CANCEL, review_result="pass", **LESSON)
        await call(client, "query_memories", task=CANCEL)
        first = await call(client, "submit_trace", task=CANCEL, review_result="pass", trace_key="run-1")
        retry = await call(client, "submit_trace", task=CANCEL, review_result="pass", trace_key="run-1")
        assert retry == first
        assert len(first["q_updates"]) == 1
        stats = await call(client, "memory_stats")
        assert (stats["traces"]["total"], stats["q_updates"]) == (2, 1)
        message = await refusal(client, "submit_trace", task="another task", trace_key="run-1")
        assert "trace_key" in message
        assert first["trace_id"] in message


async def test_a_trace_key_that_is_a_secret_is_not_stored_and_still_knows_its_run(tmp_path: Path) -> None:
    key = "ghp_" + "a1B2c3D4e5F6" * 3
    async with connect(tmp_path / "home") as client:
        first = await call(client, "submit_trace", task=CANCEL, trace_key=f"run {key}")
        retry = await call(client, "submit_trace", task=CANCEL, trace_key=f"run {key}")
        assert retry["trace_id"] == first["trace_id"]
        assert key not in await refusal(client, "submit_trace", task="another task", trace_key=f"run {key}")
    assert files_with(tmp_path / "home", key.encode()) == []


async def test_secrets_never_reach_the_disk(tmp_path: Path) -> None:
    key, password = "sk-proj-" + "a1B2c3D4e5" * 4, "hunter2hunter2"
    home = tmp_path / "home"
    async with connect(home) as client:
        outcome = await call(
            client,
            "submit_trace",
            task=f"Call the API with {key}",
            trajectory=[{"role": "user", "content": f"export OPENAI_API_KEY={key}"}],
            final_response=f"password = {password}",
            feedback=f"it printed {key}",
            reference_context=key,
            metadata={"note": key},
            review_result="fail",
            summary=f"used {key}",
        )
        assert key not in str(outcome)
        await call(client, "query_memories", task=f"what about {key}?")
    assert files_with(home, key.encode(), password.encode()) == []


async def test_recalled_memories_are_cut_out_of_what_is_handed_in(tmp_path: Path) -> None:
    async with connect(tmp_path / "home") as client:
        await call(client, "submit_trace", task=CANCEL, review_result="pass", **LESSON)
        told = await call(client, "augment_task", task=CANCEL)
        prompt = told["augmented_task"]
        assert prompt != CANCEL
        trajectory = [{"role": "user", "content": prompt}, {"role": "assistant", "content": "done"}]
        trace = await call(client, "submit_trace", task=prompt, trajectory=trajectory)
        shown = await call(client, "get_trace", trace_id=trace["trace_id"])
        assert shown["task"] == CANCEL
        assert "Relevant memories" not in shown["trajectory"]
        assert CANCEL in shown["trajectory"]


async def test_recalled_memories_are_cut_out_of_the_words_of_a_reflection(tmp_path: Path) -> None:
    async with connect(tmp_path / "home") as client:
        await call(client, "submit_trace", task=CANCEL, review_result="pass", **LESSON)
        told = (await call(client, "augment_task", task=CANCEL))["augmented_task"]
        only = told.removeprefix(CANCEL)
        words = {"summary": told, "guidance": only, "claims": [told, only], "applicable_tools": ["pay"]}
        outcome = await call(client, "submit_trace", task="Book it", review_result="pass", **words)
        memory = outcome["memory"]
        assert (memory["author"], memory["summary"], memory["guidance"]) == ("agent", CANCEL, "")
        shown = await call(client, "get_trace", trace_id=outcome["trace_id"])
        assert [claim["reflection"] for claim in shown["claims"]] == [CANCEL]


async def test_projects_and_users_are_kept_apart(tmp_path: Path) -> None:
    home = tmp_path / "home"
    async with connect(home, more={"MCP_REFLECT_PROJECT": "one-project"}) as client:
        stored = await call(client, "submit_trace", task=CANCEL, review_result="pass", **LESSON)
        memory_id, trace_id = stored["memory"]["id"], stored["trace_id"]
        told = await call(client, "query_memories", task=CANCEL)
        assert len(told["memories"]) == 1
    strangers = [
        {"MCP_REFLECT_PROJECT": "other-project"},
        {"MCP_REFLECT_PROJECT": "one-project", "MCP_REFLECT_USER": "bob", "MCP_REFLECT_MEMORY__SCOPE": "user"},
    ]
    for stranger in strangers:
        async with connect(home, more=stranger) as client:
            for lambda_ in (0.0, 1.0):
                found = await call(client, "query_memories", task=CANCEL, lambda_=lambda_, similarity_threshold=0)
                assert found["memories"] == []
            assert (await call(client, "list_traces", review_status="all"))["traces"] == []
            assert (await call(client, "memory_stats"))["memories"]["total"] == 0
            assert trace_id in await refusal(client, "get_trace", trace_id=trace_id)
            assert trace_id in await refusal(client, "review_trace", trace_id=trace_id, result="fail")
            for name in ("retrieved_memory_ids", "helpful_memory_ids", "harmful_memory_ids"):
                arguments = {name: [memory_id], "review_result": "pass"}
                assert memory_id in await refusal(client, "submit_trace", task=CANCEL, **arguments)
            retrieval = {"retrieval_id": told["retrieval_id"]}
            assert told["retrieval_id"] in await refusal(client, "submit_trace", task=CANCEL, **retrieval)
    colleague = {"MCP_REFLECT_PROJECT": "one-project", "MCP_REFLECT_USER": "bob"}
    async with connect(home, more=colleague) as client:
        assert len((await call(client, "query_memories", task=CANCEL))["memories"]) == 1


async def test_a_filter_matches_values_and_members_of_lists(tmp_path: Path) -> None:
    async with connect(tmp_path / "home") as client:
        tags = [{"domain": "air", "kinds": ["cancel", "modify"]}, {"domain": "rail", "kinds": ["cancel"]}, {}]
        for number, metadata in enumerate(tags):
            await call(
                client, "submit_trace", task=f"{CANCEL} {number}", review_result="pass", metadata=metadata, **LESSON
            )

        async def found(**metadata_filter: object) -> list[str]:
            result = await call(client, "query_memories", task=CANCEL, metadata_filter=metadata_filter)
            return sorted(memory["task"][-1] for memory in result["memories"])

        assert await found() == ["0", "1", "2"]
        assert await found(kinds="cancel") == ["0", "1"]
        assert await found(kinds="modify") == ["0"]
        assert await found(domain="rail", kinds="cancel") == ["1"]
        assert await found(domain="sea") == []


async def test_what_was_learned_survives_a_restart(tmp_path: Path) -> None:
    home = tmp_path / "home"
    async with connect(home) as client:
        await call(client, "submit_trace", task=CANCEL, review_result="pass", **LESSON)
        told = await call(client, "query_memories", task=CANCEL)
    async with connect(home) as client:
        outcome = await call(
            client, "submit_trace", task=CANCEL, retrieval_id=told["retrieval_id"], review_result="pass"
        )
        assert outcome["q_updates"][0]["q_after"] == pytest.approx(0.65)
    async with connect(home) as client:
        memories = (await call(client, "query_memories", task=CANCEL, lambda_=1.0))["memories"]
        assert memories[0]["q_value"] == pytest.approx(0.65)


async def test_a_second_process_is_told_who_owns_the_home(tmp_path: Path) -> None:
    home = tmp_path / "home"
    async with connect(home) as client:
        await call(client, "memory_stats")
        second = await to_thread.run_sync(run_command, home, "verify")
    assert second.returncode == 2
    lines = second.stderr.strip().splitlines()
    assert len(lines) == 1
    assert "in use by process" in lines[0]
