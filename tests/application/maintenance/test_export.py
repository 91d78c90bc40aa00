"""Exports: nothing is lost on the way, nothing broken is taken in, and what is there is never overwritten."""

from __future__ import annotations

import hashlib
import io
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcp_reflect.adapters.sql_ledger import schema
from mcp_reflect.adapters.sql_ledger.transfer import portable
from mcp_reflect.application.maintenance.audit import audit_project, embed_missing
from mcp_reflect.application.maintenance.export import ImportResult, export_project, import_project
from mcp_reflect.application.maintenance.export_file import read_header
from mcp_reflect.application.maintenance.unearned import Importer
from mcp_reflect.application.requests import Query, Submission, Verdict
from mcp_reflect.errors import ArchiveError
from tests.support.composition import Parts, small_memory
from tests.support.effort import examples
from tests.support.histories import Step, play, steps, traces
from tests.support.ledgers import read
from tests.support.values import moment

_PROPERTY = settings(max_examples=examples(25))


@contextmanager
def two_memories() -> Iterator[tuple[Parts, Parts, Path]]:
    """Both empty, and a folder for files."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        with small_memory(folder / "one") as first, small_memory(folder / "two") as second:
            yield first, second, folder


def exported(parts: Parts, project: str = "alpha", *, vectors: bool = True) -> bytes:
    out = io.BytesIO()
    export_project(parts.ledger, project, out, vectors=vectors)
    return out.getvalue()


def taken_in(parts: Parts, file: Path, project: str | None = None, **more: Any) -> ImportResult:
    """Import as the home's user, who trusts the export unless `more` says otherwise."""
    importer = Importer(parts.memory.profile.user, parts.memory.profile.initial_q, moment())
    return import_project(parts.ledger, file, project, **{"importer": importer, "trust_reviews": True} | more)


def wrong(parts: Parts, project: str = "alpha") -> list[str]:
    parts.indexer.sync(project)
    return [finding.text for finding in audit_project(parts.ledger, parts.index, parts.embedder, project)]


def written(folder: Path, content: bytes) -> Path:
    file = folder / "export.jsonl"
    file.write_bytes(content)
    return file


def sealed(lines: list[Any]) -> bytes:
    """Lines with an end that fits them, as somebody might write who knows the format."""
    content = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
    end = {"rows": len(lines) - 1, "sha256": hashlib.sha256(content).hexdigest()}
    return content + json.dumps({"end": end}).encode() + b"\n"


def changed(content: bytes, table: str, change: Callable[[dict[str, Any]], None]) -> bytes:
    """The export with its first row of a table changed."""
    lines = [json.loads(line) for line in content.splitlines()[:-1]]
    change(next(line["row"] for line in lines[1:] if line["table"] == table))
    return sealed(lines)


@pytest.mark.slow
@_PROPERTY
@given(steps, steps, st.booleans())
def test_a_round_trip_loses_nothing(history: list[Step], others: list[Step], vectors: bool) -> None:
    with two_memories() as (first, second, folder):
        play(first, history)
        embed_missing(first.ledger, first.embedder, "alpha")  # lessons that wait for it
        content = exported(first, vectors=vectors)
        file = written(folder, content)
        taken_in(second, file)
        embed_missing(second.ledger, second.embedder, "alpha")
        assert exported(second, vectors=vectors) == content
        assert exported(second) == exported(first)
        assert wrong(second) == []
        with first.ledger.reading() as here, second.ledger.reading() as there:
            assert here.memories.find("alpha") == there.memories.find("alpha")
        # Both go on in the same way, and learn the same.
        again = taken_in(second, file)
        assert sum(again.added.values()) == 0
        play(second, others)
        assert wrong(second) == []


@pytest.mark.slow
@_PROPERTY
@given(steps, steps)
def test_an_export_joins_another_project_of_the_same_ledger(history: list[Step], others: list[Step]) -> None:
    """Order numbers go on after those that are there; nothing of the other project changes."""
    with two_memories() as (first, second, folder):
        play(first, history)
        play(second, others)
        before, content = exported(second), exported(first)
        taken_in(second, written(folder, content), "beta")
        assert exported(second) == before
        assert exported(second, "beta").replace(b'"beta"', b'"alpha"').splitlines()[:-1] == content.splitlines()[:-1]
        assert wrong(second) == wrong(second, "beta") == []


def a_history(parts: Parts) -> None:
    asked, told = "Ask for the booking code first.", "Refunds take seven days."
    play(parts, [("run", 0, 1, asked), ("run", 0, 3, told), ("error", 1, 1, "fix"), ("run", 3, 2, "c")])


