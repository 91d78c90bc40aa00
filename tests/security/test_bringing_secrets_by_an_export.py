"""An export may hold secrets: another version wrote it, or somebody by hand. None of them may get into the home."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mcp_reflect.adapters.sql_ledger.transfer.portable import columns_of, portable_tables
from mcp_reflect.application.maintenance import redacted_rows
from mcp_reflect.application.maintenance.audit import embed_missing
from mcp_reflect.application.maintenance.redacted_rows import PROSE
from mcp_reflect.application.requests import ErrorFix, Submission
from tests.application.maintenance.test_export import a_history, exported, sealed, taken_in, written, wrong
from tests.support.composition import Parts, small_memory
from tests.support.hubs import run_command

PASSWORD, TOKEN = "Zx9!kkLqw27T", "ghp_" + "a1B2c3D4e5" * 3 + "F6g7H8"
TOLD = f"password={PASSWORD} and token {TOKEN}"
BARE = f"Log in with {PASSWORD} first."
_NO_PROSE = {
    *("id", "project", "user", "kind", "status", "author", "origin", "result", "judged_by", "state", "action"),
    *("status_before", "connection", "source_trace_id", "superseded_by", "review_id", "memory_id", "trace_id"),
    *("retrieved_memory_ids", "helpful_memory_ids", "harmful_memory_ids", "judged_helpful", "judged_harmful"),
    *("memory_ids", "seen_in", "passed_in", "contradicts", "used", "sources", "lineage"),
    *("embedded_text", "error_keywords", "error_signatures"),
}
"""Ids, names that a schema gives, digests, and what follows from the texts."""


def with_secrets(row: dict[str, Any]) -> None:
    row.update({name: TOLD if name == "reflection" else BARE for name in row.keys() & {"reflection", "guidance"}})
    if "final_response" in row:
        row.update(task=f"Deploy the shop: {TOLD}", feedback=BARE, final_response=f"Done. {BARE}")
        row["trajectory"] = f"$ cat .env\nDB_PASSWORD={PASSWORD}\n"
        row["metadata"] = {"api_key": TOKEN, "note": BARE}
    if "reason" in row:
        row["reason"] = TOLD


def forged(content: bytes, change: Callable[[dict[str, Any]], None] = with_secrets) -> bytes:
    lines = [json.loads(line) for line in content.splitlines()[:-1]]
    for line in lines[1:]:
        change(line["row"])
    return sealed(lines)


def a_project(parts: Parts) -> None:
    stored = parts.memory.submit(
        Submission(task="deploy the shop", trajectory="$ make\nok", review_result="pass", guidance="Use make.")
    ).memory
    assert stored is not None
    parts.memory.manage(stored.id, "adopt", "it holds")
    parts.memory.record_error(ErrorFix(task="deploy", mistake="KeyError: 'x'", fix="pass it", evidence="KeyError: 'x'"))


def held(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in folder.rglob("*") if file.is_file())


@pytest.mark.parametrize("trusted", [False, True])
def test_no_secret_of_an_export_gets_into_the_home(tmp_path: Path, trusted: bool) -> None:
    with small_memory(tmp_path / "one") as first:
        a_project(first)
        file = written(tmp_path, forged(exported(first)))
    with small_memory(tmp_path / "two") as second:
        result = taken_in(second, file, trust_reviews=trusted)
        assert result.redacted >= 3
        embed_missing(second.ledger, second.embedder, "alpha")
        assert wrong(second) == []
        everything = exported(second)
        assert b"[redacted:" in everything
        # The same file again is the same content, and so is what it held before redaction.
        again = taken_in(second, file, trust_reviews=trusted)
        assert sum(again.added.values()) == 0
    for secret in (PASSWORD, TOKEN):
        assert secret.encode() not in everything
        assert secret.encode() not in held(tmp_path / "two")


def test_what_earlier_rules_let_in_is_no_conflict(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The home took an export in before its rules knew these secrets; the same export comes again."""
    with small_memory(tmp_path / "one") as first, small_memory(tmp_path / "two") as second:
        a_project(first)
        file = written(tmp_path, forged(exported(first)))
        with monkeypatch.context() as patch:
            patch.setattr(redacted_rows, "PROSE", {})
            assert taken_in(second, file).redacted == 0
        again = taken_in(second, file)
        assert sum(again.added.values()) == 0


def test_an_export_without_secrets_comes_as_it_is(tmp_path: Path) -> None:
    with small_memory(tmp_path / "one") as first, small_memory(tmp_path / "two") as second:
        a_history(first)
        a_project(first)
        embed_missing(first.ledger, first.embedder, "alpha")
        result = taken_in(second, written(tmp_path, exported(first)))
        assert result.redacted == 0
        embed_missing(second.ledger, second.embedder, "alpha")
        assert exported(second) == exported(first)


def test_the_command_tells_how_many_rows_held_secrets(tmp_path: Path) -> None:
    with small_memory(tmp_path / "one") as first:
        a_project(first)
        file = written(tmp_path, forged(exported(first)))
    told = run_command(tmp_path / "home", "import", str(file))
    assert "held secrets; they were replaced by [redacted:…]" in " ".join(told.stdout.split())


def test_every_column_with_words_is_redacted() -> None:
    words = {
        (table.name, column.name)
        for table in portable_tables()
        for column in columns_of(table)
        if str(column.type).startswith(("TEXT", "JSON", "VARCHAR")) and column.name not in _NO_PROSE
    }
    known = {(table, name) for table, names in PROSE.items() for name in names}
    assert {each for each in words - known if each[1] != "model"} == set()
