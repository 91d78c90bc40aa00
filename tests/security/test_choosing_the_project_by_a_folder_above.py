"""Another user who may write a folder above the victim's wants to choose the project, or to hang what looks for it."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from mcp_reflect.config.project import locate_project
from tests.support.hubs import posix

pytestmark = posix

SECRET = '[remote "origin"]\n url = https://example.com/victim/secret.git\n'
FIFO_S = 20.0
as_root = pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="gives files to other users")
ATTACKER, VICTIM = 65533, 65534


def planted(tmp_path: Path, owner: int = ATTACKER) -> Path:
    """The victim's folder, in one with a repository of `owner`'s."""
    work = tmp_path / "shared" / "work"
    git = work.parent / ".git"
    work.mkdir(parents=True)
    git.mkdir()
    (git / "HEAD").write_text("ref: refs/heads/main\n")
    (git / "config").write_text(SECRET)
    for path in (git, git / "HEAD", git / "config"):
        os.chown(path, owner, owner)
    return work


@as_root
def test_a_repository_of_another_user_above_ones_folder_names_no_project(tmp_path: Path) -> None:
    found = locate_project({}, planted(tmp_path))
    assert not found.is_settled
    assert "no git repository" in found.origin


@as_root
def test_a_link_of_another_user_to_a_repository_of_ones_own_names_no_project(tmp_path: Path) -> None:
    work = planted(tmp_path, os.geteuid())
    (work.parent / ".git").rename(tmp_path / "own.git")
    (work.parent / ".git").symlink_to(tmp_path / "own.git")
    assert locate_project({}, work).is_settled
    os.chown(work.parent / ".git", ATTACKER, ATTACKER, follow_symlinks=False)
    assert not locate_project({}, work).is_settled


@as_root
@pytest.mark.parametrize("part", ["shared", "shared/.git", "shared/.git/config"])
def test_each_part_of_a_repository_must_be_of_an_owner_who_is_trusted(tmp_path: Path, part: str) -> None:
    work = planted(tmp_path, os.geteuid())
    assert locate_project({}, work).project.startswith("secret-")
    os.chown(tmp_path / part, ATTACKER, ATTACKER)
    assert not locate_project({}, work).project.startswith("secret-")


@as_root
def test_root_works_in_a_repository_of_its_files_owner(tmp_path: Path) -> None:
    work = planted(tmp_path, VICTIM)
    for folder in (work, work.parent):
        os.chown(folder, VICTIM, VICTIM)
    assert locate_project({}, work).project.startswith("secret-")


@as_root
@pytest.mark.parametrize(
    ("told", "is_read"), [("{shared}", True), ("*", True), ("{above}/*", True), ("{shared}/work", False), ("", False)]
)
def test_a_repository_that_git_was_told_to_trust_is_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, told: str, is_read: bool
) -> None:
    work = planted(tmp_path)
    os.chown(work.parent, ATTACKER, ATTACKER)
    monkeypatch.setenv("HOME", str(tmp_path))
    value = told.format(shared=work.parent, above=tmp_path)
    (tmp_path / ".gitconfig").write_text(f"[user]\n name = x\n[safe]\n directory = {value}\n")
    assert locate_project({}, work).project.startswith("secret-") is is_read


def test_a_pipe_in_the_place_of_a_git_file_keeps_nobody_waiting(tmp_path: Path) -> None:
    for name in ("config", "commondir"):
        folder = tmp_path / name / "work"
        (folder.parent / ".git").mkdir(parents=True)
        (folder.parent / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
        folder.mkdir()
        os.mkfifo(folder.parent / ".git" / name)
        ends(folder)
    (tmp_path / "marker").mkdir()
    os.mkfifo(tmp_path / "marker" / ".git")
    ends(tmp_path / "marker")


def ends(folder: Path) -> None:
    thread = threading.Thread(target=locate_project, args=({}, folder), daemon=True)
    thread.start()
    thread.join(FIFO_S)
    assert not thread.is_alive()