def test_who_follows_the_ledger_sees_what_came_in(tmp_path: Path) -> None:
    with small_memory(tmp_path / "one") as first, small_memory(tmp_path / "two") as second:
        a_history(first)
        second.memory.submit(Submission(task="something else", review_result="pass"))
        asked = Query(task="cancel the flight", similarity_threshold=0.9)
        assert second.memory.query(asked).matches == []
        taken_in(second, written(tmp_path, exported(first)))
        assert len(second.memory.query(asked).matches) == 2


@pytest.mark.parametrize("keep", [0.0, 0.2, 0.7, 0.99])
def test_a_file_that_is_cut_off_is_refused(tmp_path: Path, keep: float) -> None:
    with small_memory(tmp_path / "one") as first, small_memory(tmp_path / "two") as second:
        a_history(first)
        content = exported(first)
        with pytest.raises(ArchiveError, match=r"cut off|no export"):
            taken_in(second, written(tmp_path, content[: int(len(content) * keep)]))
        assert traces(second) == []


@pytest.mark.parametrize("place", ["first", "middle", "last"])
def test_a_file_that_is_nested_too_deeply_is_refused(tmp_path: Path, place: str) -> None:
    with small_memory(tmp_path / "one") as first, small_memory(tmp_path / "two") as second:
        a_history(first)
        lines, deep = exported(first).splitlines(keepends=True), b"[" * 200_000 + b"\n"
        if place == "middle":
            lines[2] = deep
            digest = hashlib.sha256(b"".join(lines[:-1])).hexdigest()
            lines[-1] = json.dumps({"end": {"rows": len(lines) - 2, "sha256": digest}}).encode() + b"\n"
        else:
            lines[0 if place == "first" else -1] = deep
        with pytest.raises(ArchiveError, match=r"no export|cannot be read|cut off"):
            taken_in(second, written(tmp_path, b"".join(lines)))
        assert traces(second) == []


@pytest.mark.slow
def test_a_line_without_end_is_refused_before_it_is_read(tmp_path: Path) -> None:
    with small_memory(tmp_path / "one") as first, small_memory(tmp_path / "two") as second:
        a_history(first)
        header = exported(first).splitlines(keepends=True)[0]
        file = written(tmp_path, header)
        os.truncate(file, 30_000_000_000)  # a hole, which takes no room
        with pytest.raises(ArchiveError, match=r"line 2 is longer than 128,000,000 bytes.*nothing was changed"):
            taken_in(second, file)
        file.write_bytes(b'{"format": "mcp-reflect-export", "x": "')
        os.truncate(file, 30_000_000_000)
        assert read_header(file) is None
        with pytest.raises(ArchiveError, match="no export"):
            taken_in(second, file)
        assert traces(second) == []


def nested(levels: int) -> Any:
    found: Any = 1
    for _ in range(levels):
        found = [found]
    return found


@pytest.mark.parametrize(
    ("table", "change", "message"),
    [
        ("utilities", {"q_value": 0.9}, "does not agree with itself"),
        ("utilities", {"q_value": "much"}, "utilities.q_value"),
        ("utilities", {"reviews": True}, "utilities.reviews"),
        ("utility_events", {"reward": 0.5}, "does not agree with itself"),
        ("memories", {"kind": "hunch"}, "kind"),
        ("memories", {"task": None}, "memories.task is null"),
        ("memories", {"colour": "blue"}, "a newer mcp-reflect"),
        ("memories", {"project": "beta"}, "another project"),
        ("traces", {"draft": {"summary": 7}}, "summary"),
        ("traces", {"metadata": "[" * 50_000 + "]" * 50_000}, "traces.metadata holds"),
        ("traces", {"metadata": {"deep": nested(900)}}, "deep|cannot be read"),
        ("memories", {"applicable_tools": "[]"}, "memories.applicable_tools holds"),
        ("embeddings", {"vector": "AAAA"}, "length"),
        ("embeddings", {"vector": "?"}, "base64"),
    ],
)
def test_a_row_that_does_not_fit_is_refused_and_nothing_is_changed(
    tmp_path: Path, table: str, change: dict[str, Any], message: str
) -> None:
    with small_memory(tmp_path / "one") as first, small_memory(tmp_path / "two") as second:
        a_history(first)
        file = written(tmp_path, changed(exported(first), table, lambda row: row.update(change)))
        before = read(second.ledger, lambda s: s.feed.latest_seq())
        with pytest.raises(ArchiveError, match=message):
            taken_in(second, file)
        assert read(second.ledger, lambda s: s.feed.latest_seq()) == before
        assert traces(second) == []


