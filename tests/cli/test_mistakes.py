"""Ordinary mistakes on the command line, and what is said to them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from mcp_reflect.cli.app import build_app


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("--project other stats", "stands behind the command, as in: mcp-reflect stats --project NAME"),
        ("-q traces", "stands behind the command"),
        ("traces --limit 0", "must be at least 1."),
        ("traces --limit few", "must be a whole number."),
        ("purge --older-than 99999999999", "must be at most 36500"),
    ],
)
def test_a_mistake_is_told_with_what_is_right(words: str, told: str) -> None:
    done = CliRunner().invoke(build_app(), words.split(), env={"COLUMNS": "200"})
    assert done.exit_code == 2
    assert told in " ".join(done.output.split())


def test_any_limit_may_be_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MCP_REFLECT_HOME", str(tmp_path))
    monkeypatch.setenv("MCP_REFLECT_HUB__ENABLED", "false")
    for listed in ("traces", "memories"):
        done = CliRunner().invoke(build_app(listed), [listed, "--limit", str(10**30), "--json"])
        assert json.loads(done.output) == {listed: [], "total": 0}
