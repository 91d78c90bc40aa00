"""The collection as a notebook finds it: opened with chromadb alone, in step with the ledger."""

from __future__ import annotations

import json
from pathlib import Path

import chromadb
import pytest
from chromadb.config import Settings

from mcp_reflect.adapters.chroma_index import ChromaIndex
from mcp_reflect.application.index_entries import index_document, index_metadata
from mcp_reflect.application.index_sync import Indexer
from mcp_reflect.application.maintenance.audit import audit_project
from mcp_reflect.application.requests import Query, Submission
from tests.support.composition import small_memory
from tests.support.values import make_memory, make_trace

TASK = "Deploy the shop to the staging cluster"
LESSON = "Run `make migrate` before the rollout."
RUN = json.dumps(
    [
        {"role": "assistant", "tool_calls": [{"id": "c1", "function": {"name": "shell", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "c1", "content": "done"},
    ]
)


@pytest.mark.slow
def test_a_notebook_finds_lessons_q_values_and_tags_with_chromadb_alone(tmp_path: Path) -> None:
    folder = tmp_path / "index"
    with small_memory(tmp_path) as parts:
        index = ChromaIndex(folder)
        indexer = Indexer(parts.ledger, index, parts.embedder.identity)
        project = parts.memory.profile.project
        first = parts.memory.submit(
            Submission(
                task=TASK,
                trajectory=RUN,
                review_result="pass",
                guidance=LESSON,
                metadata={"team": "shop", "status": "done"},
            )
        )
        assert first.memory is not None
        indexer.sync(project)
        parts.memory.query(Query(task=TASK))
        parts.memory.submit(
            Submission(
                task="Deploy it again",
                review_result="pass",
                retrieved_memory_ids=[first.memory.id],
                helpful_memory_ids=[first.memory.id],
                guidance="x y",
            )
        )
        indexer.sync(project)
        assert audit_project(parts.ledger, index, parts.embedder, project) == []
        index.describe(project, parts.embedder.identity, [first.memory.id], [{"kind": "claim"}])
        (found,) = audit_project(parts.ledger, index, parts.embedder, project)
        assert found.store == "index"
        assert "kind" in found.text
        assert "q_value" in found.text
        indexer.rebuild(project)
        for action, held in (("deprecate", False), ("restore", True)):
            parts.memory.manage(first.memory.id, action)
            indexer.sync(project)
            assert (first.memory.id in index.descriptions(project, parts.embedder.identity)) is held
            assert audit_project(parts.ledger, index, parts.embedder, project) == []
        index.close()

    client = chromadb.PersistentClient(str(folder), Settings(anonymized_telemetry=False))
    (collection,) = client.list_collections()
    assert collection.metadata["project"] == project
    good = collection.get(where={"$and": [{"team": "shop"}, {"q_value": {"$gt": 0.6}}]})
    assert good["ids"] == [first.memory.id]
    assert good["documents"] is not None
    assert TASK in good["documents"][0]
    assert LESSON in good["documents"][0]
    assert good["metadatas"] is not None
    told = good["metadatas"][0]
    shown = ("status", "metadata.status", "kind", "success", "tools", "user", "project", "trace_id")
    expected = ("active", "done", "reflection", True, "shell", "ann", project, first.trace_id)
    assert tuple(told[name] for name in shown) == expected
    assert collection.get(where={"created": {"$lte": first.memory.created_at.timestamp()}})["ids"] == [first.memory.id]
    assert told["created_at"] == first.memory.created_at.isoformat()
    assert "last_used_at" in told
    assert collection.get(where_document={"$contains": "migrate"})["ids"] == [first.memory.id]
    client.close()


def test_values_that_chroma_cannot_hold_become_text() -> None:
    memory = make_memory(make_trace(), reflection="Look.", metadata={"big": 2**70, "tags": ["a", "b"], "chroma:x": 1.5})
    told = index_metadata(memory)
    assert (told["big"], told["tags"], told["metadata.chroma:x"]) == (str(2**70), "a, b", 1.5)
    assert "last_used_at" not in told
    assert index_document(memory) == f"{memory.task}\n\nLook."


def test_entries_keep_to_the_quotas_of_chroma_cloud() -> None:
    wide = "é" * 3_000
    many = {f"key{number}": number for number in range(40)}
    memory = make_memory(
        make_trace(), task="ä" * 20_000, reflection="Look first.", metadata={"k" * 37: 1, "wide": wide} | many
    )
    told, text = index_metadata(memory), index_document(memory)
    assert len(text.encode()) <= 16_384
    assert text.endswith("…\n\nLook first.")
    assert len(str(told["wide"]).encode()) <= 4_096
    assert len(told) <= 32
    assert max(len(name.encode()) for name in told) <= 36
    long_lesson = make_memory(make_trace(), task="Short.", reflection="x" * 20_000)
    assert len(index_document(long_lesson).encode()) == 16_384
    both = make_memory(make_trace(), task="ä" * 20_000, reflection="x" * 20_000)
    assert len(index_document(both).encode()) == 16_384
