"""`mcp-reflect learn`: sessions on the machine become reviewed runs, once, and nothing else is read or sent."""

from __future__ import annotations

import json
import os
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from mcp_reflect.bootstrap.beside_owner import open_memory_beside_owner
from mcp_reflect.config.load import load_settings
from mcp_reflect.hooks.past_sessions import Unreadable, find_sessions
from tests.support.home_files import files_with
from tests.support.hubs import run_command
from tests.support.past_sessions import BEGAN, IN_FOLDERS, NAMED, PastStep, age, write_session
from tests.support.servers import environment

pytestmark = pytest.mark.process

KEY = "sk-ant-api03-" + "a1B2c3D4" * 11
STEPS = [
    PastStep(prompt="Make the tests of the parser pass"),
    PastStep(command=f"API_KEY={KEY} python -m pytest -q", output="1 failed in 0.10s", code=1),
    PastStep(command="python -m pytest -q", output="3 passed in 0.10s"),
    PastStep(says="They pass."),
    PastStep(prompt="Now write the changelog"),
    PastStep(says="Written."),
    PastStep(prompt="no, that's wrong"),
    PastStep(says="Corrected."),
]


@pytest.fixture
def user(tmp_path: Path) -> Path:
    """A user's folder with a session of each client, each in a repository of its own."""
    for client in IN_FOLDERS:
        write_session(tmp_path, client, f"{client}-1", repository(tmp_path, client), STEPS)
    return tmp_path


