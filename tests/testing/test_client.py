"""Tests of programs that use the Python API have a memory in their own process, which leaves nothing behind."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from mcp_reflect.errors import UnknownId
from mcp_reflect.testing import memory_for_tests
from tests.support.waiting import HANG_S


def test_a_test_learns_in_a_memory_of_its_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("MCP_REFLECT_MEMORY__LIMIT", "1")
    with memory_for_tests() as client:
        with client.trace("Deploy the service") as run:
            assert run.memories == ()
            run.reflect(guidance="Name the region with --region.")
            run.passed("it is up")
        with client.trace("Deploy the service again") as run:
            assert [memory.guidance for memory in run.memories] == ["Name the region with --region."]
            run.failed("no such region")
        results = {trace.task: trace.result for trace in client.list_traces(review_status="reviewed")}
        assert results == {"Deploy the service": "pass", "Deploy the service again": "fail"}
        client.delete_traces(client.list_traces(review_status="reviewed")[0].trace_id)
        assert [trace.task for trace in client.list_traces(review_status="reviewed")] == ["Deploy the service"]
        with pytest.raises(UnknownId):
            client.get_trace("trace_000000000000")
    with memory_for_tests() as client:
        assert client.list_traces(review_status="all") == ()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.process
@pytest.mark.slow
def test_pytest_offers_it_as_a_fixture(tmp_path: Path) -> None:
    (tmp_path / "test_agent.py").write_text(
        "import sys\n"
        "def test_agent(reflect_client):\n"
        "    reflect_client.create_trace('Deploy', review_result='pass', guidance='Name the region.')\n"
        "    assert reflect_client.query_memories('Deploy').memories[0].guidance == 'Name the region.'\n"
        "    assert 'chromadb' not in sys.modules\n",  # half a second of each run of a suite
        encoding="utf-8",
    )
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "mcp_reflect.testing.pytest_plugin",
        "-p",
        "no:cacheprovider",
    ]
    environ = os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(
        command, cwd=tmp_path, env=environ, capture_output=True, text=True, check=False, timeout=HANG_S
    )
    assert done.returncode == 0, done.stdout
