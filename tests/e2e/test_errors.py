"""Errors and their fixes through a real client: found again, recorded once."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from anyio import to_thread

from tests.support.hubs import run_command
from tests.support.recorded_errors import AUTH, TRACE
from tests.support.servers import call, connect, refusal

pytestmark = pytest.mark.anyio

FIELDS = {
    "memory_id", "task", "mistake", "evidence", "rule", "fix", "tests", "status", "relation", "match", "q_value",
    "recurrences",
}  # fmt: skip


async def fixes(client: Any, error: str, **more: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = (await call(client, "find_error_fixes", error=error, **more))["fixes"]
    return found


# -- finding


async def test_a_solved_error_is_found_by_its_message_its_trace_and_its_meaning(tmp_path: Path) -> None:
    async with connect(tmp_path / "home") as client:
        await call(client, "record_error_fix", **AUTH)
        await call(
            client, "record_error_fix", task="export", mistake="CSV has a byte order mark", fix="Open as utf-8-sig"
        )
        for error in ("JWT validation failed", "TypeError: secret undefined", TRACE):
            found = (await fixes(client, error))[0]
            assert set(found) == FIELDS
            assert {name: found[name] for name in AUTH} == AUTH
            assert (found["status"], found["match"], found["q_value"], found["recurrences"]) == ("active", 1.0, 0.5, 0)
        by_meaning = await fixes(client, "the token could not be verified because its validation does not work")
        assert [f["fix"] for f in by_meaning] == [AUTH["fix"]]
        assert by_meaning[0]["match"] < 1.0
        assert await fixes(client, "the cat sat on the mat") == []


async def test_numbers_paths_ids_and_line_numbers_do_not_matter(tmp_path: Path) -> None:
    async with connect(tmp_path / "home") as client:
        await call(
            client, "record_error_fix", task="t", mistake="Worker 17 lost job 3f2a9bc1d at /srv/a/jobs.py:12", fix="x"
        )
        found = await fixes(client, "worker 4 lost job 88e0f1aa2 at C:\\jobs\\run.py:977")
        assert [f["match"] for f in found] == [1.0]


async def test_signatures_of_an_earlier_version_are_made_anew(tmp_path: Path) -> None:
    """They lack a word that decides now: compared as they are, the same error would be another one."""
    error = "ERROR: Could not find a version that satisfies the requirement bakuzor==99.1"
    async with connect(tmp_path / "home") as client:
        await call(client, "record_error_fix", task="t", mistake="pip fails", evidence=error, fix="pin 98.0")
    [file] = (tmp_path / "home").rglob("ledger.db")
    with closing(sqlite3.connect(file)) as database, database:
        [(stored,)] = database.execute("SELECT error_signatures FROM memories").fetchall()
        groups = [json.dumps(json.loads(group)[1:]) for group in stored.splitlines()]
        earlier = "\n".join(groups).replace(" version_99_1", "")
        assert earlier != "\n".join(groups)
        database.execute("UPDATE memories SET error_signatures = ?", (earlier,))
    async with connect(tmp_path / "home") as client:
        assert [found["relation"] for found in await fixes(client, error)] == ["same"]


async def test_solved_comes_before_unsolved_and_better_judged_before_worse(tmp_path: Path) -> None:
    async with connect(tmp_path / "home") as client:
        error = "OSError: socket refused by peer"
        ids = {}
        # Evidence that contradicts keeps them apart.
        for name, fix in (("unsolved", ""), ("bad", "reboot"), ("good", "raise the backlog")):
            stored = await call(
                client, "record_error_fix", task=name, mistake=error, fix=fix, evidence=f"Error: {name} {name}ly"
            )
            ids[stored["memory_id"]] = name
        by_name = {name: i for i, name in ids.items()}
        assert [ids[f["memory_id"]] for f in await fixes(client, error)] == ["good", "bad", "unsolved"]
        shown = await call(client, "find_error_fixes", error=error)
        outcome = await call(
            client,
            "submit_trace",
            task="serve",
            retrieval_id=shown["retrieval_id"],
            review_result="fail",
            harmful_memory_ids=[by_name["good"]],
        )
        assert [u["memory_id"] for u in outcome["q_updates"]] == [by_name["good"]]
        assert [ids[f["memory_id"]] for f in await fixes(client, error)] == ["bad", "good", "unsolved"]
        assert len(await fixes(client, error, limit=1)) == 1


async def test_what_was_shown_is_credited_by_the_run_that_follows(tmp_path: Path) -> None:
    async with connect(tmp_path / "home") as client:
        stored = await call(client, "record_error_fix", **AUTH)
        await fixes(client, TRACE)
        outcome = await call(client, "submit_trace", task="implement auth", review_result="pass")
        assert [(u["memory_id"], u["q_after"]) for u in outcome["q_updates"]] == [(stored["memory_id"], 0.65)]
        assert (await fixes(client, TRACE))[0]["q_value"] == 0.65


async def test_failed_runs_are_found_by_their_errors(tmp_path: Path) -> None:
    async with connect(tmp_path / "home") as client:
        log = "$ make report\nOperationalError: database is locked\n"
        failed = await call(
            client, "submit_trace", task="Write the report", trajectory=log, review_result="fail",
            summary="Two writers at once", correct_action="Close the other session first",
        )  # fmt: skip
        await call(client, "submit_trace", task="Another report", trajectory=log, review_result="pass", guidance="g")
        found = await fixes(client, "sqlite3.OperationalError: database is locked")
        assert [(f["memory_id"], f["fix"]) for f in found] == [
            (failed["memory"]["id"], "Close the other session first")
        ]
        again = await call(client, "review_trace", trace_id=failed["trace_id"], result="pass", guidance="It was fine.")
        assert again["memory"]["id"] == failed["memory"]["id"]
        assert await fixes(client, "sqlite3.OperationalError: database is locked") == []


async def test_a_fix_that_a_later_fail_rejects_is_offered_no_more_until_a_pass_takes_its_place(tmp_path: Path) -> None:
    home = tmp_path / "home"
    error = "export.py:7: KeyError: 'price'"
    change = [("$ python export.py", error), ("$ pip install pricelist==2.4", "ok"), ("$ python export.py", "3 rows")]
    log = "\n".join(line for step in change for line in step)
    async with connect(home) as client:
        stored = await call(client, "submit_trace", task="Export the prices", trajectory=log, review_result="pass")
        trace_id = stored["trace_id"]
        for result, feedback, offered in (
            ("fail", "pricelist 2.4 is withdrawn", [""]),
            ("pass", "", ["Run `pip install pricelist==2.4`"]),
            ("fail", "No.", [""]),
        ):
            await call(client, "review_trace", trace_id=trace_id, result=result, feedback=feedback)
            assert [f["fix"] for f in await fixes(client, error)] == offered, result
    done = await to_thread.run_sync(run_command, home, "verify")
    assert done.returncode == 0, done.stdout


# -- recording


async def test_the_same_error_again_is_a_recurrence_and_fills_an_empty_fix(tmp_path: Path) -> None:
    async with connect(tmp_path / "home") as client:
        first = await call(
            client, "record_error_fix", task="deploy", mistake="Pod 7 is evicted", fix="", evidence="node 3 full"
        )
        assert first["known_before"] is False
        second = await call(
            client, "record_error_fix", task="deploy", mistake="pod 12 is evicted", fix="Set limits", tests=["a"]
        )
        assert second["memory_id"] == first["memory_id"]
        assert (second["known_before"], second["recurrences"], second["fix"]) == (True, 1, "Set limits")
        third = await call(
            client, "record_error_fix", task="deploy", mistake="Pod 9 is evicted", fix="", evidence="node 8 full"
        )
        assert (third["recurrences"], third["fix"]) == (2, "Set limits")
        found = await fixes(client, "Pod 1 is evicted")
        assert len(found) == 1
        assert (found[0]["evidence"], found[0]["tests"]) == ("node 3 full", ["a"])


async def test_a_later_fix_counts_and_the_earlier_one_is_kept_as_evidence(tmp_path: Path) -> None:
    async with connect(tmp_path / "home") as client:
        await call(client, "record_error_fix", **AUTH)
        await call(client, "record_error_fix", **{**AUTH, "fix": "Read the secret from the vault", "rule": "No .env"})
        (found,) = await fixes(client, "JWT validation failed")
        assert (found["fix"], found["rule"]) == ("Read the secret from the vault", "No .env")
        assert f"Earlier fix: {AUTH['fix']}" in found["evidence"]
        assert f"Earlier rule: {AUTH['rule']}" in found["evidence"]


async def test_an_error_has_a_trace_of_its_own_that_is_no_run(tmp_path: Path) -> None:
    async with connect(tmp_path / "home") as client:
        stored = await call(client, "record_error_fix", **AUTH, metadata={"area": "login"})
        trace = await call(client, "get_trace", trace_id=stored["source_trace_id"])
        assert (trace["task"], trace["trajectory"]) == (AUTH["task"], AUTH["evidence"])
        assert trace["review_status"] == "reviewed"
        stats = await call(client, "memory_stats")
        assert stats["traces"] == {"total": 0, "pending": 0, "reviewed": 0}
        assert stats["memories"]["total"] == 1
        assert (await call(client, "list_traces", review_status="all"))["traces"] == []
        told = await call(
            client, "query_memories", task="JWT validation failed, secret undefined", metadata_filter={"area": "login"}
        )
        assert [(m["kind"], m["recurrences"]) for m in told["memories"] if "recurrences" in m] == []
        assert [m["kind"] for m in told["memories"]] == ["error"]
    assert run_command(tmp_path / "home", "verify").returncode == 0


async def test_secrets_are_replaced_and_mistakes_in_arguments_are_told(tmp_path: Path) -> None:
    async with connect(tmp_path / "home") as client:
        await call(client, "record_error_fix", task="t", mistake="Push is refused", fix="use ghp_" + "a1B2" * 9)
        assert "[redacted:" in (await fixes(client, "Push is refused"))[0]["fix"]
        assert "error: is empty" in await refusal(client, "find_error_fixes", error=" ")
        assert "mistake: is empty" in await refusal(client, "record_error_fix", task="t", mistake="", fix="")
        assert "fix: is required" in await refusal(client, "record_error_fix", task="t", mistake="m")
        assert "tests" in await refusal(client, "record_error_fix", task="t", mistake="m", fix="", tests=[""])
        assert (await call(client, "memory_stats"))["memories"]["total"] == 1


async def test_recalled_memories_are_cut_out_of_an_error_and_its_fix(tmp_path: Path) -> None:
    async with connect(tmp_path / "home") as client:
        await call(client, "submit_trace", task=AUTH["task"], review_result="pass", guidance="Look at .env first.")
        told = (await call(client, "augment_task", task=AUTH["task"]))["augmented_task"]
        only = told.removeprefix(str(AUTH["task"]))
        assert only.strip()
        with_block = {name: value + only for name, value in AUTH.items() if isinstance(value, str)}
        await call(client, "record_error_fix", **with_block, tests=[f"{test}{only}" for test in AUTH["tests"]])
        (found,) = await fixes(client, AUTH["mistake"])
        assert {name: found[name] for name in AUTH} == AUTH
        for name in ("task", "mistake"):
            message = await refusal(client, "record_error_fix", **AUTH | {name: only})
            assert f"{name}: holds nothing but recalled memories" in message


async def test_users_see_only_their_own_errors_where_memories_are_their_own(tmp_path: Path) -> None:
    for user, known in (("ann", 1), ("bob", 1)):
        async with connect(
            tmp_path / "home", more={"MCP_REFLECT_MEMORY__SCOPE": "user", "MCP_REFLECT_USER": user}
        ) as client:
            assert (await call(client, "record_error_fix", **AUTH))["known_before"] is False
            assert len(await fixes(client, "JWT validation failed")) == known