def test_a_byte_that_was_changed_is_noticed(tmp_path: Path) -> None:
    with small_memory(tmp_path / "one") as first, small_memory(tmp_path / "two") as second:
        a_history(first)
        with pytest.raises(ArchiveError, match="changed after it was written"):
            taken_in(second, written(tmp_path, exported(first).replace(b"flight", b"flicht", 1)))


def test_a_later_version_is_refused_by_name(tmp_path: Path) -> None:
    with small_memory(tmp_path / "one") as first:
        file = written(tmp_path, exported(first).replace(b'"version":1', b'"version":2', 1))
        with pytest.raises(ArchiveError, match="version 2, this mcp-reflect reads 1"):
            read_header(file)


def test_what_is_here_and_says_something_else_is_listed_and_kept(tmp_path: Path) -> None:
    with small_memory(tmp_path / "one") as parts:
        a_history(parts)
        file = written(tmp_path, exported(parts))
        parts.memory.review(traces(parts)[-1], Verdict(result="fail"))
        parts.memory.submit(Submission(task="a new run"))
        before = exported(parts)
        with pytest.raises(ArchiveError, match="say something else: traces trace_") as refused:
            taken_in(parts, file)
        assert traces(parts)[-1] in str(refused.value)
        assert exported(parts) == before


def test_a_copy_into_another_project_of_the_same_home_is_refused_by_that_reason(tmp_path: Path) -> None:
    with small_memory(tmp_path / "one") as parts:
        a_history(parts)
        file = written(tmp_path, exported(parts))
        before = exported(parts)
        with pytest.raises(ArchiveError, match="an id stands once in a home; nothing was changed") as refused:
            taken_in(parts, file, "beta")
        assert "already, in project alpha" in str(refused.value)
        assert exported(parts) == before
        assert b"trace_" not in exported(parts, "beta")


def test_a_trace_key_that_is_taken_is_a_conflict(tmp_path: Path) -> None:
    with small_memory(tmp_path / "one") as first, small_memory(tmp_path / "two") as second:
        first.memory.submit(Submission(task="deploy", trace_key="monday"))
        second.memory.submit(Submission(task="something else", trace_key="monday"))
        with pytest.raises(ArchiveError, match="trace_key monday"):
            taken_in(second, written(tmp_path, exported(first)))


def test_looking_at_memories_and_writing_reflections_do_not_make_them_others(tmp_path: Path) -> None:
    with small_memory(tmp_path / "one") as parts:
        a_history(parts)
        file = written(tmp_path, exported(parts))
        parts.memory.query(Query(task="cancel the flight"))
        assert sum(taken_in(parts, file).added.values()) == 0


def test_a_file_of_an_older_version_may_lack_columns(tmp_path: Path) -> None:
    with small_memory(tmp_path / "one") as first, small_memory(tmp_path / "two") as second:
        a_history(first)

        def older(row: dict[str, Any]) -> None:
            del row["feedback"], row["judged_by"]

        taken_in(second, written(tmp_path, changed(exported(first), "reviews", older)))
        assert traces(second) == traces(first)
        assert wrong(second) == []


def test_what_an_older_version_did_not_count_is_counted(tmp_path: Path) -> None:
    with small_memory(tmp_path / "one") as first, small_memory(tmp_path / "two") as second:
        a_history(first)
        lines = [json.loads(line) for line in exported(first).splitlines()[:-1]]
        counts = [line["row"] for line in lines[1:] if line["table"] == "utilities"]
        assert any(row["trials"] for row in counts)
        for row in counts:
            del row["trials"], row["successes"]
        taken_in(second, written(tmp_path, sealed(lines)))
        assert wrong(second) == []


def test_half_a_surrogate_pair_survives(tmp_path: Path) -> None:
    with small_memory(tmp_path / "one") as first, small_memory(tmp_path / "two") as second:
        a_history(first)
        content = changed(exported(first), "traces", lambda row: row["metadata"].update(odd="\ud800"))
        taken_in(second, written(tmp_path, content))
        assert b'"odd":"\\ud800"' in exported(second)


def test_every_table_travels_or_belongs_to_the_home() -> None:
    travelling = portable.portable_tables()
    assert {table.name for table in travelling} | portable._OF_THE_HOME == set(schema.metadata.tables)
    for table in travelling:
        portable._of_project(table, "alpha")
        assert portable.identity_of(table)
