"""Reflections written without a model, rewritten by one that answers as scripted."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.hubs import hubs_ended, run_command
from tests.support.llm_server import LLMServer, llm_server, reflection, status
from tests.support.servers import call, connect

pytestmark = pytest.mark.anyio

ALONE = {"MCP_REFLECT_HUB__ENABLED": "false"}


@pytest.fixture
def server() -> Iterator[LLMServer]:
    with llm_server() as running:
        yield running


@pytest.fixture
async def home(tmp_path: Path) -> Any:
    """A home with three extractive reflections, which reviews have moved, and one by an agent."""
    with hubs_ended(tmp_path / "home") as folder:
        async with connect(folder) as client:
            for number in range(4):
                await call(client, "query_memories", task="Deploy the service", limit=3)
                own = {"guidance": "My own words."} if number == 3 else {}
                result = "fail" if number == 1 else "pass"
                await call(
                    client,
                    "submit_trace",
                    task=f"Deploy the service {number}",
                    trajectory="$ deploy\nerror: unknown flag",
                    review_result=result,
                    feedback="It was the flag.",
                    **own,
                )
        yield folder


def rewritten(home: Path, server: LLMServer, *words: str, **more: str) -> Any:
    model = {
        "MCP_REFLECT_REFLECTION__MODEL": "scripted",
        "MCP_REFLECT_REFLECTION__BASE_URL": server.base_url,
        **ALONE,
        **more,
    }
    return run_command(home, "rewrite", *words, **model)


def listed(home: Path) -> dict[str, dict[str, Any]]:
    found = json.loads(run_command(home, "memories", "--status", "all", "--json").stdout)["memories"]
    return {memory["id"]: memory for memory in found}


KEPT = ("q_value", "reviews", "created_at", "last_used_at", "source_trace_id", "status", "task")


async def test_words_change_and_what_was_learned_stays(home: Path, server: LLMServer) -> None:
    before = listed(home)
    done = rewritten(home, server, "--yes")
    assert done.returncode == 0, done.stderr
    assert "3 reflections by scripted: about" in done.stdout
    assert done.stdout.endswith("3 rewritten\n")
    after = listed(home)
    assert after.keys() == before.keys()
    for memory_id, memory in after.items():
        assert {name: memory[name] for name in KEPT} == {name: before[memory_id][name] for name in KEPT}
        if before[memory_id]["author"] == "extractive":
            assert memory["author"] == "llm"
            assert memory["summary"] == "A flag of the test runner was wrong."
        else:
            assert memory == before[memory_id]
    assert any(memory["reviews"] for memory in after.values())
    assert run_command(home, "verify").returncode == 0
    assert rewritten(home, server, "--yes").stdout == "Nothing to rewrite.\n"
    assert len(server.requests) == 3


async def test_the_model_has_no_say_in_what_runs_were_given(home: Path, server: LLMServer) -> None:
    before = listed(home)
    server.default(reflection(helpful_memory_ids=list(before), harmful_memory_ids=[]))
    assert rewritten(home, server, "--yes").returncode == 0
    after = listed(home)
    assert {i: memory["q_value"] for i, memory in after.items()} == {i: m["q_value"] for i, m in before.items()}


async def test_the_cost_is_told_before_anything_is_spent(home: Path, server: LLMServer) -> None:
    assert rewritten(home, server, "--dry-run").returncode == 0
    refused = rewritten(home, server)  # nobody is there to say yes
    assert refused.returncode == 1
    assert "about" in refused.stdout
    assert server.requests == []


async def test_it_stops_at_its_limit_and_goes_on_where_it_was(home: Path, server: LLMServer) -> None:
    assert rewritten(home, server, "--yes", "--limit", "2").stdout.endswith("2 rewritten\n")
    assert sum(memory["author"] == "extractive" for memory in listed(home).values()) == 1
    assert rewritten(home, server, "--yes").stdout.endswith("1 rewritten\n")


async def test_a_model_that_fails_leaves_what_it_could_not_write(home: Path, server: LLMServer) -> None:
    server.enqueue(status(503))
    done = rewritten(home, server, "--yes")
    assert done.returncode == 0
    assert "HTTP 503" in done.stderr
    assert done.stdout.endswith("2 rewritten, 1 left; run it again to go on\n")
    assert rewritten(home, server, "--yes").stdout.endswith("1 rewritten\n")


async def test_a_model_that_refuses_is_not_asked_again(home: Path, server: LLMServer) -> None:
    server.default(status(401, error_code="invalid_api_key"))
    done = rewritten(home, server, "--yes")
    assert done.returncode == 2
    assert "401" in done.stderr
    assert len(server.requests) == 1
    assert "0 rewritten, 3 left" in done.stdout


async def test_the_tokens_of_the_day_are_a_limit(home: Path, server: LLMServer) -> None:
    done = rewritten(home, server, "--yes", MCP_REFLECT_REFLECTION__MAX_TOKENS_PER_DAY="200")
    assert done.returncode == 2
    assert "max_tokens_per_day" in done.stderr
    assert "2 rewritten, 1 left" in done.stdout


async def test_without_a_model_the_setting_is_named(home: Path) -> None:
    done = run_command(home, "rewrite", "--yes", **ALONE)
    assert done.returncode == 2
    assert "reflection.model is not set" in done.stderr
