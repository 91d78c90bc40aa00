"""An attacker hands over a backup that would change prompts and settings, or run something in the ledger."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import zipfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from mcp_reflect.adapters.sql_ledger import SqlLedger
from mcp_reflect.adapters.sql_ledger.file import SqliteFile
from mcp_reflect.application.maintenance.backups import back_up, restore
from mcp_reflect.application.requests import Submission
from mcp_reflect.config.redirections import REDIRECTING
from mcp_reflect.errors import ArchiveError
from tests.support.composition import small_memory
from tests.support.hubs import run_command


@pytest.fixture
def original(tmp_path: Path) -> Path:
    """The home that the attacker made a backup of."""
    folder = tmp_path / "original"
    folder.mkdir()
    with small_memory(folder) as parts:
        for result in ("pass", "fail"):
            parts.memory.submit(Submission(task=f"Deploy {result}", review_result=result, summary="Look first."))
    return folder


def archive_of(home: Path, file: Path, **more: bytes) -> Path:
    """A whole backup, its manifest included, with other members than the home's."""
    plain = file.with_suffix(".plain")
    back_up(home, SqliteFile(home / "ledger.db"), plain)
    with zipfile.ZipFile(plain) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    manifest = json.loads(parts.pop("manifest.json"))
    parts |= more
    for name, content in parts.items():
        manifest["files"][name] = {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("manifest.json", json.dumps(manifest))
        for name, content in parts.items():
            archive.writestr(name, content)
    return file


def changed_ledger(home: Path, folder: Path, change: Callable[[sqlite3.Connection], object]) -> bytes:
    copy = folder / "changed.db"
    SqliteFile(home / "ledger.db").copy_to(copy)
    with closing(sqlite3.connect(copy)) as connection:
        change(connection)
        connection.commit()
    return copy.read_bytes()


def a_home(folder: Path) -> Path:
    folder.mkdir()
    SqlLedger(f"sqlite:///{folder / 'ledger.db'}").close()
    return folder


def state(home: Path) -> dict[str, str]:
    with closing(sqlite3.connect(home / "ledger.db")) as connection:
        held = "\n".join(connection.iterdump())
    files = {f.relative_to(home).as_posix(): f.read_text() for f in home.rglob("*") if f.suffix in {".md", ".toml"}}
    return files | {"ledger": held}


def widened(table: str, definition: str) -> Callable[[sqlite3.Connection], object]:
    return lambda connection: connection.execute(f"ALTER TABLE {table} ADD COLUMN {definition}")


def ran(*statements: str) -> Callable[[sqlite3.Connection], object]:
    def run(connection: sqlite3.Connection) -> None:
        for statement in statements:
            connection.execute(statement)

    return run


LEDGERS = {
    "trigger": ran("CREATE TRIGGER t AFTER INSERT ON traces BEGIN DELETE FROM memories; END"),
    "view": ran("CREATE VIEW v AS SELECT * FROM traces"),
    "view in a table's place": ran("ALTER TABLE mirrors RENAME TO m2", "CREATE VIEW mirrors AS SELECT * FROM m2"),
    "virtual table": ran("CREATE VIRTUAL TABLE f USING fts5(x)"),
    "another table": ran("CREATE TABLE evil (x)"),
    "a table that looks like SQLite's": ran("CREATE TABLE stat1 (x)"),
    "column with a function": ran("DROP TABLE mirrors", "CREATE TABLE mirrors (x DEFAULT (abs(-1)))"),
    "column": widened("traces", "x TEXT"),
    "generated column": widened("traces", "x TEXT GENERATED ALWAYS AS (upper(task)) VIRTUAL"),
    "index on an expression": ran("CREATE INDEX i ON traces (upper(task))"),
    "index": ran("CREATE INDEX i ON traces (task)"),
    "partial index": ran("CREATE INDEX i ON traces (task) WHERE length(task) > 1"),
    "q_value": ran("UPDATE utilities SET q_value = 1.0"),
    "reviews counted": ran("UPDATE utilities SET reviews = 99"),
    "trials": ran("UPDATE utilities SET trials = 50, successes = 50"),
    "event without a review": ran(
        "UPDATE memories SET source_trace_id = (SELECT max(id) FROM traces), initial_q = 1.0 WHERE initial_q = 0.5"
    ),
    "row of nobody": ran("UPDATE memories SET source_trace_id = 'trace_000000000000'"),
    "kind of no memory": ran("UPDATE memories SET kind = 'order'"),
    "initial_q beyond 1": ran("UPDATE memories SET initial_q = 7"),
}


@pytest.mark.parametrize("change", LEDGERS.values(), ids=LEDGERS.keys())
def test_a_ledger_with_more_than_a_ledger_has_is_refused(
    tmp_path: Path, original: Path, change: Callable[[sqlite3.Connection], object]
) -> None:
    home = a_home(tmp_path / "home")
    file = archive_of(original, tmp_path / "evil.zip", **{"ledger.db": changed_ledger(original, tmp_path, change)})
    before = state(home)
    with pytest.raises(ArchiveError, match="nothing was changed"):
        restore(home, SqliteFile(home / "ledger.db"), file)
    assert state(home) == before
    assert not list(home.glob("restoring.*"))


def test_an_honest_ledger_is_taken(tmp_path: Path, original: Path) -> None:
    home = a_home(tmp_path / "home")
    restore(home, SqliteFile(home / "ledger.db"), archive_of(original, tmp_path / "good.zip"))
    assert "Deploy pass" in state(home)["ledger"]


def test_prompts_and_settings_stay_unless_they_are_asked_for(tmp_path: Path, original: Path) -> None:
    home = a_home(tmp_path / "home")
    (home / "prompts").mkdir()
    (home / "prompts/rules.md").write_text("mine")
    (home / "config.toml").write_text("[memory]\nlimit = 3\n")
    evil = {"prompts/rules.md": b"evil", "prompts/run.md": b"evil", "config.toml": b"[memory]\nlimit = 99\n"}
    file, ledger = archive_of(original, tmp_path / "evil.zip", **evil), SqliteFile(home / "ledger.db")
    mine = {name: text for name, text in state(home).items() if name != "ledger"}
    restore(home, ledger, file)
    assert {name: text for name, text in state(home).items() if name != "ledger"} == mine
    restore(home, ledger, file, prompts=True)
    assert (home / "prompts/run.md").read_text() == "evil"
    assert (home / "config.toml").read_text() == mine["config.toml"]


def test_yes_consents_to_no_setting_that_sends_texts_elsewhere(home: Path, tmp_path: Path, original: Path) -> None:
    value = {"hooks.submit": "true"}
    address = '"http://evil.example/x"'
    for key in REDIRECTING:
        section, name = key.split(".")
        config = f"[{section}]\n{name} = {value.get(key, address)}\n"
        file = archive_of(original, tmp_path / f"{name}.zip", **{"config.toml": config.encode()})
        if key in {"reflection.base_url", "ledger.url"}:  # each way of asking takes seconds
            done = run_command(home, "restore", str(file), "--yes", "--with-settings")
            assert (done.returncode, key in done.stderr) == (2, True), done.stderr
            assert not (home / "config.toml").exists()
    done = run_command(home, "restore", str(file), "--yes")
    assert done.returncode == 0, done.stderr
    assert "config.toml: not taken over" in done.stdout
    assert not (home / "config.toml").exists()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("../evil.md", b"x"),
        ("prompts/../../evil.md", b"x"),
        ("prompts//x.md", b"x"),
        ("prompts/a b.md", b"x"),
        ("prompts/x\\..\\y.md", b"x"),
        ("/etc/evil.md", b"x"),
        ("hub.sock", b"x"),
        ("prompts/run.py", b"x"),
        ("prompts/big.md", b"0" * 1_000_001),
        ("config.toml", b"0" * 1_000_001),
    ],
)
def test_a_member_that_belongs_to_no_home_is_refused(tmp_path: Path, original: Path, name: str, content: bytes) -> None:
    home = a_home(tmp_path / "home")
    before = state(home)
    with pytest.raises(ArchiveError, match="nothing was changed"):
        restore(
            home,
            SqliteFile(home / "ledger.db"),
            archive_of(original, tmp_path / "evil.zip", **{name: content}),
            prompts=True,
            settings=True,
        )
    assert state(home) == before


@pytest.mark.slow
def test_a_bomb_is_not_unpacked(tmp_path: Path, original: Path) -> None:
    home, file = a_home(tmp_path / "home"), tmp_path / "bomb.zip"
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        manifest = {"format": "mcp-reflect-backup", "version": 1}
        manifest |= {"files": {"ledger.db": {"bytes": 10, "sha256": "0" * 64}}}  # type: ignore[dict-item]
        archive.writestr("manifest.json", json.dumps(manifest))
        archive.writestr("ledger.db", bytes(200_000_000))
    with pytest.raises(ArchiveError, match="damaged"):
        restore(home, SqliteFile(home / "ledger.db"), file)
