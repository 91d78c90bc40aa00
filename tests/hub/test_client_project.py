"""The project of a client whose working directory is no repository: its roots, else a folder's own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.hubs import INITIALIZE, RawClient
from tests.support.servers import environment

LASTING = {"MCP_REFLECT_HUB__IDLE_EXIT_S": "60"}


def variables(home: Path, **more: str) -> dict[str, str]:
    return {n: v for n, v in environment(home, **LASTING, **more).items() if n != "MCP_REFLECT_PROJECT"}


def repository(folder: Path) -> Path:
    (folder / ".git").mkdir(parents=True)
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    return folder


def folder(path: Path) -> Path:
    path.mkdir()
    return path


@pytest.mark.process
def test_the_roots_of_a_client_name_its_project_and_are_asked_for_once(home: Path, tmp_path: Path) -> None:
    app = repository(tmp_path / "app")
    with RawClient(variables(home), cwd=folder(tmp_path / "nowhere")) as client:
        client.request("initialize", {**INITIALIZE, "capabilities": {"roots": {}}})
        client.send("notifications/initialized", notify=True)
        number = client.send("tools/call", {"name": "memory_stats", "arguments": {}})
        asked = client.answer()
        assert asked["method"] == "roots/list"
        roots = {"roots": [{"uri": "file:///gone"}, {"uri": app.as_uri()}]}
        assert client.process.stdin is not None
        client.process.stdin.write(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": roots}).encode() + b"\n")
        client.process.stdin.flush()
        first = client.answer()
        assert first["id"] == number
        told = first["result"]["structuredContent"]
        assert told["project"].startswith("app-")
        assert told["project_from"] == f"the git repository {app}, by the client's roots"
        client.call("submit_trace", task="Fix the build", review_result="pass", guidance="Seed it.")
        assert client.call("memory_stats")["traces"]["total"] == 1
        finished = client.request("prompts/get", {"name": "start_task", "arguments": {"task": "Fix the build"}})
        assert "Seed it." in json.dumps(finished)
        client.close()
        _, lines = client.ended()
        assert any("project nowhere-" in line and "no git repository" in line for line in lines)


@pytest.mark.process
def test_a_client_without_roots_has_its_folders_own_bank(home: Path, tmp_path: Path) -> None:
    told = []
    for name, more in (("a", {}), ("b", {}), ("c", {"WORKSPACE_FOLDER_PATHS": str(repository(tmp_path / "app"))})):
        with RawClient(variables(home, **more), cwd=folder(tmp_path / name)) as client:
            client.shake_hands()
            told.append(client.call("memory_stats"))
    assert [view["project"].rpartition("-")[0] for view in told] == ["a", "b", "app"]
    assert "MCP_REFLECT_PROJECT" in told[0]["project_from"]
    assert "WORKSPACE_FOLDER_PATHS" in told[2]["project_from"]
