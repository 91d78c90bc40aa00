"""Pages of libraries' code that a hub gives back after imports."""

from __future__ import annotations

import re
import sqlite3
import sys
import types
from pathlib import Path

import pytest

from mcp_reflect.hub import code_pages
from mcp_reflect.hub.code_pages import CodePages, give_back_code_pages

linux = pytest.mark.skipif(sys.platform != "linux", reason="/proc and madvise are Linux'")


def resident_code() -> dict[str, int]:
    """Resident kB of the code of each mapped file."""
    found: dict[str, int] = {}
    file = ""
    for line in Path("/proc/self/smaps").read_text().splitlines():
        if head := re.match(r"[0-9a-f]+-[0-9a-f]+ (\S+) \S+ \S+ \S+\s*(.*)", line):
            file = head[2] if head[1] == "r-xp" else ""
        elif line.startswith("Rss:") and file.startswith("/"):
            found[file] = found.get(file, 0) + int(line.split()[1])
    return found


@linux
def test_code_that_nothing_runs_leaves_the_process_and_comes_back() -> None:
    def total() -> object:
        return sqlite3.connect(":memory:").execute("SELECT sum(value) FROM json_each('[1, 2, 3]')").fetchone()[0]

    assert total() == 6
    [library] = [file for file in resident_code() if re.search(r"(lib|_)sqlite3\b[^/]*$", file)][:1]
    before = resident_code()[library]
    give_back_code_pages()
    assert resident_code()[library] < before
    assert total() == 6


@linux
def test_what_is_given_back_is_code_of_files_alone() -> None:
    maps = [line.split(maxsplit=5) for line in Path("/proc/self/maps").read_text().splitlines()]
    code = {int(line[0].partition("-")[0], 16) for line in maps if line[1] == "r-xp" and line[-1].startswith("/")}
    assert {start for start, _ in code_pages._code_mappings()} == code != set()


def test_pages_are_given_back_once_after_imports_when_the_process_is_quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    now = {"wall": 0.0, "cpu": 0.0}
    monkeypatch.setattr(code_pages.time, "monotonic", lambda: now["wall"])
    monkeypatch.setattr(code_pages.time, "process_time", lambda: now["cpu"])
    pages = CodePages()

    def look(cpu_s: float) -> bool:
        now["wall"] += 1.0
        now["cpu"] += cpu_s
        return pages.look()

    assert [look(0.9), look(0.01), look(0.01), look(0.9)] == [False, True, False, False]
    monkeypatch.setitem(sys.modules, "imported_meanwhile", types.ModuleType("imported_meanwhile"))
    assert [look(0.5), look(0.02), look(0.02)] == [False, True, False]
