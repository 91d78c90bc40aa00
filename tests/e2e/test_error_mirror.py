"""The errors as a file in the repository: every change is shown, and what people do there comes back in."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.hubs import run_command
from tests.support.recorded_errors import AUTH, TRACE
from tests.support.servers import call, connect

pytestmark = pytest.mark.anyio


async def fixes(client: Any, error: str, **more: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = (await call(client, "find_error_fixes", error=error, **more))["fixes"]
    return found


def mirrored(repository: Path) -> dict[str, str]:
    return {"CLAUDE_PROJECT_DIR": str(repository), "MCP_REFLECT_ERRORS__MIRROR": "docs/memory/reflexion.jsonl"}


def lines_of(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def write(file: Path, lines: list[dict[str, Any]]) -> None:
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


async def test_the_mirror_shows_every_change(tmp_path: Path, repository: Path) -> None:
    file = repository / "docs/memory/reflexion.jsonl"
    async with connect(tmp_path / "home", more=mirrored(repository)) as client:
        assert await fixes(client, "JWT validation failed") == []
        assert not file.exists()
        stored = await call(client, "record_error_fix", **AUTH)
        (line,) = lines_of(file)
        assert line.pop("id") == stored["memory_id"]
        assert line.pop("ts") > "2026"
        assert line == {**AUTH, "status": "active"}
        await call(client, "record_error_fix", **AUTH)
        assert lines_of(file)[0]["recurrences"] == 1
        await call(client, "manage_memory", memory_id=stored["memory_id"], action="adopt")
        assert lines_of(file)[0]["status"] == "adopted"
        await call(client, "manage_memory", memory_id=stored["memory_id"], action="archive", reason="old")
        assert file.read_text() == ""
        await call(client, "manage_memory", memory_id=stored["memory_id"], action="restore")
        assert lines_of(file)[0]["status"] == "adopted"
        assert [each.name for each in file.parent.iterdir()] == [file.name]


async def test_edits_deletions_additions_and_deprecations_by_hand_come_back_in(
    tmp_path: Path, repository: Path
) -> None:
    file = repository / "docs/memory/reflexion.jsonl"
    async with connect(tmp_path / "home", more=mirrored(repository)) as client:
        ids = {}
        for name in ("Socket refused", "Parser confused", "Schema outdated", "Module missing"):
            ids[name] = (await call(client, "record_error_fix", task="t", mistake=name, fix="old"))["memory_id"]
        lines = {line["mistake"]: line for line in lines_of(file)}
        lines["Socket refused"]["fix"] = "new"
        lines["Parser confused"]["status"] = "deprecated"
        del lines["Schema outdated"]
        lines["added"] = {"mistake": "Token expired", "fix": "Log in again", "owner": "ann"}
        write(file, list(lines.values()))

        assert [f["fix"] for f in await fixes(client, "socket refused")] == ["new"]
        assert await fixes(client, "parser confused") == []
        assert await fixes(client, "schema outdated") == []
        (added,) = await fixes(client, "token expired")
        assert added["fix"] == "Log in again"

        # A line that comes back, as after a change of branches, is the memory that it was.
        await call(client, "record_error_fix", task="t", mistake="Unrelated trouble", fix="x")
        now = lines_of(file)
        assert [line["mistake"] for line in now][-2:] == ["Token expired", "Unrelated trouble"]
        assert next(line for line in now if line["mistake"] == "Token expired")["owner"] == "ann"
        write(file, [*now, {"id": ids["Schema outdated"], "task": "t", "mistake": "Schema outdated", "fix": "old"}])
        assert [f["memory_id"] for f in await fixes(client, "schema outdated")] == [ids["Schema outdated"]]
    assert run_command(tmp_path / "home", "verify").returncode == 0


async def test_a_line_added_by_hand_can_be_edited_before_it_was_ever_written(tmp_path: Path, repository: Path) -> None:
    file = repository / "docs/memory/reflexion.jsonl"
    file.parent.mkdir(parents=True)
    write(file, [{"mistake": "Token expired", "fix": "unread"}])
    accepted = run_command(tmp_path / "home", "mirror", "accept", "--yes", **mirrored(repository))
    assert "1 error taken in" in accepted.stdout
    async with connect(tmp_path / "home", more=mirrored(repository)) as client:
        for fix in ("first", "second"):
            write(file, [{"mistake": "Token expired", "fix": fix}])
            assert [f["fix"] for f in await fixes(client, "token expired")] == [fix]


async def test_a_copied_line_with_other_words_is_another_error(tmp_path: Path, repository: Path) -> None:
    file = repository / "docs/memory/reflexion.jsonl"
    async with connect(tmp_path / "home", more=mirrored(repository)) as client:
        await call(client, "record_error_fix", **AUTH)
        (line,) = lines_of(file)
        write_raw = file.read_text() + json.dumps(line | {"mistake": "Cookie banner missing", "fix": "Add it"}) + "\n"
        file.write_text(write_raw)
        assert [f["fix"] for f in await fixes(client, "cookie banner missing")] == ["Add it"]
        assert [f["fix"] for f in await fixes(client, "JWT validation failed")] == [AUTH["fix"]]


async def test_edits_made_while_no_server_ran_are_taken_in_at_the_start(tmp_path: Path, repository: Path) -> None:
    file = repository / "docs/memory/reflexion.jsonl"
    async with connect(tmp_path / "home", more=mirrored(repository)) as client:
        await call(client, "record_error_fix", **AUTH)
    write(file, [line | {"status": "deprecated"} for line in lines_of(file)])
    async with connect(tmp_path / "home", more=mirrored(repository)) as client:
        assert (await call(client, "memory_stats"))["memories"] == {"total": 1, "deprecated": 1}


async def test_two_clones_with_two_homes_share_errors_through_the_file(tmp_path: Path, repository: Path) -> None:
    async with connect(tmp_path / "ann", more=mirrored(repository)) as client:
        stored = await call(client, "record_error_fix", **AUTH)
    async with connect(tmp_path / "bob", more=mirrored(repository)) as client:
        assert await fixes(client, TRACE) == []
        assert run_command(tmp_path / "bob", "mirror", "accept", "--yes", **mirrored(repository)).returncode == 0
        (found,) = await fixes(client, TRACE)
        assert (found["memory_id"], found["fix"]) == (stored["memory_id"], AUTH["fix"])
        await call(client, "record_error_fix", **{**AUTH, "fix": "Better"})
    file = repository / "docs/memory/reflexion.jsonl"
    bobs = file.read_text()
    async with connect(tmp_path / "ann", more=mirrored(repository)) as client:
        (found,) = await fixes(client, TRACE)
        # The words come over; that the error came back to Bob counts in Bob's home.
        assert (found["fix"], found["recurrences"]) == ("Better", 0)
        await call(client, "record_error_fix", task="t", mistake="Socket refused", fix="x")
    assert file.read_text().startswith(bobs)


async def test_a_file_with_merge_conflicts_is_left_alone_and_broken_lines_survive(
    tmp_path: Path, repository: Path
) -> None:
    file = repository / "docs/memory/reflexion.jsonl"
    async with connect(tmp_path / "home", more=mirrored(repository)) as client:
        await call(client, "record_error_fix", **AUTH)
        before = file.read_text()
        conflict = f"<<<<<<< HEAD\n=======\n{before}>>>>>>> theirs\n"
        file.write_text(conflict)
        told = await call(client, "find_error_fixes", error=TRACE)
        assert [f["fix"] for f in told["fixes"]] == [AUTH["fix"]]
        assert "in the middle of a merge" in told["warnings"][0]
        recorded = await call(client, "record_error_fix", task="t", mistake="Socket refused", fix="x")
        assert "in the middle of a merge" in recorded["warnings"][0]
        assert file.read_text() == conflict

        file.write_text(before.replace('"fix"', "'fix'"))
        told = await call(client, "find_error_fixes", error=TRACE)
        assert "line 1" in told["warnings"][0]
        assert [f["fix"] for f in told["fixes"]] == [AUTH["fix"]]
        for _ in range(2):
            await call(client, "record_error_fix", task="t", mistake="Socket refused", fix="x")
        kept = file.read_text().splitlines()
        assert len(kept) == 3
        assert kept[-1] == before.replace('"fix"', "'fix'").strip()
        file.write_text("\n".join(kept[:2]) + "\n")
        assert (await call(client, "find_error_fixes", error=TRACE))["warnings"] == []


async def test_a_file_that_is_gone_deletes_nothing_and_an_emptied_one_everything(
    tmp_path: Path, repository: Path
) -> None:
    file = repository / "docs/memory/reflexion.jsonl"
    async with connect(tmp_path / "home", more=mirrored(repository)) as client:
        await call(client, "record_error_fix", **AUTH)
        file.unlink()
        assert len(await fixes(client, TRACE)) == 1
        await call(client, "record_error_fix", task="t", mistake="Socket refused", fix="x")
        assert len(lines_of(file)) == 2
        file.write_text("")
        assert await fixes(client, TRACE) == []
        assert (await call(client, "memory_stats"))["memories"] == {"total": 2, "archived": 2}
