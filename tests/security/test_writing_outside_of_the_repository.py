"""An attacker's repository wants to read or write a file of the user's that lies elsewhere."""

from __future__ import annotations

import itertools
import os
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from mcp_reflect.application import confined_file
from mcp_reflect.application.confined_file import read_confined, replace_confined, stamp_confined
from mcp_reflect.application.requests import ErrorFix, ErrorQuery
from mcp_reflect.config.load import load_settings
from mcp_reflect.errors import ConfigurationError
from tests.support.composition import small_memory
from tests.support.hubs import posix, run_command
from tests.support.servers import call, connect
from tests.support.waiting import HANG_S

pytestmark = [pytest.mark.anyio, posix]

SECRET = '{"mistake": "the owner\'s private note", "fix": "a secret outside"}\n'
MIRROR = "docs/memory/reflexion.jsonl"
Plant = Callable[[Path, Path], None]


def file_link(repository: Path, secret: Path) -> None:
    (repository / "docs/memory").mkdir(parents=True)
    (repository / MIRROR).symlink_to(secret)


def relative_link(repository: Path, secret: Path) -> None:
    (repository / "docs/memory").mkdir(parents=True)
    (repository / MIRROR).symlink_to(os.path.relpath(secret, repository / "docs/memory"))


def chain_of_links(repository: Path, secret: Path) -> None:
    (repository / "docs/memory").mkdir(parents=True)
    (repository / "step").symlink_to(secret)
    (repository / MIRROR).symlink_to("../../step")


def folder_link(repository: Path, secret: Path) -> None:
    (repository / "docs").mkdir()
    (repository / "docs/memory").symlink_to(secret.parent, target_is_directory=True)


def first_folder_link(repository: Path, secret: Path) -> None:
    (secret.parent / "memory").mkdir()
    (secret.parent / "memory/reflexion.jsonl").write_text(SECRET)
    (repository / "docs").symlink_to(secret.parent)


def link_to_the_parent(repository: Path, secret: Path) -> None:
    (repository / "docs").symlink_to("..")
    (repository.parent / "memory").mkdir()
    (repository.parent / "memory/reflexion.jsonl").write_text(SECRET)


def dangling_link(repository: Path, secret: Path) -> None:
    (repository / "docs/memory").mkdir(parents=True)
    (repository / MIRROR).symlink_to(secret.with_name("made-by-us"))


def dangling_folder_link(repository: Path, secret: Path) -> None:
    (repository / "docs").symlink_to(secret.parent / "made-by-us")


def hard_link(repository: Path, secret: Path) -> None:
    (repository / "docs/memory").mkdir(parents=True)
    (repository / MIRROR).hardlink_to(secret)


def loop_of_links(repository: Path, secret: Path) -> None:
    (repository / "docs").symlink_to("docs")


def pipe(repository: Path, secret: Path) -> None:
    (repository / "docs/memory").mkdir(parents=True)
    os.mkfifo(repository / MIRROR)


def unix_socket(repository: Path, secret: Path) -> None:
    (repository / "docs/memory").mkdir(parents=True)
    with socket.socket(socket.AF_UNIX) as made:
        here = Path.cwd()
        os.chdir(repository / "docs/memory")  # the path of a socket has to be short
        try:
            made.bind("reflexion.jsonl")
        finally:
            os.chdir(here)


def folder_in_its_place(repository: Path, secret: Path) -> None:
    (repository / MIRROR).mkdir(parents=True)


PLANTS = [
    file_link,
    relative_link,
    chain_of_links,
    folder_link,
    first_folder_link,
    link_to_the_parent,
    dangling_link,
    dangling_folder_link,
    hard_link,
    loop_of_links,
    pipe,
    unix_socket,
    folder_in_its_place,
]


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    folder = tmp_path / "private"
    folder.mkdir()
    (folder / "reflexion.jsonl").write_text(SECRET)
    return folder / "reflexion.jsonl"


def outside(repository: Path, home: Path) -> dict[Path, bytes]:
    """Every file of the user's, but for the memory's own and for the repository's."""
    found = [Path(top) / name for top, _, names in os.walk(repository.parent) for name in names]
    return {
        file: file.read_bytes() for file in found if repository not in file.parents and home not in file.parents
    }  # fmt: skip


@pytest.mark.parametrize("plant", PLANTS)
def test_the_mirror_follows_nothing_that_a_repository_brings(
    tmp_path: Path, repository: Path, secret: Path, plant: Plant
) -> None:
    plant(repository, secret)
    home = tmp_path / "home"
    home.mkdir()
    before = outside(repository, home)
    with small_memory(home, mirror=repository / MIRROR) as parts:
        recorded = parts.memory.errors.record(ErrorFix(task="t", mistake="Shell broke", fix="$(touch /tmp/owned)"))
        assert recorded.is_new
        assert "reflexion.jsonl" in recorded.warnings[0]
        found = parts.memory.errors.find(ErrorQuery(error="the owner's private note"))
        assert found.fixes == []
        assert "reflexion.jsonl" in found.warnings[0]
    assert outside(repository, home) == before


async def test_a_server_in_a_cloned_repository_says_which_link_it_does_not_follow(
    tmp_path: Path, repository: Path, secret: Path
) -> None:
    folder_link(repository, secret)
    before = outside(repository, tmp_path / "home")
    more = {"CLAUDE_PROJECT_DIR": str(repository), "MCP_REFLECT_ERRORS__MIRROR": MIRROR}
    async with connect(tmp_path / "home", more=more) as client:
        stored = await call(client, "record_error_fix", task="t", mistake="Shell broke", fix="$(touch /tmp/owned)")
        assert "memory in its path is a symbolic link" in stored["warnings"][0]
    assert outside(repository, tmp_path / "home") == before


