"""A memory's status through a real client, and what `mcp-reflect prune` archives."""

from __future__ import annotations

import itertools
import sqlite3
import time
from pathlib import Path
from typing import Any

import pytest

from tests.support.hubs import run_command
from tests.support.servers import call, connect, refusal

pytestmark = pytest.mark.anyio

TASK = "Deploy the service to the cluster"
DAY = 86_400 * 10**6


def rows(home: Path, query: str, *values: object) -> list[tuple[Any, ...]]:
    """What a query of the ledger gives; a change is committed."""
    with sqlite3.connect(home / "ledger.db") as ledger:
        found = ledger.execute(query, values).fetchall()
    ledger.close()
    return found


NUMBERS = itertools.count()
"""Runs that say the same would be one memory."""


async def lesson(client: Any, task: str = TASK) -> str:
    outcome = await call(client, "submit_trace", task=task, review_result="pass", guidance=f"Ask first: {task}")
    memory_id: str = outcome["memory"]["id"]
    return memory_id


async def judge(client: Any, memory_id: str, results: str) -> None:
    """Runs that were given the memory, a letter p or f for each."""
    for letter in results:
        await call(
            client, "submit_trace", task="a run", retrieved_memory_ids=[memory_id],
            review_result="pass" if letter == "p" else "fail", summary=f"run {next(NUMBERS)}",
        )  # fmt: skip


async def found(client: Any, task: str = TASK) -> list[str]:
    told = await call(client, "query_memories", task=task, similarity_threshold=0.5)
    return [memory["id"] for memory in told["memories"]]


async def test_a_status_is_changed_logged_and_restored(tmp_path: Path) -> None:
    home = tmp_path / "home"
    async with connect(home) as client:
        memory_id = await lesson(client)

        async def manage(action: str, **more: Any) -> tuple[str, str]:
            changed = await call(client, "manage_memory", memory_id=memory_id, action=action, **more)
            assert changed["memory_id"] == memory_id
            return changed["status_before"], changed["status"]

        assert await manage("adopt", reason="the team agreed") == ("active", "adopted")
        assert await found(client) == [memory_id]
        assert await manage("deprecate") == ("adopted", "deprecated")
        assert await found(client) == []
        assert await manage("archive", reason="password=hunter2hunter2") == ("deprecated", "archived")
        assert await found(client) == []
        assert await manage("archive") == ("archived", "archived")
        assert await manage("restore") == ("archived", "deprecated")
        assert await manage("restore") == ("deprecated", "adopted")
        assert await found(client) == [memory_id]
        assert await manage("restore") == ("adopted", "active")
        told = await refusal(client, "manage_memory", memory_id=memory_id, action="restore")
        assert "no change of its status is left to undo" in told
    log = rows(home, "SELECT memory_id, action, reason, status_before FROM memory_log ORDER BY id")
    assert [entry[1] for entry in log] == ["adopt", "deprecate", "archive", "restore", "restore", "restore"]
    assert log[0] == (memory_id, "adopt", "the team agreed", "active")
    assert "hunter2" not in log[2][2]
    assert run_command(home, "verify").returncode == 0


async def test_mistakes_are_told_and_change_nothing(tmp_path: Path) -> None:
    async with connect(tmp_path / "home") as client:
        memory_id = await lesson(client)
        assert "mem_none" in await refusal(client, "manage_memory", memory_id="mem_none", action="adopt")
        assert "action" in await refusal(client, "manage_memory", memory_id=memory_id, action="delete")
        assert (await call(client, "memory_stats"))["memories"] == {"total": 1, "active": 1}
    async with connect(tmp_path / "home", more={"MCP_REFLECT_PROJECT": "another"}) as client:
        assert "unknown" in await refusal(client, "manage_memory", memory_id=memory_id, action="archive")


