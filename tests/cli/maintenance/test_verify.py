"""`mcp-reflect verify` and `reindex` as processes, on homes that were tampered with from outside."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import anyio
import pytest

from tests.support.hubs import run_command
from tests.support.servers import call, connect
from tests.support.waiting import HANG_S

pytestmark = pytest.mark.anyio

LESSONS = 6


async def learn(home: Path) -> None:
    async with connect(home) as client:
        for number in range(LESSONS):
            await call(client, "query_memories", task="Deploy the service", similarity_threshold=0, limit=3)
            await call(
                client, "submit_trace", task=f"Deploy the service {number}", review_result="pass", guidance="Ask first."
            )


@pytest.fixture(scope="module")
def closed_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home in which a few runs were learned from, to be copied: nobody has it open."""
    folder = tmp_path_factory.mktemp("closed") / "home"
    anyio.run(learn, folder)
    return folder


@pytest.fixture
def home(tmp_path: Path, closed_home: Path) -> Path:
    return shutil.copytree(closed_home, tmp_path / "home")


def tamper(home: Path, statement: str) -> None:
    database = sqlite3.connect(home / "ledger.db")
    with database:
        assert database.execute(statement).rowcount > 0
    database.close()


async def test_an_honest_home_is_clean(home: Path) -> None:
    done = run_command(home, "verify")
    assert (done.returncode, done.stdout.strip()) == (0, "Everything agrees.")


@pytest.mark.parametrize(
    ("statement", "finding"),
    [
        ("UPDATE utilities SET q_value = 0.9 WHERE reviews > 0", "its reviews give"),
        ("UPDATE utilities SET reviews = reviews + 1", "counts"),
        ("UPDATE utilities SET trials = trials + 1", "successes in"),
        ("UPDATE utilities SET successes = successes + 1", "successes in"),
        ("DELETE FROM utility_events", "utility events are not those"),
        ("UPDATE utility_events SET reward = 0", "utility events are not those"),
        ("UPDATE traces SET review_id = NULL", "has no review"),
    ],
)
async def test_a_tampered_ledger_is_found_out(home: Path, statement: str, finding: str) -> None:
    tamper(home, statement)
    done = run_command(home, "verify")
    assert done.returncode == 1
    assert finding in done.stdout


async def test_a_lost_index_is_filled_again_at_the_next_look(home: Path) -> None:
    run_command(home, "verify")
    shutil.rmtree(home / "chroma")
    assert run_command(home, "verify").returncode == 0


async def test_an_index_that_lost_entries_is_found_out_and_mended(home: Path) -> None:
    assert run_command(home, "verify").returncode == 0
    code = (
        "import sys, chromadb; c = chromadb.PersistentClient(sys.argv[1]).list_collections()[0];"
        "c.delete(ids=c.get()['ids'][:2])"
    )
    subprocess.run([sys.executable, "-c", code, str(home / "chroma")], check=True, timeout=HANG_S)
    broken = run_command(home, "verify")
    assert broken.returncode == 1
    assert broken.stdout.count("missing from the index") == 2
    mended = run_command(home, "reindex")
    assert mended.returncode == 0
    assert f"{LESSONS} written to the index" in mended.stdout
    assert run_command(home, "verify").returncode == 0


async def test_another_embedding_model_is_told_and_reindexed(home: Path) -> None:
    """The present model never sees vectors of another one; `reindex` embeds anew, with all q_values kept."""
    tamper(home, "UPDATE embeddings SET model = 'another model'")
    async with connect(home) as client:
        stats = await call(client, "memory_stats")
        assert stats["not_embedded"] == LESSONS
        assert "reindex" in stats["advice"]
        assert (await call(client, "query_memories", task="Deploy the service"))["memories"] == []
    assert run_command(home, "verify").returncode == 1
    assert f"{LESSONS} embedded" in run_command(home, "reindex").stdout
    assert run_command(home, "verify").returncode == 0
    async with connect(home) as client:
        assert (await call(client, "memory_stats"))["not_embedded"] == 0
        assert len((await call(client, "query_memories", task="Deploy the service"))["memories"]) == LESSONS


@pytest.mark.parametrize("name", ["verify", "reindex"])
async def test_a_wrong_setting_stops_with_one_line(tmp_path: Path, name: str) -> None:
    done = run_command(tmp_path / "home", name, MCP_REFLECT_MEMORY__LIMIT="0")
    assert done.returncode == 2
    assert len(done.stderr.strip().splitlines()) == 1
    assert "memory.limit" in done.stderr
    assert "1 to 100" in done.stderr
