"""The home is its owner's alone, whoever made the folder."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from mcp_reflect.application.outbox import WaitingRun, keep_run
from mcp_reflect.config.home import Home
from mcp_reflect.errors import ConfigurationError, MemoryUnavailable
from mcp_reflect.wire.owner_note import read_owner


@pytest.mark.skipif(os.name != "posix", reason="permissions as POSIX has them")
@pytest.mark.parametrize("there_before", [False, True])
def test_others_cannot_look_into_the_home(tmp_path: Path, there_before: bool) -> None:
    folder = tmp_path / "home"
    if there_before:
        folder.mkdir(mode=0o755)
    with Home(folder):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_a_home_that_cannot_be_made_is_a_configuration_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(ConfigurationError, match="MCP_REFLECT_HOME"):
        Home(tmp_path / "file" / "home")


@pytest.mark.skipif(os.name != "posix", reason="links as POSIX has them")
@pytest.mark.parametrize("exists", [False, True])
def test_a_note_that_is_a_link_is_replaced_and_not_written_through(tmp_path: Path, exists: bool) -> None:
    folder, elsewhere = tmp_path / "home", tmp_path / "elsewhere"
    folder.mkdir()
    if exists:
        elsewhere.write_text("precious")
    (folder / "owner.json").symlink_to(elsewhere)
    with Home(folder, "a test"):
        owner = read_owner(str(folder))
        assert owner is not None
        assert (owner.pid, owner.role) == (os.getpid(), "a test")
    assert elsewhere.exists() is exists
    assert not exists or elsewhere.read_text() == "precious"
    assert [file.name for file in folder.iterdir()] == ["owner.lock"]


def test_a_note_that_cannot_be_written_leaves_the_home_free(tmp_path: Path) -> None:
    folder = tmp_path / "home"
    (folder / "owner.json").mkdir(parents=True)
    with pytest.raises(ConfigurationError, match=r"owner\.json: cannot be written"), Home(folder):
        pass
    (folder / "owner.json").rmdir()
    with Home(folder):
        pass
    assert [file.name for file in folder.iterdir()] == ["owner.lock"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes as POSIX has them")
def test_a_pipe_in_the_place_of_the_note_holds_nobody_up(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "owner.json")
    assert read_owner(str(tmp_path)) is None
    with Home(tmp_path, "a test"):
        owner = read_owner(str(tmp_path))
        assert owner is not None
        assert owner.role == "a test"


@pytest.mark.skipif(os.name != "posix", reason="owners of POSIX")
def test_nothing_is_put_into_the_home_of_another_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    user = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: user + 1)
    with pytest.raises(ConfigurationError, match=r"belongs to another user .*must be a folder of your own.*sudo chown"):
        Home(tmp_path)
    with pytest.raises(MemoryUnavailable, match="belongs to another user"):
        keep_run(tmp_path, WaitingRun("p", "u", {"task": "t", "trace_key": "k"}))
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(os.name != "posix", reason="modes of POSIX")
def test_a_home_that_cannot_be_written_is_told_with_its_remedy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = Home(tmp_path)
    monkeypatch.setattr(os, "access", lambda *_: False)
    monkeypatch.setattr(home, "_write_note", lambda **_: os.open(tmp_path, os.O_WRONLY))
    with pytest.raises(ConfigurationError, match=f"chmod 700 {tmp_path}"), home:
        pass
