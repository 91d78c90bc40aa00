"""reflexion.jsonl by `mcp-reflect import` and `export`: nothing is lost, and broken lines are named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.hubs import run_command
from tests.support.servers import call, connect

pytestmark = pytest.mark.anyio


async def fixes(client: Any, error: str, **more: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = (await call(client, "find_error_fixes", error=error, **more))["fixes"]
    return found


def hand_edited() -> tuple[list[str], list[dict[str, Any]], int]:
    """240 lines as people leave them, what should be taken in of them, and how many are broken."""
    lines, good = [], []
    for n in range(240):  # every way to break a line meets every status
        word = "".join(chr(ord("a") + int(digit)) for digit in f"{n:04d}")
        line: dict[str, Any] = {
            "ts": f"2025-10-{n % 28 + 1:02d}T{n % 24:02d}:{n % 60:02d}:{n % 59:02d}+09:00",
            "task": f"task {word}",
            "mistake": f"{word} failed {word}ly with gizmo {word}x",
            "evidence": f"TypeError: {word} is undefined\n  at line {n}",
            "rule": f"Check {word} 規則",
            "fix": f"Set {word}" if n % 3 else "",
            "tests": [f"run {word}"] * (n % 3),
            "status": ("adopted", "deprecated", "active", "proposed")[n // 2 % 4],
        }
        if n % 5 == 0:
            line |= {"owner": {"team": word, "n": n}, "severity": n}
        text = json.dumps(line, ensure_ascii=False)
        broken = (
            text[: n % 40 + 5], text + ",", text.replace('"', "'"), f"// {text}", f"[{text}]",
            json.dumps(line | {"mistake": None}), json.dumps(line | {"tests": 7}), "<<<", f"{text}{text}", "null",
        )  # fmt: skip
        if n % 2:
            lines.append(broken[n // 2 % len(broken)])
        else:
            good.append(line)
            lines.append(f"  {text}\r")
        if n % 50 == 0:
            lines.append("")
    return lines, good, 120


async def test_a_half_broken_file_is_imported_and_exported_without_loss(tmp_path: Path) -> None:
    home, file, out = tmp_path / "home", tmp_path / "reflexion.jsonl", tmp_path / "out.jsonl"
    lines, good, broken = hand_edited()
    file.write_bytes(("\ufeff" + "\n".join(lines)).encode())
    done = run_command(home, "import", str(file))
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"{len(good)} new, 0 changed, 0 as they were, {broken} lines skipped\n"
    told = done.stderr.splitlines()
    assert len(told) == broken
    numbers = [int(line.split()[1].rstrip(":")) for line in told]
    assert all(not _is_good(lines[number - 1]) for number in numbers)
    assert len(set(numbers)) == broken

    again = run_command(home, "import", str(file))
    assert again.stdout == f"0 new, 0 changed, {len(good)} as they were, {broken} lines skipped\n"
    assert run_command(home, "export", "--format", "reflexion", str(out)).returncode == 0
    exported = [json.loads(line) for line in out.read_text(encoding="utf-8").split("\n")[:-1]]

    def by_task(line: dict[str, Any]) -> str:
        return str(line["task"])

    assert sorted(exported, key=by_task) == sorted(good, key=by_task)
    assert run_command(home, "export", "--format", "reflexion").stdout == out.read_text(encoding="utf-8")
    async with connect(home) as client:
        for line in [line for line in good if line["fix"]][:20]:
            found = await fixes(client, str(line["mistake"]))
            assert (line["mistake"] == found[0]["mistake"]) is (line["status"] != "deprecated")
    assert run_command(home, "verify").returncode == 0


def _is_good(line: str) -> bool:
    try:
        found = json.loads(line)
    except ValueError:
        return False
    return isinstance(found, dict) and isinstance(found.get("mistake"), str) and isinstance(found.get("tests"), list)


async def test_import_and_export_work_beside_a_running_server(tmp_path: Path) -> None:
    home, file = tmp_path / "home", tmp_path / "reflexion.jsonl"
    file.write_text(json.dumps({"mistake": "Disk quota exceeded on build host", "fix": "Clean the cache"}) + "\n")
    async with connect(home, "stdio") as client:
        assert await fixes(client, "disk quota exceeded") == []
        assert run_command(home, "import", str(file)).returncode == 0
        assert [f["fix"] for f in await fixes(client, "disk quota exceeded on build host")] == ["Clean the cache"]
        assert "Clean the cache" in run_command(home, "export", "--format", "reflexion").stdout
    assert "none.jsonl: No such file" in run_command(home, "import", str(tmp_path / "none.jsonl")).stderr
