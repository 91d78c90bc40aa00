"""A shell completes the command line; no server is started for it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.waiting import HANG_S

PROGRAM = "import sys; sys.argv[0] = 'mcp-reflect'; from mcp_reflect.__main__ import main; main()"
CLIENTS = {"claude-code", "claude-desktop", "codex", "cursor"}


def completed(tmp_path: Path, words: str, program: str = PROGRAM, **variables: str) -> str:
    """What the program, started as an installed one, answers to a shell."""
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={"PATH": os.environ["PATH"], "HOME": str(tmp_path), "_TYPER_COMPLETE_ARGS": words, **variables},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
        timeout=HANG_S,
    )
    assert list(tmp_path.iterdir()) == [], "a server was started"
    return done.stdout


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_names_of_clients_are_completed(shell: str, tmp_path: Path) -> None:
    more = {"COMP_WORDS": "mcp-reflect install c", "COMP_CWORD": "2"} if shell == "bash" else {}
    if shell == "fish":
        more = {"_TYPER_COMPLETE_FISH_ACTION": "get-args"}
    told = completed(tmp_path, "mcp-reflect install c", _MCP_REFLECT_COMPLETE=f"complete_{shell}", **more)
    assert {name for name in CLIENTS if name in told} == CLIENTS
    assert "zed" not in told


def test_commands_are_completed(tmp_path: Path) -> None:
    told = completed(tmp_path, "mcp-reflect doc", _MCP_REFLECT_COMPLETE="complete_zsh")
    assert "doctor" in told
    assert '"install"' not in told


@pytest.mark.parametrize("shell", ["bash", "zsh"])
def test_options_are_completed_without_importing_other_commands(shell: str, tmp_path: Path) -> None:
    """Whoever presses the tab key waits for it."""
    more = {"COMP_WORDS": "mcp-reflect stats --", "COMP_CWORD": "2"} if shell == "bash" else {}
    imported = "print(*(name for name in sys.modules if name.startswith('mcp_reflect.cli')))"
    program = f"import atexit; atexit.register(lambda: {imported}); {PROGRAM}"
    told = completed(tmp_path, "mcp-reflect stats --", program, _MCP_REFLECT_COMPLETE=f"complete_{shell}", **more)
    assert "--project" in told
    assert "mcp_reflect.cli.records.stats" in told
    assert "mcp_reflect.cli.install" not in told


def test_bash_itself_completes(tmp_path: Path) -> None:
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("bash is not here")
    program = tmp_path / "bin" / "mcp-reflect"
    program.parent.mkdir()
    program.write_text(f"#!{sys.executable}\n{PROGRAM}\n", encoding="utf-8")
    program.chmod(0o755)
    variables = {"PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}", "HOME": str(tmp_path)}
    script = subprocess.run(
        [str(program)],
        env={**variables, "_MCP_REFLECT_COMPLETE": "source_bash"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
        timeout=HANG_S,
    ).stdout
    ask = (
        'COMP_WORDS=(mcp-reflect install z); COMP_CWORD=2; _mcp_reflect_completion mcp-reflect; echo "${COMPREPLY[@]}"'
    )
    done = subprocess.run(
        [bash, "--norc", "-c", f"{script}\n{ask}"],
        env=variables,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
        timeout=HANG_S,
    )
    assert done.stdout.split() == ["zed"]