def repository(user: Path, name: str) -> Path:
    folder = user / "work" / name
    (folder / ".git").mkdir(parents=True)
    (folder / ".git/HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    return folder


def learn(user: Path, *words: str, **more: str) -> dict[str, Any]:
    done = run_command(user / "home", "learn", "--json", *words, HOME=str(user), **more)
    assert done.returncode == 0, done.stderr
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def reviewed(user: Path, client: str) -> list[tuple[str, str, str]]:
    """The first words of the tasks of a client's runs, each with its verdict and what that was taken from."""
    variables = environment(user / "home") | {"MCP_REFLECT_PROJECT": ""}
    with open_memory_beside_owner(load_settings(variables, user / "work" / client)) as memory:
        found = reversed(memory.traces(None, 10))
        return [
            (each.task.split()[0], each.review.result if each.review else "", each.review.source if each.review else "")
            for each in found
        ]


def test_sessions_of_every_client_become_reviewed_runs_of_their_projects_once(user: Path) -> None:
    planned = learn(user, "--dry-run")
    assert [(row["client"], row["sessions"]) for row in planned["found"]] == [(name, 1) for name in sorted(IN_FOLDERS)]
    assert not (user / "home" / "ledger.db").exists()
    done = learn(user, "--yes")
    assert (done["runs"], done["passed"], done["failed"], done["refused"]) == (21, 6, 7, 0)
    for client in IN_FOLDERS:
        by_tests = ("Make", "", "") if client == "cursor" else ("Make", "pass", "tests")
        assert reviewed(user, client) == [by_tests, ("Now", "fail", "user"), ("Now", "", "")], client
    assert files_with(user / "home", KEY.encode()) == []
    again = learn(user, "--yes")
    assert (again["found"], again["known_sessions"]) == ([], len(IN_FOLDERS))
    (user / "home" / "learned.jsonl").unlink()  # as after an interruption
    assert learn(user, "--yes")["runs"] == 0


def test_what_is_wanted_can_be_narrowed(user: Path) -> None:
    only = learn(user, "--dry-run", "--client", "codex", "--client", "gemini", "--project", str(user / "work/codex"))
    assert [row["client"] for row in only["found"]] == ["codex"]
    assert learn(user, "--dry-run", "--since", "2100-01-01")["found"] == []
    assert len(learn(user, "--dry-run", "--since", "1d")["found"]) == len(IN_FOLDERS)
    refused = run_command(user / "home", "learn", "--since", "yesterday", HOME=str(user))
    assert (refused.returncode, "must be a date" in refused.stderr) == (2, True)
    sending = {"MCP_REFLECT_EMBEDDING__MODEL": "openai:text-embedding-3-small", "OPENAI_API_KEY": "none"}
    refused = run_command(user / "home", "learn", "--yes", HOME=str(user), **sending)
    assert (refused.returncode, "sends nothing anywhere" in refused.stderr) == (2, True)


def test_files_that_are_no_sessions_are_named_and_passed_over(user: Path) -> None:
    folder = user / ".claude/projects/damaged"
    folder.mkdir()
    outside = user / "outside.jsonl"
    outside.write_bytes(next((user / ".claude/projects").rglob("*.jsonl")).read_bytes())
    (folder / "link.jsonl").symlink_to(outside)
    (folder / "folder").symlink_to(user / "work")
    (folder / "damaged.jsonl").write_bytes(b'{"type": "user", \xff\n[]\nnull\n' + b"[" * 100_000)
    (folder / "huge.jsonl").touch()
    os.truncate(folder / "huge.jsonl", 200_000_000)
    (folder / "long-line.jsonl").write_bytes(b'{"text": "' + b"x" * 20_000_000 + b'"}\n')
    os.mkfifo(folder / "pipe.jsonl")
    gone = write_session(user, "codex", "gone", user / "work/gone", STEPS)
    found = {
        Path(each.path).name: each.reason
        for each in find_sessions("claude-code", {}, str(user))
        if isinstance(each, Unreadable)
    }
    assert found == {
        "link.jsonl": "is a link out of the folder",
        "damaged.jsonl": "holds no session that can be read",
        "huge.jsonl": "has more than 100 MB",
        "long-line.jsonl": "holds no session that can be read",
        "pipe.jsonl": "is no plain file",
    }
    done = learn(user, "--yes", "--client", "codex")
    assert [(each["path"], "is gone" in each["reason"]) for each in done["passed_over"]] == [(str(gone), True)]
    assert done["runs"] == 3


def test_runs_have_the_times_of_their_sessions(user: Path) -> None:
    late = BEGAN + timedelta(minutes=6)
    assert learn(user, "--yes", "--client", "codex", "--since", late.isoformat())["runs"] == 1
    assert learn(user, "--yes", "--client", "codex")["runs"] == 2
    variables = environment(user / "home") | {"MCP_REFLECT_PROJECT": ""}
    with open_memory_beside_owner(load_settings(variables, user / "work/codex")) as memory:
        last, middle, first = memory.traces(None, 10)
        assert [each.created_at - BEGAN for each in (first, middle, last)] == [timedelta(minutes=n) for n in (3, 5, 7)]
        lesson = memory.memory_of(first)
        assert lesson is not None
        assert first.review is not None
        assert first.created_at == first.review.created_at == lesson.created_at


def test_a_path_that_is_not_there_is_told_in_one_line(user: Path) -> None:
    for more in ((), ("--json",), ("--dry-run",)):
        done = run_command(user / "home", "learn", str(user / "absent"), *more, HOME=str(user))
        told = f"mcp-reflect: {user}/absent: is not there\n"
        assert (done.returncode, done.stdout, done.stderr) == (2, "", told)


def test_files_that_are_named_are_read_whatever_they_are_of(user: Path) -> None:
    paths = [str(write_session(user, name, f"{name}-1", repository(user, name), STEPS)) for name in NAMED]
    elsewhere = write_session(user, "atif", "atif-2", user / "not/here", STEPS)
    (user / "exported/notes.json").write_text('{"steps": []}', encoding="utf-8")
    done = learn(user, "--yes", *paths, str(user / ".codex"), str(user / "absent.json"), MCP_REFLECT_PROJECT="mine")
    assert {(row["client"], row["sessions"]) for row in done["found"]} == {("atif", 1), ("codex", 1), ("otel", 1)}
    assert [each["reason"] for each in done["passed_over"]] == ["is not there"]
    for name in NAMED:
        assert reviewed(user, name) == [("Make", "pass", "tests"), ("Now", "fail", "user"), ("Now", "", "")], name
    rest = learn(user, "--yes", str(user / "exported"), MCP_REFLECT_PROJECT="mine")
    assert [(row["project"], row["sessions"]) for row in rest["found"]] == [("mine", 1)]
    assert [Path(each["path"]).name for each in rest["passed_over"]] == ["notes.json"]
    assert elsewhere.exists()
    assert rest["runs"] == 3


def test_a_session_that_may_still_go_on_is_left_for_later(user: Path) -> None:
    path = next((user / ".codex").rglob("*.jsonl"))
    os.utime(path)
    assert learn(user, "--yes", "--client", "codex")["sessions_in_use"] == 1
    age(path)
    assert learn(user, "--yes", "--client", "codex")["runs"] == 3


def test_a_run_that_a_hook_or_the_agent_submitted_is_not_learned_twice(user: Path) -> None:
    recorded = Path(__file__).parents[2] / "hooks/recorded/codex-submitted.jsonl"
    folder = repository(user, "recorded")
    path = user / ".codex/sessions/2026/11/02/rollout-recorded.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text(recorded.read_text(encoding="utf-8").replace("/home/ann/project", str(folder)), encoding="utf-8")
    age(path)
    assert learn(user, "--yes", "--project", str(folder))["runs"] == 0


def test_a_machine_without_sessions_is_told_from_one_whose_sessions_are_known(user: Path, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    told = run_command(tmp_path / "home", "learn", "--dry-run", HOME=str(empty))
    assert (told.returncode, "are where these keep them" in told.stdout) == (0, True)
    assert "nothing new" in run_command(tmp_path / "home", "learn", str(empty), HOME=str(empty)).stdout
    learn(user, "--yes")
    assert "nothing new" in run_command(user / "home", "learn", HOME=str(user)).stdout
