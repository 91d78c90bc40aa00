"""The README names every tool, command and setting there is, and no other."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from mcp_reflect.application.profile import DEFAULT_OPTIMISM
from mcp_reflect.cli.app import app
from mcp_reflect.config.load import setting_rows
from mcp_reflect.server.tools import TOOLS

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def table(heading: str) -> list[list[str]]:
    """The cells of the table under a heading, without its head."""
    section = README.split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]
    rows = [line.strip().strip("|").split(" | ") for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in row] for row in rows[2:]]


def test_every_tool_has_a_row() -> None:
    assert [row[0] for row in table("Tools")] == [f"`{tool.name}`" for tool in TOOLS]


def test_every_command_has_a_row() -> None:
    commands = {f"`mcp-reflect {c.name or c.callback.__name__}`" for c in app.registered_commands if c.callback}
    groups = {group.name for group in app.registered_groups}
    listed = {row[0] for row in table("Commands")} - {"`mcp-reflect`"}
    assert {name for name in listed if name.split()[1].strip("`") not in groups} == commands


def test_every_setting_has_a_row_with_its_default() -> None:
    wanted = [
        [
            f"`{row.key}`" if row.key else "–",
            ", ".join(f"`{name}`" for name in row.environment),
            row.default,
            row.meaning,
        ]
        for row in setting_rows()
    ]
    assert table("Settings") == wanted


def test_the_optimism_that_is_told_is_the_one_that_queries_have() -> None:
    [told] = [row.default for row in setting_rows() if row.key == "q_learning.optimism"]
    assert told.startswith(f"{DEFAULT_OPTIMISM:g} in hybrid queries")


@pytest.mark.parametrize("file", ["README.md", "docs/ARCHITECTURE.md"])
def test_files_named_in_the_documents_exist(file: str) -> None:
    text = (ROOT / file).read_text(encoding="utf-8")
    links = re.findall(r"\]\((?!http)([^)#]+)\)", text)
    modules = re.findall(r"`((?:mcp_reflect/)?[a-z_]+(?:/[a-z_]+)*\.py)`", text)
    for name in links:
        assert ((ROOT / file).parent / name).exists(), name
    for name in modules:
        assert any((folder / name).exists() for folder in (ROOT, ROOT / "mcp_reflect")), name


def test_the_example_configuration_is_the_one_in_the_readme() -> None:
    example = json.loads((ROOT / "claude_desktop_config.example.json").read_text(encoding="utf-8"))
    assert json.loads(README.split("```json\n", 1)[1].split("```", 1)[0]) == example
