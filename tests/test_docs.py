"""The documents say what the code does: tables, drawings, names, links and examples."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import anyio
import pytest

from benchmarks.quality.__main__ import _parser as benchmark_parser
from docs.tools import argument_path, screenshot
from docs.tools.generate import stale
from docs.tools.reference import command_list
from mcp_reflect import AsyncReflectClient, ReflectClient
from mcp_reflect.cli.install.clients import ClientName
from mcp_reflect.client.runs.run import Run
from mcp_reflect.config.load import setting_rows
from mcp_reflect.domain.defaults import OPTIMISM
from mcp_reflect.server.tools.all_tools import TOOLS
from tests.support.servers import environment
from tests.support.waiting import HANG_S
from tests.test_architecture import LAYERS, SOURCES

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = [ROOT / "README.md", ROOT / "plugin" / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
README = (ROOT / "README.md").read_text(encoding="utf-8")
MOST_LINES = 200

Row = list[str]


def text_of(name: str) -> str:
    return (ROOT / "docs" / name).read_text(encoding="utf-8")


def tables(text: str) -> list[list[Row]]:
    """Each table's rows of cells, head first, without the line below the head."""
    found = re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE)
    split = [[[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in t.splitlines()] for t in found]
    return [[rows[0], *rows[2:]] for rows in split]


def rows_of(text: str, *head: str) -> list[Row]:
    """The rows of the one table with this head."""
    [found] = [rows[1:] for rows in tables(text) if rows[0] == list(head)]
    return found


def code_blocks(text: str, language: str) -> list[str]:
    blocks = re.findall(r"^```(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [code for named, code in blocks if named == language]


def test_what_is_generated_is_as_the_code_says() -> None:
    assert not stale(check=True), "run `python -m docs.tools.generate`"


def test_the_layers_are_drawn_in_their_tested_order() -> None:
    drawn = code_blocks(text_of("ARCHITECTURE.md"), "text")[0].splitlines()
    column = drawn[0].index("the public names")  # where the descriptions begin
    parts = [set(line[:column].split()) for line in drawn]
    assert parts == list(reversed(LAYERS))


def test_the_readme_is_short() -> None:
    assert len(README.splitlines()) <= MOST_LINES


def test_every_tool_has_a_row() -> None:
    assert [row[0] for row in rows_of(text_of("tools.md"), "tool", "does")] == [f"`{tool.name}`" for tool in TOOLS]


def test_every_command_has_a_row() -> None:
    listed = [row[0] for row in rows_of(text_of("commands.md"), "command", "does") if row[1]]
    assert sorted(listed) == sorted(["`mcp-reflect`", *(f"`{name}`" for name, _ in command_list())])


def test_every_client_has_a_row() -> None:
    rows = rows_of(README, "client", "for every project", "`--project`")
    assert [row[0] for row in rows] == [f"`{client.value}`" for client in ClientName]


def test_the_optimism_that_is_told_is_the_one_that_queries_have() -> None:
    [told] = [row.default for row in setting_rows() if row.key == "q_learning.optimism"]
    assert told.startswith(f"{OPTIMISM:g} in hybrid queries")
    assert f"`q_learning.optimism` is {OPTIMISM:g} by default" in text_of("how-it-learns.md")


def test_every_page_is_linked_from_the_readme() -> None:
    linked = set(re.findall(r"\]\((docs/[\w.-]+\.md)", README))
    assert linked == {page.relative_to(ROOT).as_posix() for page in (ROOT / "docs").glob("*.md")}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(document: Path) -> None:
    for target in re.findall(r"\]\((?!http)([^)]+)\)", document.read_text(encoding="utf-8")):
        name, _, anchor = target.partition("#")
        file = document.parent / name if name else document
        assert file.exists(), target
        if anchor:
            headings = re.findall(r"^#+ (.+)$", file.read_text(encoding="utf-8"), re.MULTILINE)
            assert anchor in {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings}, target


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_files_named_in_the_documents_exist(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    modules = re.findall(r"(?<![\w/])[a-z_]+(?:/[a-z_]+)*\.py\b", text)
    folders = re.findall(r"`((?:tests|docs|benchmarks|mcp_reflect|domain|application|cli|hooks)/[a-z_/]*)`", text)
    for name in [*modules, *folders]:
        assert any((folder / name).exists() for folder in (ROOT, ROOT / "mcp_reflect")), name


def test_modules_named_in_the_code_exist() -> None:
    """A module is named by its file, in the same folder, or by as much of its path as tells it."""
    paths = [file.as_posix() for file in SOURCES]
    wrong = []
    for file in SOURCES:
        for name in re.findall(r"`([a-z_]+(?:/[a-z_]+)*\.py)`", file.read_text(encoding="utf-8")):
            inside = any(path.endswith(f"/{name}") for path in paths) if "/" in name else (file.parent / name).exists()
            if not inside and not (ROOT / name).exists():
                wrong.append(f"{file.relative_to(ROOT)} names {name}")
    assert not wrong


def test_the_example_configuration_is_the_one_in_the_readme() -> None:
    example = json.loads((ROOT / "claude_desktop_config.example.json").read_text(encoding="utf-8"))
    assert json.loads(code_blocks(README, "json")[0]) == example


def test_every_argument_of_the_benchmark_has_a_row() -> None:
    rows = rows_of(text_of("quality.md"), "argument", "meaning")
    told = {name for row in rows for name in re.findall(r"--\w+", row[0])}
    options = {name for action in benchmark_parser()._actions for name in action.option_strings}
    assert told == options - {"-h", "--help"}


def test_names_of_the_python_api_exist() -> None:
    page = text_of("python-api.md")
    for names, *_ in rows_of(page, "method", "does"):
        for name in re.findall(r"`(\w+)`", names):
            assert callable(getattr(ReflectClient, name)), name
            assert callable(getattr(AsyncReflectClient, name)), name
    run = ReflectClient().trace("any task", augment=False)
    for names, *_ in rows_of(page, "on a run", "is"):
        for name in re.findall(r"`(\w+)", names):
            assert isinstance(run, Run)
            assert hasattr(run, name), name


def test_the_readme_shows_the_python_api_s_first_example() -> None:
    [short] = code_blocks(README, "python")
    assert code_blocks(text_of("python-api.md"), "python")[0].startswith(short)


def test_the_errors_of_the_python_api_exist() -> None:
    from mcp_reflect import errors  # noqa: PLC0415 - looked into

    section = text_of("python-api.md").split("\n## Errors\n")[1]
    for name in re.findall(r"`([A-Z]\w+)`", section):
        assert name == "TypeError" or issubclass(getattr(errors, name), errors.ReflectError)


@pytest.mark.slow
def test_the_examples_are_typed(tmp_path: Path) -> None:
    for number, example in enumerate(code_blocks(text_of("python-api.md"), "python")):
        (tmp_path / f"example_{number}.py").write_text(example, encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(ROOT / ".mypy_cache"), str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, timeout=HANG_S, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


@pytest.mark.slow
def test_the_examples_run_and_print_what_is_shown(home: Path) -> None:
    page = text_of("python-api.md")
    [shown] = code_blocks(page, "")
    command = [sys.executable, "-c", "\n".join(code_blocks(page, "python"))]
    variables = environment(home) | {"PYTHONPATH": str(ROOT)}
    # A busy machine may take longer to start a hub and its model than the examples wait.
    with ReflectClient(home=home, timeout=HANG_S, strict=True) as client:
        client.query_memories("any task")
        done = subprocess.run(
            command, env=variables, cwd=home.parent, timeout=HANG_S, capture_output=True, text=True, check=False
        )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(shown), done.stdout + done.stderr


@pytest.mark.slow
def test_the_readmes_example_goes_on_where_there_is_no_memory(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder", encoding="utf-8")
    command = [sys.executable, "-c", code_blocks(README, "python")[0]]
    variables = environment(tmp_path / "file" / "home") | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        command, env=variables, cwd=tmp_path, timeout=HANG_S, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "memories: []\n" * 2), done.stderr
    assert done.stderr.count("the memory cannot be reached, and this program goes on without it") == 1


@pytest.mark.slow
def test_the_demo_prints_what_the_readme_shows() -> None:
    [shown] = [block for block in code_blocks(README, "") if block.startswith("Run 3")]
    command = [sys.executable, "-m", "mcp_reflect", "demo"]
    done = subprocess.run(command, cwd=ROOT, timeout=HANG_S, capture_output=True, text=True, check=True)
    assert without_ids(shown) in without_ids(done.stdout)


def without_ids(text: str) -> str:
    return re.sub(r"\b(mem|trace)_\w{12}\b", r"\1", text)


@pytest.mark.slow
@pytest.mark.process
def test_the_picture_can_be_taken_again(tmp_path: Path) -> None:
    picture = screenshot.take(tmp_path / "home")
    now, committed = (re.findall(r">([^<>]+)<", svg) for svg in (picture, screenshot.PICTURE.read_text("utf-8")))
    assert [varying.sub("…", text) for text in now] == [varying.sub("…", text) for text in committed]


varying = re.compile(r"\b(?:mem|trace|ret)_\w+|\d{4}-\d\d-\d\d(?:, \d\d:\d\d|&#160;\d\d:\d\d)?(?:[+-]\d\d:\d\d)?")


@pytest.mark.slow
def test_arguments_take_the_paths_that_are_drawn(tmp_path: Path) -> None:
    found = anyio.run(argument_path.paths, tmp_path)
    page = text_of("ARCHITECTURE.md")
    for entries in found.values():
        assert [entry for entry in entries if entry.mark == "again"] == []
        assert argument_path.shown(entries) in page, "run `python -m docs.tools.argument_path --write`"