@pytest.mark.parametrize(
    "path",
    [
        *("/etc/reflexion.jsonl", "../reflexion.jsonl", "a/../../reflexion.jsonl", "~/../../x.jsonl", "docs/"),
        # A line of an error in one of these would be run by somebody.
        *(".git/hooks/pre-commit", ".git/config.jsonl", "sub/.GIT/x.jsonl", ".envrc", "Makefile", "conftest.py"),
    ],
)
def test_the_mirror_is_a_file_of_errors_inside_the_repository(tmp_path: Path, repository: Path, path: str) -> None:
    environ = {"MCP_REFLECT_HOME": str(tmp_path), "MCP_REFLECT_ERRORS__MIRROR": path}
    with pytest.raises(ConfigurationError, match="inside the repository"):
        load_settings(environ, repository)


def test_a_repository_reached_by_the_users_own_link_has_its_mirror(tmp_path: Path, repository: Path) -> None:
    (tmp_path / "work").symlink_to(repository)
    environ = {"MCP_REFLECT_HOME": str(tmp_path), "MCP_REFLECT_ERRORS__MIRROR": MIRROR}
    for cwd in (tmp_path / "work", repository):
        assert load_settings(environ | {"CLAUDE_PROJECT_DIR": str(cwd)}, tmp_path).errors.mirror == str(
            repository / MIRROR
        )


def test_a_link_that_is_put_in_between_check_and_use_is_not_followed(
    repository: Path, secret: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = repository / MIRROR
    file.parent.mkdir(parents=True)
    file.write_text("ours\n")
    look = confined_file._look

    def swap(*arguments: Any) -> Any:
        found = look(*arguments)
        if not file.is_symlink():
            file.unlink(missing_ok=True)
            file.symlink_to(secret)
        return found

    monkeypatch.setattr(confined_file, "_look", swap)
    with pytest.raises(OSError, match=r"symbolic link|Too many levels"):
        read_confined(file)
    file.unlink()
    file.write_text("ours\n")
    replace_confined(file, b"new\n")  # takes the link's place
    assert not file.is_symlink()
    assert secret.read_text() == SECRET


@pytest.mark.slow
def test_a_folder_that_turns_into_a_link_while_we_write_leads_nowhere(repository: Path, secret: Path) -> None:
    """Somebody swaps the folder with a link to the private one as fast as they can."""
    folder, file = repository / "docs/memory", repository / MIRROR
    folder.mkdir(parents=True)
    stop = threading.Event()

    def swap() -> None:
        for number in itertools.count():
            if stop.is_set():
                return
            with suppress(OSError):  # somebody made the folder anew meanwhile
                folder.rename(folder.with_name(f"aside{number}"))
                folder.symlink_to(secret.parent)
            if folder.is_symlink():
                folder.unlink()

    thread = threading.Thread(target=swap)
    thread.start()
    read = set()
    try:
        for _ in range(2_000):
            try:
                replace_confined(file, b"ours\n")
                found = read_confined(file)
                read.add(found.content if found else b"")
            except OSError:
                continue
    finally:
        stop.set()
        thread.join(HANG_S)
    assert read <= {b"ours\n", b""}
    assert secret.read_text() == SECRET
    assert [each.name for each in secret.parent.iterdir()] == [secret.name]


def test_a_file_that_changed_meanwhile_is_not_replaced(repository: Path) -> None:
    file = repository / MIRROR
    assert stamp_confined(file) is None
    assert replace_confined(file, b"one\n", before=None, always=False)
    before = stamp_confined(file)
    file.write_text("another's, and longer\n")
    assert not replace_confined(file, b"two\n", before=before, always=False)
    assert not replace_confined(file, b"two\n", before=None, always=False)
    assert file.read_text() == "another's, and longer\n"
    file.chmod(0o640)
    assert replace_confined(file, b"three\n")
    assert (file.read_text(), file.stat().st_mode & 0o777) == ("three\n", 0o640)
    assert [each.name for each in file.parent.iterdir()] == [file.name]


def test_a_giant_file_is_not_read_into_memory(repository: Path) -> None:
    file = repository / "giant.jsonl"
    with file.open("wb") as out:
        out.truncate(confined_file.LARGEST + 1)
    with pytest.raises(OSError, match="larger than"):
        read_confined(file)


@pytest.mark.parametrize("kind", ["file", "dangling", "hard", "folder"])
@pytest.mark.parametrize("client", ["claude-code", "cursor", "vscode"])
def test_a_configuration_for_a_repository_is_not_written_through_a_link(
    home: Path, repository: Path, secret: Path, kind: str, client: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = {"claude-code": ".mcp.json", "cursor": ".cursor/mcp.json", "vscode": ".vscode/mcp.json"}[client]
    file = repository / place
    secret.write_text("{}")
    if kind == "folder" and "/" in place:
        file.parent.symlink_to(secret.parent)
        (secret.parent / file.name).write_text("{}")
    else:
        file.parent.mkdir(exist_ok=True)
        if kind == "hard":
            file.hardlink_to(secret)
        else:
            file.symlink_to(secret if kind == "file" else secret.with_name("made-by-us"))
    before = outside(repository, home)
    monkeypatch.chdir(repository)
    done = run_command(home, "install", client, "--project", "--yes")
    assert (done.returncode, "link" in done.stderr) == (2, True), done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    assert outside(repository, home) == before
