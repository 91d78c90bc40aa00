"""Another user plants a home, and wants the keys of whoever uses it, or to write that person's files through it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mcp_reflect.cli.install.home_note import HomeNote
from mcp_reflect.cli.learn.progress_file import LEARNED_NAME, LearnedFiles
from mcp_reflect.config.load import load_settings
from mcp_reflect.errors import ConfigurationError
from mcp_reflect.hooks.error_log import log_hook_error
from mcp_reflect.hooks.session_state import SessionState
from mcp_reflect.wire import address
from mcp_reflect.wire.hub_connection import try_connect
from mcp_reflect.wire.hub_errors import HubUnavailable
from mcp_reflect.wire.hub_launcher import HUB_LOG, START_LOCK, connect_or_start, open_log
from mcp_reflect.wire.owner_note import read_owner
from tests.support.hubs import hub_pids, posix, run_command, status
from tests.support.llm_server import llm_server
from tests.support.servers import environment
from tests.support.waiting import HANG_S

pytestmark = posix

SECRET = "PATH=/bin\n"
NOTE = "empty-configs.json"
FIFO_S = 20.0
"""Within this whatever waits for a pipe counts as hanging; nothing here takes a second."""


@pytest.fixture
def foreign_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A home of another user that everybody may write, with links to a file of the victim's."""
    home = tmp_path / "home"
    home.mkdir()
    home.chmod(0o777)
    (tmp_path / "victim").write_text(SECRET)
    for name in ("hooks.log", HUB_LOG, NOTE, LEARNED_NAME):
        (home / name).symlink_to(tmp_path / "victim")
    for name in (START_LOCK, "hub.address", "owner.json", "owner.lock", "hub.accepted"):
        (home / name).symlink_to(tmp_path / "created")
    (home / "config.toml").write_text('[reflection]\nmodel = "m"\nbase_url = "http://127.0.0.1:9/"\n')
    before = sorted(home.iterdir())
    user = os.geteuid()
    with monkeypatch.context() as another:
        another.setattr(os, "geteuid", lambda: user + 1)
        yield home
    assert sorted(home.iterdir()) == before
    assert (tmp_path / "victim").read_text() == SECRET
    assert not (tmp_path / "created").exists()
    assert home.stat().st_mode & 0o777 == 0o777


def test_notes_of_a_foreign_home_are_neither_read_nor_written(foreign_home: Path) -> None:
    note = HomeNote(foreign_home, NOTE)
    for noted in ({"a": 1}, {}):
        note.write(noted)
        assert note.read() == {}
    with pytest.raises(OSError, match="symbolic"):
        LearnedFiles(foreign_home)


@pytest.mark.parametrize("content", [b"", b"[" * 100_000, b"\xff", b"[]"])
def test_a_note_that_cannot_be_read_is_empty(tmp_path: Path, content: bytes) -> None:
    (tmp_path / NOTE).write_bytes(content)
    note = HomeNote(tmp_path, NOTE)
    assert note.read() == {}
    note.write({"a": "b" * 100})
    note.write({"a": 1})
    assert note.read() == {"a": 1}


def test_a_pipe_in_the_place_of_a_note_keeps_nobody_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / NOTE)
    assert HomeNote(tmp_path, NOTE).read() == {}


def test_settings_of_a_foreign_home_are_not_loaded(foreign_home: Path) -> None:
    variables = environment(foreign_home, OPENAI_API_KEY="sk-secret")
    with pytest.raises(ConfigurationError, match="belongs to another user"):
        load_settings(variables, foreign_home.parent)
    assert address.config_content(variables, str(foreign_home), "/") == b""


