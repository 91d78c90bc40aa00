"""Runs that wait for a hub: how they are kept."""

from __future__ import annotations

import json
import stat
import sys
from pathlib import Path
from typing import Any

import pytest

from mcp_reflect.application import outbox
from mcp_reflect.application.outbox import WaitingRun, keep_run, read_run, refused_files, set_aside, waiting_files
from mcp_reflect.errors import MemoryUnavailable

SECRET = "ghp_" + "a1B2c3D4e5" * 4


def run(key: str, task: str = "Fix the build", **more: Any) -> WaitingRun:
    return WaitingRun("alpha", "ann", {"task": task, "trace_key": key, **more})


def test_a_run_waits_without_its_secrets_and_for_its_owner_alone(tmp_path: Path) -> None:
    trajectory = json.dumps([{"role": "tool", "content": f"token={SECRET}"}])
    given = run(
        "k", f"Use {SECRET}", trajectory=trajectory, metadata={"note": SECRET}, claims=[SECRET], review_result="pass"
    )
    file = keep_run(tmp_path, given)
    assert SECRET not in file.read_text(encoding="utf-8")
    kept = read_run(file)
    assert (kept.project, kept.user, kept.arguments["trace_key"]) == ("alpha", "ann", "k")
    assert kept.arguments["review_result"] == "pass"
    assert json.loads(kept.arguments["trajectory"])[0]["role"] == "tool"
    if sys.platform != "win32":
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


def test_a_run_that_is_kept_twice_waits_once_and_the_oldest_comes_first(tmp_path: Path) -> None:
    first = keep_run(tmp_path, run("b"))
    second = keep_run(tmp_path, run("a"))
    assert keep_run(tmp_path, run("a")) == second
    assert waiting_files(tmp_path) == [first, second]
    set_aside(first)
    assert waiting_files(tmp_path) == [second]
    assert [file.name for file in refused_files(tmp_path)] == [f"{first.name}.refused"]


def test_a_full_outbox_says_where_it_is_and_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outbox, "MAX_WAITING_RUNS", 2)
    for key in "ab":
        keep_run(tmp_path, run(key))
    with pytest.raises(MemoryUnavailable, match=r"outbox is full: 2 runs .*mcp-reflect hub restart"):
        keep_run(tmp_path, run("c"))
    keep_run(tmp_path, run("b"))
    monkeypatch.setattr(outbox, "MAX_OUTBOX_BYTES", 300)
    with pytest.raises(MemoryUnavailable, match="is full"):
        keep_run(tmp_path, run("b", "x" * 300))
    assert len(waiting_files(tmp_path)) == 2


@pytest.mark.parametrize("content", ["", "[]", '{"format": 2}', '{"format": 1, "project": "a", "user": "b"}'])
def test_what_is_no_run_is_not_read_as_one(tmp_path: Path, content: str) -> None:
    (tmp_path / "x.json").write_text(content, encoding="utf-8")
    with pytest.raises(ValueError, match=r"."):
        read_run(tmp_path / "x.json")
