"""A hub whose ledger or home is damaged, deleted or replaced in use: it says so, stores nothing in vain, and leaves."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from mcp_reflect.errors import LedgerError
from mcp_reflect.wire.caller import Caller, RemoteError
from tests.support.composition import small_memory
from tests.support.hubs import alive, changed_hub, hub_pids, posix, run_command, status
from tests.support.servers import environment
from tests.support.waiting import until

pytestmark = posix

LASTING = {"MCP_REFLECT_HUB__IDLE_EXIT_S": "60"}
WITHOUT_CHECKPOINTS = (
    "from mcp_reflect.adapters.sql_ledger.durability.checkpoints import Checkpointer; "
    "Checkpointer.notify = lambda _: None; run_hub()"
)


def submit(caller: Caller, task: str) -> None:
    caller.call("submit_trace", {"task": task, "review_result": "pass", "summary": "it works"})


def traces(home: Path) -> int:
    return int(json.loads(run_command(home, "stats", "--json").stdout)["traces"]["total"])


def doctor(home: Path) -> str:
    done = run_command(home, "doctor")
    assert done.returncode == 1, done.stdout
    return " ".join(done.stdout.split())


def test_a_hub_with_a_damaged_journal_tells_it_in_its_status_and_can_be_restarted(home: Path) -> None:
    with changed_hub(home, WITHOUT_CHECKPOINTS), Caller(environment(home, **LASTING), str(home.parent)) as caller:
        for number in range(5):
            submit(caller, f"task {number}")
        (home / "ledger.db-wal").unlink()
        damaged = status(home)
        with pytest.raises(RemoteError, match="hub restart"):
            submit(caller, "refused")
        assert "hub restart" in status(home)["trouble"]
        assert status(home)["pid"] == damaged["pid"]
        assert "mcp-reflect hub restart" in run_command(home, "hub", "status").stdout
        assert "hub wrong" in doctor(home)
        assert run_command(home, "hub", "restart", **LASTING).returncode == 0
        assert status(home)["trouble"] == ""
        assert traces(home) <= 5


def deleted(home: Path) -> None:
    (home / "ledger.db").unlink()


def moved(home: Path) -> None:
    (home / "ledger.db").rename(home.parent / "elsewhere.db")


def replaced(home: Path) -> None:
    shutil.copy(home / "ledger.db", home / "copy")
    (home / "copy").replace(home / "ledger.db")


@pytest.mark.parametrize("damage", [deleted, moved, replaced])
def test_a_write_is_not_acknowledged_once_the_ledger_was_displaced(home: Path, damage: Callable[[Path], None]) -> None:
    with Caller(environment(home, **LASTING), str(home.parent)) as caller:
        submit(caller, "first")
        pid = status(home)["pid"]
        damage(home)
        before = set(home.glob("ledger.db"))
        with pytest.raises(RemoteError, match="deleted, moved away or replaced"):
            submit(caller, "lost")
        assert "deleted, moved away or replaced" in status(home)["trouble"]
        told = doctor(home)
        assert "hub wrong" in told
        assert ("ledger wrong" in told) is (damage is not replaced)
        refused = [["stats"], ["traces"]]
        if damage is not replaced:
            refused.append(["backup", str(home.parent / "b.zip")])
        for command in refused:
            assert run_command(home, *command).returncode > 0
        assert set(home.glob("ledger.db")) == before
        assert run_command(home, "hub", "restart", **LASTING).returncode == 0
        assert not alive(pid)
        submit(caller, "second")
        assert traces(home) in {1, 2}


def test_a_file_that_is_put_back_is_written_again(home: Path) -> None:
    with Caller(environment(home, **LASTING), str(home.parent)) as caller:
        submit(caller, "first")
        moved(home)
        with pytest.raises(RemoteError):
            submit(caller, "refused")
        (home.parent / "elsewhere.db").rename(home / "ledger.db")
        submit(caller, "second")
        assert status(home)["trouble"] == ""
        assert traces(home) == 2


def test_a_write_whose_ledger_is_deleted_while_it_is_under_way_is_refused(tmp_path: Path) -> None:
    with small_memory(tmp_path) as parts:
        place = Path(parts.ledger._connections.file)  # type: ignore[attr-defined]
        with pytest.raises(LedgerError, match="deleted, moved away"), parts.ledger.writing():
            place.unlink()


def test_a_hub_whose_home_was_moved_leaves_and_touches_nothing_of_the_next_one(home: Path) -> None:
    with Caller(environment(home, **LASTING), str(home.parent)) as caller:
        submit(caller, "first")
        pid = status(home)["pid"]
        home.rename(home.parent / "moved")
        with Caller(environment(home, **LASTING), str(home.parent)) as other:
            submit(other, "second")
            until(lambda: not alive(pid))
            assert (home / "hub.sock").exists()
            assert (home / "owner.json").exists()
            assert len(hub_pids(home)) == 1
            submit(caller, "third")
        assert traces(home) == 2
        assert traces(home.parent / "moved") == 1


def test_commands_that_look_create_no_ledger(home: Path) -> None:
    for command in (["stats"], ["traces"], ["memories"], ["doctor"]):
        assert run_command(home, *command).returncode == 0
    assert not (home / "ledger.db").exists()
    home.mkdir(exist_ok=True)
    (home / "ledger.db-mark").write_bytes(b"%019d %019d\n" % (3, 5))
    assert "deleted or moved away" in run_command(home, "stats").stderr
    assert "ledger wrong" in doctor(home)
    assert not (home / "ledger.db").exists()


def test_an_index_that_is_damaged_in_use_is_filled_again_by_the_hub_that_has_it_open(home: Path) -> None:
    with Caller(environment(home, **LASTING), str(home.parent)) as caller:
        submit(caller, "first")
        assert run_command(home, "verify").returncode == 0
        (home / "chroma" / "chroma.sqlite3").write_bytes(os.urandom(100_000))
        submit(caller, "second")
        until(lambda: run_command(home, "verify").returncode == 0)
        assert list(home.glob("chroma.damaged-*"))
        assert run_command(home, "reindex").returncode == 0