async def test_a_deprecated_memory_is_still_credited_and_keeps_its_status_when_reviewed_again(tmp_path: Path) -> None:
    async with connect(tmp_path / "home") as client:
        outcome = await call(client, "submit_trace", task=TASK, review_result="pass", guidance="Ask first")
        memory_id = outcome["memory"]["id"]
        for action, status in (("adopt", "adopted"), ("deprecate", "deprecated")):
            await call(client, "manage_memory", memory_id=memory_id, action=action)
            again = await call(
                client, "review_trace", trace_id=outcome["trace_id"], result="fail", guidance="Never ask"
            )
            assert (again["memory"]["id"], again["memory"]["status"]) == (memory_id, status)
        moved = await call(client, "submit_trace", task="a run", retrieved_memory_ids=[memory_id], review_result="pass")
        assert [u["q_after"] for u in moved["q_updates"]] == [0.65]


async def test_the_trace_of_a_recorded_error_cannot_be_reviewed(tmp_path: Path) -> None:
    async with connect(tmp_path / "home") as client:
        stored = await call(client, "record_error_fix", task=TASK, mistake="Pod is evicted", fix="Set limits")
        told = await refusal(client, "review_trace", trace_id=stored["source_trace_id"], result="fail")
        assert "recorded error" in told


async def test_prune_shows_first_and_archives_with_apply(tmp_path: Path) -> None:
    home = tmp_path / "home"
    async with connect(home) as client:
        ids = {}
        for name in ("useless", "poor", "middling", "fresh", "helped", "adopted", "unjudged"):
            ids[name] = await lesson(client, f"A task that is {name}")
        error = await call(client, "record_error_fix", task="t", mistake="Pod is evicted", fix="Pray")
        ids["error"] = error["memory_id"]
        judged = {
            "useless": "fffff",
            "poor": "ff",
            "middling": "f",
            "fresh": "ff",
            "helped": "ffp",
            "adopted": "fffff",
            "error": "fffff",
        }
        for name, results in judged.items():
            await judge(client, ids[name], results)
        await call(client, "manage_memory", memory_id=ids["adopted"], action="adopt")
    now = time.time_ns() // 1_000
    for name, days in (("poor", 91), ("middling", 181), ("helped", 400), ("adopted", 400), ("unjudged", 400)):
        rows(home, "UPDATE memories SET created_at = ? WHERE id = ?", now - days * DAY, ids[name])

    shown = run_command(home, "prune", COLUMNS="200")
    assert shown.returncode == 0, shown.stderr
    condemned = ("useless", "poor", "middling", "error")
    assert {name for name, i in ids.items() if i in shown.stdout} == set(condemned)
    assert "0.084" in shown.stdout
    assert "4 memories would be archived" in shown.stdout
    assert rows(home, "SELECT count(*) FROM memories WHERE status = 'archived'") == [(0,)]

    async with connect(home, "stdio") as client:  # beside a running server, which sees it at once
        applied = run_command(home, "prune", "--apply")
        assert "4 memories archived" in applied.stdout
        stats = await call(client, "memory_stats")
        assert stats["memories"]["archived"] == 4
        assert ids["useless"] not in await found(client, "A task that is useless")
    log = dict(rows(home, "SELECT memory_id, reason FROM memory_log WHERE action = 'prune'"))
    assert {name: log[ids[name]].split()[0] for name in condemned} == {
        "useless": "useless:", "poor": "poor", "middling": "middling-poor", "error": "useless:"
    }  # fmt: skip
    assert run_command(home, "prune").stdout == "Nothing to prune in project test-project.\n"
    run_command(home, "hub", "stop")
    async with connect(home) as client:
        back = await call(client, "manage_memory", memory_id=ids["useless"], action="restore")
        assert (back["status_before"], back["status"]) == ("archived", "active")
        assert ids["useless"] in await found(client, "A task that is useless")
    assert run_command(home, "reindex").returncode == 0  # the entries hold when a memory was created
    assert run_command(home, "verify").returncode == 0
