"""What a quotation calls its source by: the host, the file, the command or the tool."""

from __future__ import annotations

import json

import pytest

from mcp_reflect.domain.models.common import TextOrigin
from mcp_reflect.domain.provenance.call_sources import contents_of, source_of_command
from mcp_reflect.domain.provenance.source_names import name_of_call, name_of_command
from mcp_reflect.domain.trajectory.messages import ToolCall


@pytest.mark.parametrize(
    ("command", "source", "name"),
    [
        ("cd /srv/app && python -m pytest -q tests 2>&1 | tail -3", "tool", "python -m pytest -q tests"),
        ("alembic upgrade head 2>&1", "tool", "alembic upgrade head"),
        ("sed -n 1,20p docs/setup.md", "file", "docs/setup.md"),
        ("find photos -name '*.jpg'", "file", "find photos -name"),
        ("curl -sL https://docs.python.org/3/library/argparse.html", "web", "docs.python.org"),
        ("curl -sL $PAGE", "web", ""),
        ("pip install -e . && pytest -q | tail -1", "tool", "pytest -q"),
        (". .venv/bin/activate && black --check src", "tool", "black --check src"),
        ("for i in 1 2 3; do mix test test/pool_test.exs; done", "tool", "mix test test/pool_test.exs"),
        ("if true; then make lint; fi", "tool", "make lint"),
        ("sudo -u www make lint", "tool", "sudo -u www make lint"),
        ("", "tool", ""),
        ("make " + "x" * 80, "tool", "make"),
        ("cat notes.txt" + " \n" * 50_000 + "> out", "file", "notes.txt"),
    ],
)
def test_a_command_is_named_by_what_it_reads(command: str, source: TextOrigin, name: str) -> None:
    assert name_of_command(command, source) == name


@pytest.mark.parametrize(
    ("tool", "arguments", "source", "name"),
    [
        ("mcp__wiki__search", {"query": "pets"}, "tool", "search"),
        ("Read", {"file_path": "/home/dev/shop/docs/setup.md"}, "file", "shop/docs/setup.md"),
        ("fetch_url", {"url": "https://Docs.Dev/guide?x=1"}, "web", "docs.dev"),
        ("web_search", {"query": "pets"}, "web", "web_search"),
        ("a sentence, not a name", {}, "tool", ""),
    ],
)
def test_a_call_is_named_by_what_it_reads(tool: str, arguments: dict[str, str], source: TextOrigin, name: str) -> None:
    assert name_of_call(ToolCall(tool, json.dumps(arguments)), source, "") == name


@pytest.mark.parametrize(
    ("command", "source"),
    [
        ("curl -s localhost:4000/api/profile/7 | jq .", "tool"),
        ("wget -qO- http://127.0.0.1:8080/health", "tool"),
        ("curl -s https://docs.example.org/guide", "web"),
        ("curl -s docs.example.org/guide", "web"),
        ("curl localhost:80 && curl https://docs.example.org", "web"),
        ("curl https://localhost.example.org", "web"),
        ("cat notes.txt", "file"),
        ("make check", "tool"),
    ],
)
def test_what_runs_on_this_machine_is_no_page(command: str, source: TextOrigin) -> None:
    assert source_of_command(command) == source
    assert contents_of("curl -s localhost:4000", "tool", is_listing=False) == "prose"
