"""Which memories a review moves, through the server: real runs, both settings, and verdicts that overrule the trace."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from anyio import to_thread
from mcp.client import Client

from tests.support.hubs import run_command
from tests.support.servers import call, connect

pytestmark = pytest.mark.anyio

TASK = "I need to change my flight and add a bag"
ADVICE = {
    "cancel": "cancel_reservation, then book_reservation anew",
    "update": "update_reservation_flights, then update_reservation_baggages",
    "person": "transfer_to_human_agents",
}


async def taught(client: Client) -> dict[str, str]:
    """Memory ids by the name of their advice."""
    ids = {}
    for name, action in ADVICE.items():
        stored = await call(client, "submit_trace", task=TASK, review_result="pass", correct_action=action)
        ids[name] = stored["memory"]["id"]
    return ids


def calls(*names: str) -> list[dict[str, Any]]:
    return [
        {"role": "assistant", "content": "", "tool_calls": [{"id": n, "function": {"name": n, "arguments": "{}"}}]}
        for n in names
    ]


async def run(client: Client, given: Sequence[str], trajectory: Any, **more: Any) -> dict[str, Any]:
    return await call(
        client, "submit_trace", task=TASK, trajectory=trajectory, retrieved_memory_ids=list(given), **more
    )


def moved(outcome: dict[str, Any]) -> dict[str, tuple[float, float]]:
    return {u["memory_id"]: (u["alpha"], round(u["q_after"], 9)) for u in outcome["q_updates"]}


async def verify(home: Path) -> None:
    done = await to_thread.run_sync(run_command, home, "verify")
    assert done.returncode == 0, done.stdout + done.stderr


UPDATED = calls("get_user_details", "update_reservation_flights", "update_reservation_baggages")


async def test_a_review_moves_the_memory_that_the_run_followed(tmp_path: Path) -> None:
    home = tmp_path / "home"
    async with connect(home) as client:
        ids = await taught(client)
        outcome = await run(client, list(ids.values()), UPDATED, review_result="fail")
        assert moved(outcome) == {ids["update"]: (0.3, 0.35)}
        shown = await call(client, "get_trace", trace_id=outcome["trace_id"])
        assert shown["review"]["used"] == {ids["update"]: 1.0}
    await verify(home)


async def test_where_the_run_does_not_tell_all_that_was_retrieved_moves(tmp_path: Path) -> None:
    async with connect(tmp_path / "home") as client:
        ids = await taught(client)
        outcome = await run(client, list(ids.values()), "It went well.", review_result="pass")
        assert moved(outcome) == dict.fromkeys(ids.values(), (0.3, 0.65))
        shown = await call(client, "get_trace", trace_id=outcome["trace_id"])
        assert shown["review"]["used"] == {}


async def test_the_plain_rule_can_be_had(tmp_path: Path) -> None:
    home = tmp_path / "home"
    async with connect(home, more={"MCP_REFLECT_Q_LEARNING__CREDIT": "retrieved"}) as client:
        ids = await taught(client)
        outcome = await run(client, list(ids.values()), UPDATED, review_result="pass")
        assert moved(outcome) == dict.fromkeys(ids.values(), (0.3, 0.65))
    await verify(home)


async def test_what_a_reviewer_names_overrules_the_trace_and_a_later_review_starts_anew(tmp_path: Path) -> None:
    home = tmp_path / "home"
    async with connect(home) as client:
        ids = await taught(client)
        first = await run(client, list(ids.values()), UPDATED, review_result="pass", helpful_memory_ids=[ids["person"]])
        assert moved(first) == {ids["person"]: (0.3, 0.65)}
        again = await call(client, "review_trace", trace_id=first["trace_id"], result="fail", alpha=0.5)
        assert moved(again) == {ids["person"]: (0.0, 0.5), ids["update"]: (0.5, 0.25)}
    await verify(home)


async def test_a_memory_is_partly_credited_and_the_stored_weight_is_what_is_verified(tmp_path: Path) -> None:
    home = tmp_path / "home"
    async with connect(home) as client:
        ids = await taught(client)
        trajectory = calls("update_reservation_flights", "cancel_reservation")
        outcome = await run(client, list(ids.values()), trajectory, review_result="pass")
        alphas = {memory_id: alpha for memory_id, (alpha, _) in moved(outcome).items()}
        assert alphas[ids["update"]] == 0.3
        assert 0.0 < alphas[ids["cancel"]] < 0.3
        assert ids["person"] not in alphas
    await verify(home)
    with sqlite3.connect(home / "ledger.db") as database:
        database.execute("UPDATE reviews SET used = ? WHERE used != '{}'", [json.dumps({ids["person"]: 1.0})])
    database.close()
    with pytest.raises(AssertionError, match="utility events are not those"):
        await verify(home)


async def test_two_real_trials_of_one_task_are_told_apart(tmp_path: Path, shared_data: Path) -> None:
    """One trial changed bookings, the other handed over; a third does what the first did."""
    with (shared_data / "traj_tau_airline_gpt4o.jsonl").open(encoding="utf-8") as handle:
        runs = list(map(json.loads, handle))

    def tools(row: dict[str, Any]) -> list[str]:
        return [c["function"]["name"] for m in row["messages"] for c in m.get("tool_calls") or ()]

    acting = [row for row in runs if "update_reservation_flights" in tools(row)]
    handing = [row for row in runs if tools(row)[-1:] == ["transfer_to_human_agents"] and len(tools(row)) < 4]
    async with connect(tmp_path / "home") as client:
        ids = []
        for row in (acting[0], handing[0]):
            stored = await call(
                client,
                "submit_trace",
                task=row["messages"][0]["content"],
                trajectory=row["messages"],
                review_result="pass",
                retrieved_memory_ids=[],
            )
            ids.append(stored["memory"]["id"])
        for row, best in ((acting[1], 0), (handing[1], 1)):
            outcome = await call(
                client,
                "submit_trace",
                task=row["messages"][0]["content"],
                trajectory=row["messages"],
                review_result="pass",
                retrieved_memory_ids=ids,
            )
            alphas = {memory_id: alpha for memory_id, (alpha, _) in moved(outcome).items()}
            assert alphas[ids[best]] == 0.3
            assert alphas.get(ids[1 - best], 0.0) < 0.15
