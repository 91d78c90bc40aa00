"""A hundred tau-bench runs through the server over real stdio, then everything is checked from outside."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import anyio
import pytest
from anyio import to_thread

from tests.support.hubs import run_command
from tests.support.servers import call, connect
from tests.support.waiting import HANG_S

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

RUNS = 100
ALPHA = 0.3
FULL_COUNTS = 6
SEEN_EVERY = 5
"""Every fifth run is read again by the tools; an export shows the q_values of all."""


def lines(file: Path) -> list[dict[str, Any]]:
    with file.open(encoding="utf-8") as handle:
        return [json.loads(line) for line in handle]


def first_user_message(messages: list[dict[str, Any]]) -> str:
    return next(message["content"] for message in messages if message["role"] == "user")


async def test_a_hundred_real_runs_are_learned_from_and_accounted_for(tmp_path: Path, shared_data: Path) -> None:
    runs = lines(shared_data / "traj_tau_airline_gpt4o.jsonl")[:RUNS]
    gold = [row for row in lines(shared_data / "tools_gold.jsonl") if row["file"] == "traj_tau_airline_gpt4o"][:RUNS]
    assert len(runs) == len(gold) == RUNS
    home = tmp_path / "home"
    q: dict[str, float] = {}
    said: Counter[tuple[str, float]] = Counter()
    of_trace: dict[str, str] = {}
    with anyio.fail_after(5 * HANG_S):
        async with connect(home, "stdio", more={"MCP_REFLECT_Q_LEARNING__CREDIT": "retrieved"}) as client:
            for run, expected in zip(runs, gold, strict=True):
                told = await call(client, "augment_task", task=first_user_message(run["messages"]))
                trace = await call(
                    client,
                    "submit_trace",
                    task=first_user_message(run["messages"]),
                    trajectory=run["messages"],
                    retrieval_id=told["retrieval_id"],
                    model=run["model"],
                    metadata={"family": run["family"], "trial": run["trial"]},
                )
                outcome = await call(
                    client,
                    "review_trace",
                    trace_id=trace["trace_id"],
                    result="pass" if run["passed"] else "fail",
                    feedback=f"reward {run['reward']}",
                )
                # The replay knows the rule and what the tools said, nothing of the server's inside.
                reward = 1.0 if run["passed"] else 0.0
                other = 1.0 - reward
                moved = {}
                for memory in told["memories"]:
                    before = q[memory["id"]]
                    assert memory["q_value"] == before
                    # All come over one connection: what it repeats counts in full six times, then half as much.
                    said[memory["id"], reward] += 1
                    said[memory["id"], other] = 0
                    alpha = ALPHA * 0.5 ** max(said[memory["id"], reward] - FULL_COUNTS, 0)
                    q[memory["id"]] = moved[memory["id"]] = before + alpha * (reward - before)
                updates = {u["memory_id"]: u["q_after"] for u in outcome["q_updates"]}
                memory = outcome["memory"]
                if memory is None and updates == moved:  # it holds nothing that its task does not say
                    continue
                if memory["id"] in q and memory["id"] in updates.keys() - moved.keys():
                    # It teaches the lesson of an earlier run without having been given it, and bears it out.
                    moved[memory["id"]] = q[memory["id"]] = q[memory["id"]] + ALPHA * (1.0 - q[memory["id"]])
                    said[memory["id"], 1.0] += 1
                    said[memory["id"], 0.0] = 0
                assert updates == moved
                of_trace[trace["trace_id"]] = memory["id"]
                if memory["id"] in q:  # the lesson of an earlier run, which this one teaches too
                    assert memory["runs"] > 1
                    continue
                q[memory["id"]] = 0.5
                assert_tells_of(memory, trace["trace_id"], run, expected)

            # A run that says no more than which call came last leaves none.
            assert 0.75 * RUNS <= len(of_trace) < RUNS
            assert 0.7 * RUNS <= len(q) <= RUNS
            assert sum(value != 0.5 for value in q.values()) > RUNS / 4
            for trace_id, memory_id in list(of_trace.items())[::SEEN_EVERY]:
                shown = await call(client, "get_trace", trace_id=trace_id)
                assert shown["memory"]["id"] == memory_id
                assert shown["memory"]["q_value"] == q[memory_id]
                whole = await client.read_resource(f"reflect://memories/{memory_id}")
                assert json.loads(whole.contents[0].text)["q_value"] == q[memory_id]  # type: ignore[union-attr]

        exported = await to_thread.run_sync(run_command, home, "export", "--no-vectors")
        rows = [json.loads(line) for line in exported.stdout.splitlines()[1:-1]]
        stored = {each["row"]["memory_id"]: each["row"]["q_value"] for each in rows if each["table"] == "utilities"}
        assert stored == q
        verified = await to_thread.run_sync(run_command, home, "verify")
    assert verified.returncode == 0, verified.stdout + verified.stderr


def assert_tells_of(memory: dict[str, Any], trace_id: str, run: dict[str, Any], expected: dict[str, Any]) -> None:
    assert memory["source_trace_id"] == trace_id
    assert set(memory["tools_used"]) == set(expected["tools_set"])
    assert memory["tools_used"] == list(dict.fromkeys(expected["sequence"]))
    assert memory["success"] is run["passed"]