def test_nothing_is_created_or_written_in_a_foreign_home(foreign_home: Path) -> None:
    home = str(foreign_home)
    log_hook_error(home, "hook", OSError("no"))
    with pytest.raises(PermissionError):
        open_log(foreign_home / HUB_LOG)
    with pytest.raises(HubUnavailable, match="belongs to another user"):
        connect_or_start(home, {}, within=1)
    with pytest.raises(HubUnavailable, match="belongs to another user"):
        try_connect(home, {})
    assert read_owner(home) is None


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="gives a home to another user")
def test_no_command_sends_a_key_where_a_foreign_home_says(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    home.chmod(0o777)
    (tmp_path / "victim").write_text(SECRET)
    (home / "hooks.log").symlink_to(tmp_path / "victim")
    (home / START_LOCK).symlink_to(tmp_path / "created")
    with llm_server() as server:
        (home / "config.toml").write_text(f'[reflection]\nmodel = "m"\nbase_url = "{server.base_url}"\n')
        for path in (home, home / "config.toml"):
            os.chown(path, 65534, 65534, follow_symlinks=False)
        before = sorted(home.iterdir())
        variables = environment(home, OPENAI_API_KEY="sk-secret", HOME=str(tmp_path))
        told = run_command(home, "doctor", OPENAI_API_KEY="sk-secret", HOME=str(tmp_path)).stdout
        assert "belongs to another user" in " ".join(told.split())
        for words in (["stats"], ["query", "x"], ["hub", "restart"], ["hub", "status"]):
            done = run_command(home, *words, OPENAI_API_KEY="sk-secret", HOME=str(tmp_path))
            assert done.returncode > 0
            assert "belongs to another user" in " ".join(done.stderr.split())
        for event in ("UserPromptSubmit", "SessionStart", "SessionEnd", "Stop"):
            hook(variables, event, tmp_path)
        assert server.requests == []
    assert sorted(home.iterdir()) == before
    assert (tmp_path / "victim").read_text() == SECRET
    assert not (tmp_path / "created").exists()


def hook(variables: dict[str, str], event: str, cwd: Path) -> None:
    payload = {
        "hook_event_name": event,
        "prompt": "hello",
        "session_id": "s1",
        "cwd": str(cwd),
        "transcript_path": "/n",
    }
    done = subprocess.run(
        [sys.executable, "-P", "-m", "mcp_reflect", "hook", "claude-code"],
        input=json.dumps(payload),
        env=variables,
        text=True,
        capture_output=True,
        timeout=HANG_S,
        check=False,
    )
    assert done.returncode == 0


def ends(action: Any) -> None:
    """Fail where an action waits for a pipe."""
    thread = threading.Thread(target=action, daemon=True)
    thread.start()
    thread.join(FIFO_S)
    assert not thread.is_alive(), action


@pytest.mark.parametrize("name", ["hub.address", "config.toml", "owner.json", "hooks.log", "hub.accepted", "hub.log"])
@pytest.mark.parametrize("kind", [os.mkfifo if hasattr(os, "mkfifo") else None, os.mkdir])
def test_a_pipe_or_folder_in_the_home_keeps_nobody_waiting(home: Path, name: str, kind: Any) -> None:
    home.mkdir(mode=0o700)
    kind(home / name)
    variables = environment(home)
    told: list[str] = []
    ends(lambda: told.append(run_command(home, "doctor").stdout))
    assert f"mv {home / name} <elsewhere>" in told[0].replace("\n", "")
    ends(lambda: hook(variables, "UserPromptSubmit", home.parent))
    started = run_command(home, "hub", "restart")
    if name in {"config.toml", "hub.log", "owner.json"} and (name != "owner.json" or kind is os.mkdir):
        assert started.returncode > 0
        assert name in started.stderr
    else:
        assert started.returncode == 0, started.stderr
        assert hub_pids(home) == [status(home)["pid"]]


@pytest.mark.parametrize("name", ["ledger.db", "ledger.db-wal"])
def test_a_pipe_in_the_place_of_the_ledger_keeps_nobody_waiting(home: Path, name: str) -> None:
    home.mkdir(mode=0o700)
    os.mkfifo(home / name)
    done: list[subprocess.CompletedProcess[str]] = []
    for words in (["doctor"], ["stats"], ["hub", "restart"], ["backup", str(home.parent / "b.zip")]):
        ends(lambda words=words: done.append(run_command(home, *words)))
    assert [each.returncode > 0 for each in done] == [True] * 4 if name == "ledger.db" else [True, False, True, True]
    assert f"{name} is no plain file" in " ".join(done[0].stdout.split())


def test_the_state_of_a_session_is_not_written_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "victim").write_text(SECRET)
    session = SessionState(str(tmp_path), "claude-code", "s1")
    (tmp_path / "sessions").mkdir()
    Path(session._path).symlink_to(tmp_path / "victim")
    with pytest.raises(OSError, match="symbolic"):
        session.add({"asked": "a"})
    assert SessionState(str(tmp_path), "claude-code", "s1").asked == set()
    assert (tmp_path / "victim").read_text() == SECRET
