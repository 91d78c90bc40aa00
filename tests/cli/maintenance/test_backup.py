"""Backups are whole while others write, and a restore is done or not done, whenever it is killed."""

from __future__ import annotations

import contextlib
import json
import random
import shutil
import subprocess
import sys
import threading
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mcp_reflect.adapters.sql_ledger import SqlLedger
from mcp_reflect.adapters.sql_ledger.file import SqliteFile
from mcp_reflect.application.maintenance.backups import back_up, restore
from tests.support.hubs import RawClient, hubs_ended, posix, run_command, status
from tests.support.ledgers import read
from tests.support.servers import environment
from tests.support.values import make_trace
from tests.support.waiting import HANG_S

pytestmark = posix

ALONE = {"MCP_REFLECT_HUB__ENABLED": "false"}


def learn(client: RawClient, count: int, word: str = "service") -> None:
    for number in range(count):
        client.call("query_memories", task=f"Deploy the {word}", limit=3)
        client.call("submit_trace", task=f"Deploy the {word} {number}", review_result="pass", guidance="Ask first.")


def fill(home: Path, count: int, word: str) -> None:
    with RawClient(environment(home, **ALONE)) as client:
        client.shake_hands()
        learn(client, count, word)


@pytest.fixture(scope="module")
def closed_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with five runs, to be copied: nobody has it open."""
    folder = tmp_path_factory.mktemp("closed") / "home"
    fill(folder, 5, "service")
    return folder


@pytest.fixture
def empty_home(tmp_path: Path) -> Iterator[Path]:
    with hubs_ended(tmp_path / "home") as folder:
        yield folder


@pytest.fixture
def home(empty_home: Path, closed_home: Path) -> Path:
    """With five runs in it."""
    shutil.copytree(closed_home, empty_home)
    return empty_home


def exported(home: Path) -> str:
    done = run_command(home, "export")
    assert done.returncode == 0, done.stderr
    return done.stdout


def traces(home: Path) -> int:
    return int(json.loads(run_command(home, "stats", "--json").stdout)["traces"]["total"])


def test_a_home_comes_back_as_it_was_with_settings_and_prompts(home: Path, tmp_path: Path) -> None:
    (home / "config.toml").write_text("[memory]\nlimit = 7\n")
    (home / "prompts").mkdir()
    (home / "prompts" / "rules.md").write_text("Be brief.")
    before, file = exported(home), tmp_path / "home.zip"
    assert run_command(home, "backup", str(file)).returncode == 0
    assert file.stat().st_mode & 0o777 == 0o600
    fill(home, 2, "database")
    (home / "config.toml").unlink()
    (home / "prompts" / "run.md").write_text("another")
    after = exported(home)

    done = run_command(home, "restore", str(file), "--yes", "--with-prompts", "--with-settings")
    assert done.returncode == 0, done.stderr
    assert exported(home) == before
    assert (home / "config.toml").read_text() == "[memory]\nlimit = 7\n"
    assert [each.name for each in (home / "prompts").iterdir()] == ["rules.md"]
    assert run_command(home, "verify").returncode == 0
    # What was there before is kept, and is a backup itself.
    assert run_command(home, "restore", str(home / "before-restore.zip"), "--yes").returncode == 0
    assert exported(home) == after
    assert not list(home.glob("restoring.*"))


def test_what_a_killed_restore_had_put_aside_is_forgotten_too(home: Path) -> None:
    half = home / ".before-restore.zip.new_0123456789ab"
    half.write_bytes(b"a copy of the ledger, not yet whole")
    trace_id = json.loads(run_command(home, "traces", "--json").stdout)["traces"][0]["trace_id"]
    done = run_command(home, "forget", trace_id, "--yes")
    assert done.returncode == 0, done.stderr
    assert not half.exists()


@pytest.mark.parametrize("own", ["ledger.db", "ledger.db-wal", "config.toml", "chroma/chroma.sqlite3"])
def test_nothing_is_written_over_what_the_home_lives_by(home: Path, own: str) -> None:
    for command in ("backup", "export"):
        done = run_command(home, command, str(home / own))
        assert (done.returncode, "belongs to the memory itself" in done.stderr) == (2, True)
    assert traces(home) == 5


def test_what_goes_to_a_device_does_not_take_its_place(home: Path) -> None:
    lines = run_command(home, "export", "/dev/stdout").stdout.splitlines()
    assert json.loads(lines[0])["format"] == json.loads(exported(home).splitlines()[0])["format"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no device that is always full")
def test_a_full_disk_is_told_in_one_line(home: Path) -> None:
    for words in (["export", "/dev/full"], ["backup", "/dev/full"]):
        done = run_command(home, *words)
        assert (done.returncode, done.stderr.count("\n"), "No space left" in done.stderr) == (2, 1, True), done.stderr
    for words in (["stats"], ["stats", "--json"], ["export"]):
        with Path("/dev/full").open("w") as full:
            command = [sys.executable, "-m", "mcp_reflect", *words]
            done = subprocess.run(
                command,
                env=environment(home),
                stdout=full,
                stderr=subprocess.PIPE,
                text=True,
                check=False,
                timeout=HANG_S,
            )
        assert (done.returncode, done.stderr.count("\n"), "No space left" in done.stderr) == (2, 1, True), done.stderr


def test_a_backup_goes_into_an_empty_home(home: Path, tmp_path: Path) -> None:
    file, other = tmp_path / "home.zip", tmp_path / "other"
    run_command(home, "backup", str(file))
    assert run_command(other, "restore", str(file), "--yes").returncode == 0
    assert exported(other) == exported(home)
    assert not (other / "before-restore.zip").exists()
    assert run_command(other, "verify").returncode == 0


@pytest.mark.slow
def test_a_backup_while_clients_write_is_whole(empty_home: Path, tmp_path: Path) -> None:
    with RawClient(environment(empty_home)) as client:
        client.shake_hands()
        learn(client, 3)
        stop = threading.Event()

        def write() -> None:
            while not stop.is_set():
                learn(client, 1, "database")

        writer = threading.Thread(target=write)
        writer.start()
        try:
            files = [tmp_path / f"{number}.zip" for number in range(3)]
            for file in files:
                done = run_command(empty_home, "backup", str(file))
                assert done.returncode == 0, done.stderr
        finally:
            stop.set()
            writer.join()
    counts = []
    for number, file in enumerate(files):
        other = tmp_path / f"other{number}"
        assert run_command(other, "restore", str(file), "--yes").returncode == 0
        assert run_command(other, "verify").returncode == 0
        counts.append(traces(other))
    assert counts == sorted(counts)
    assert counts[0] >= 3


def test_a_running_hub_is_asked_to_leave_and_its_clients_go_on(empty_home: Path, tmp_path: Path) -> None:
    file = tmp_path / "home.zip"
    with RawClient(environment(empty_home, MCP_REFLECT_HUB__IDLE_EXIT_S="60")) as client:
        client.shake_hands()
        learn(client, 3)
        assert run_command(empty_home, "backup", str(file)).returncode == 0
        learn(client, 2, "database")
        first = status(empty_home)["pid"]
        done = run_command(empty_home, "restore", str(file), "--yes")
        assert done.returncode == 0, done.stderr
        assert client.call("memory_stats")["traces"]["total"] == 3
        found = client.call("query_memories", task="Deploy the database", limit=10)["memories"]
        assert all("database" not in memory["task"] for memory in found)
        assert status(empty_home)["pid"] != first
    assert run_command(empty_home, "verify").returncode == 0


def test_beside_a_server_that_cannot_be_stopped_nothing_is_restored(home: Path, tmp_path: Path) -> None:
    file = tmp_path / "home.zip"
    run_command(home, "backup", str(file))
    with RawClient(environment(home, **ALONE)) as client:
        client.shake_hands()
        learn(client, 1)
        done = run_command(home, "restore", str(file), "--yes")
        assert done.returncode == 2
        assert "is in use by process" in done.stderr
        assert client.call("memory_stats")["traces"]["total"] == 6


def damaged(file: Path, part: str, change: Any) -> None:
    """The archive anew, with one of its parts changed."""
    with zipfile.ZipFile(file) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, change(content) if name == part else content)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda file: file.write_bytes(file.read_bytes()[:-200]), "no whole backup"),
        (lambda file: file.write_bytes(b""), "no whole backup"),
        (lambda file: file.unlink(), "No such file"),
        (lambda file: damaged(file, "ledger.db", lambda c: c[:-1] + bytes([c[-1] ^ 1])), "ledger.db in it is damaged"),
        (lambda file: damaged(file, "manifest.json", lambda c: c.replace(b"-backup", b"-other")), "cannot read"),
        (lambda file: damaged(file, "manifest.json", lambda c: c.replace(b"ledger.db", b"../ledger.db")), "no home"),
    ],
)
def test_a_file_that_is_no_whole_backup_changes_nothing(home: Path, tmp_path: Path, change: Any, told: str) -> None:
    file = tmp_path / "home.zip"
    run_command(home, "backup", str(file))
    before = exported(home)
    change(file)
    done = run_command(home, "restore", str(file), "--yes")
    assert done.returncode == 2
    assert told in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert exported(home) == before
    assert not list(home.glob("restoring.*"))


def test_a_ledger_that_cannot_be_read_any_more_is_put_aside(home: Path, tmp_path: Path) -> None:
    before, file = exported(home), tmp_path / "home.zip"
    run_command(home, "backup", str(file))
    (home / "ledger.db").write_bytes(b"no database at all" * 500)
    assert run_command(home, "stats").returncode == 2
    done = run_command(home, "restore", str(file), "--yes")
    assert done.returncode == 0, done.stderr
    assert exported(home) == before
    assert len(list(home.glob("ledger.db.damaged-*"))) == 1


def test_a_ledger_on_a_server_is_left_to_its_own_tools(empty_home: Path, tmp_path: Path) -> None:
    for words in (("backup", str(tmp_path / "x.zip")), ("restore", str(tmp_path / "x.zip"), "--yes")):
        done = run_command(empty_home, *words, MCP_REFLECT_LEDGER__URL="postgresql://nobody@localhost/none")
        assert done.returncode == 2
        assert "mcp-reflect export" in done.stderr


RESTORING = """
import sys
from pathlib import Path
from mcp_reflect.adapters.sql_ledger.file import SqliteFile
from mcp_reflect.application.maintenance.backups import restore
home = Path(sys.argv[1])
print("ready", flush=True)
restore(home, SqliteFile(home / "ledger.db"), Path(sys.argv[2]))
print("done", flush=True)
"""


KILLS = 5
"""One in each fifth of the time that a restore takes, at a random moment of it."""
RUNS = 20


def a_ledger(home: Path, word: str, count: int) -> None:
    """Large enough that copying it takes a moment."""
    ledger = SqlLedger(f"sqlite:///{home / 'ledger.db'}")
    for _ in range(count):
        with ledger.writing() as session:
            session.traces.add(make_trace(task=word, trajectory=f"{word} " * 50_000))
    ledger.close()


def tasks(home: Path) -> list[str]:
    ledger = SqlLedger(f"sqlite:///{home / 'ledger.db'}")
    found = [
        trace.task
        for trace in read(ledger, lambda s: s.traces.summaries("alpha", user=None, review_status=None, limit=100))
    ]
    ledger.close()
    return found


@pytest.mark.slow
def test_a_restore_that_is_killed_leaves_the_old_state_or_the_new_one(tmp_path: Path) -> None:
    home, original, file = tmp_path / "home", tmp_path / "original", tmp_path / "home.zip"
    home.mkdir()
    a_ledger(home, "old", RUNS)
    ledger = SqliteFile(home / "ledger.db")
    back_up(home, ledger, file)
    a_ledger(home, "new", RUNS)
    shutil.copytree(home, original)
    chance, lasts, seen, attempt = random.Random(20261121), 0.0, [], 0
    # Where the first one was slower than the others, as on a busy machine, more are killed, and at once.
    while attempt <= KILLS or (RUNS, "") not in seen:
        shutil.rmtree(home)
        shutil.copytree(original, home)
        command = [sys.executable, "-c", RESTORING, str(home), str(file)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            began = time.monotonic()
            if attempt:  # the first one shows how long it takes when nobody kills it
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait((attempt - chance.random()) / KILLS * lasts if attempt <= KILLS else 0)
                process.kill()
            told = process.stdout.read()
        lasts = lasts or time.monotonic() - began
        ledger.check(home / "ledger.db")
        left = tasks(home)
        assert left.count("old") == RUNS
        assert left.count("new") in ({0} if told else {0, RUNS})
        seen.append((left.count("new"), told))
        restore(home, ledger, file)
        assert tasks(home) == ["old"] * RUNS
        assert not list(home.glob("restoring.*"))
        attempt += 1
    assert seen[0] == (0, "done\n")
