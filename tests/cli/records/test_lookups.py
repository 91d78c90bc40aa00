"""What people type to look at a record, and what they are told where there is none."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from mcp_reflect.application.memory_service import MemoryService
from mcp_reflect.application.requests import Submission
from mcp_reflect.cli.app import build_app
from mcp_reflect.config.load import load_settings
from mcp_reflect.domain.learning.repetition import FULL_REVIEWS
from tests.support.composition import open_memory
from tests.support.servers import environment


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[MemoryService]:
    """A memory beside which commands read the ledger themselves."""
    variables = environment(tmp_path / "home", MCP_REFLECT_HUB__ENABLED="false")
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    with open_memory(load_settings(variables, tmp_path)) as opened:
        yield opened


def lesson(memory: MemoryService) -> str:
    run = Submission(task="Deploy the service", guidance="Use flag 7.", review_result="pass")
    written = memory.submit(run).memory
    assert written is not None
    return written.id


def shown(*words: str) -> Result:
    return CliRunner().invoke(build_app(words[0]), words)


def test_an_id_may_be_typed_as_it_was_copied(memory: MemoryService) -> None:
    known = lesson(memory)
    for typed in (known, f"{known[:10]}…", f" `{known}`.", f"({known}),", known.upper(), known[4:11]):
        assert shown("show", typed).output.startswith(known), typed


@pytest.mark.parametrize("typed", ["", " ", "…", "_", "!" * 100_000])
def test_what_is_no_id_is_told_so(memory: MemoryService, typed: str) -> None:
    done = shown("show", typed)
    assert done.exit_code == 2
    assert done.output == f"mcp-reflect: ID: got {typed!r}. Allowed: an id, or the beginning of a single one.\n"


def test_an_id_of_another_project_is_told_with_that_project(memory: MemoryService) -> None:
    known = lesson(memory)
    told = "is not in project elsewhere, but in test-project. Allowed: ids of elsewhere, or --project test-project.\n"
    for words in (("show", known), ("why", known[:9]), ("forget", known), ("memory", "adopt", known)):
        done = shown(*words, "--project", "elsewhere")
        assert (done.exit_code, told in done.output) == (2, True), done.output
    unknown = shown("show", "mem_zzz", "--project", "elsewhere").output
    assert "unknown mem_zzz. Allowed: ids of project elsewhere" in unknown


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("memories --kind error", "No error memories in project test-project.\n"),
        ("memories --kind claim --status archived", "No archived claim memories in project test-project.\n"),
        ("traces --status pending", "No runs without a review in project test-project.\n"),
        ("traces --project elsewhere", "No runs in project elsewhere.\nProjects with runs: test-project (1 run). Name"),
    ],
)
def test_an_empty_list_says_of_what_there_is_none(memory: MemoryService, words: str, told: str) -> None:
    lesson(memory)
    assert shown(*words.split()).output.startswith(told)


def test_why_counts_every_review_and_tells_which_counted_less(memory: MemoryService) -> None:
    known = lesson(memory)
    for number in range(FULL_REVIEWS + 1):
        memory.submit(Submission(task=f"Deploy it {number} times", retrieved_memory_ids=(known,), review_result="pass"))
    total, *moves = [line for line in shown("why", known).output.splitlines() if " → " in line]
    assert f"in {FULL_REVIEWS + 1} reviews" in total
    assert [line.endswith("weight 0.50") for line in moves] == [False] * FULL_REVIEWS + [True]


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("", "[y/N]: \nmcp-reflect: nobody is there to answer; --yes does it without asking\n"),
        ("\n", "[y/N]: Aborted.\n"),
        ("perhaps\nNO\n", "[y/N]: Forget this for good? [y/N]: Aborted.\n"),
    ],
)
def test_nothing_is_forgotten_without_a_yes(memory: MemoryService, typed: str, told: str) -> None:
    known = lesson(memory)
    done = CliRunner().invoke(build_app("forget"), ["forget", known], input=typed)
    assert (done.exit_code, done.stderr) == (1, f"Forget this for good? {told}")
    assert shown("show", known).exit_code == 0


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("review {run} pass --helpful mem_zzzzzz", "--helpful: unknown mem_zzzzzz. Allowed: ids of project"),
        ("review {run} pass --harmful {run}", "--harmful: '{run}' is that of a run. Allowed: the id of a memory.\n"),
        ("review mem_zzzzzz pass", "ID: 'mem_zzzzzz' is that of a memory. Allowed: the id of a run.\n"),
        ("query x --lambda nan", "--lambda: got nan. Allowed: a number from 0 to 1.\n"),
        ("augment x --lambda inf", "--lambda: got inf. Allowed: a number from 0 to 1.\n"),
        ("traces --project bad!name", "--project: got 'bad!name', must be 1 to 100 characters out of A-Z"),
    ],
)
def test_a_mistake_is_told_by_what_was_typed(memory: MemoryService, words: str, told: str) -> None:
    run = memory.submit(Submission(task="Deploy the service")).trace_id
    done = shown(*words.format(run=run).split())
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith(f"mcp-reflect: {told.format(run=run)}")


def test_through_a_pipe_every_line_is_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = "project-with-a-long-name-" * 3
    variables = environment(tmp_path / "home", MCP_REFLECT_HUB__ENABLED="false", MCP_REFLECT_PROJECT=name)
    for key, value in variables.items():
        monkeypatch.setenv(key, value)
    with open_memory(load_settings(variables, tmp_path)) as opened:
        run = opened.submit(Submission(task="Deploy the service", review_result="pass", guidance="g"))
        assert run.memory is not None
        assert run.memory.id
        (line,) = shown("projects").output.splitlines()
        assert line.startswith(f"{name}  1 run, 1 memory  last ")
        assert line.endswith("  the present one")
        told = shown("prune").output.splitlines()
        assert len(told) == 1
