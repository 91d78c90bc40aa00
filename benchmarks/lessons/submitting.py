"""Hands in runs as agents do, each reviewed and given no memories."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from benchmarks.quality.data import DATA
from mcp_reflect.application.memory_service import MemoryService
from mcp_reflect.application.requests import NO_RETRIEVAL, Submission
from mcp_reflect.domain.models import Memory


def submit(
    memory: MemoryService,
    task: str,
    messages: Sequence[dict[str, Any]] | str,
    *,
    result: str = "pass",
    source: str = "",
) -> Memory | None:
    """Hand in a run as an agent does; its memory, None where nothing was learned."""
    return memory.submit(submission(task, messages, result=result, source=source)).memory


def submission(
    task: str, messages: Sequence[dict[str, Any]] | str, *, result: str = "pass", source: str = ""
) -> Submission:
    """Return a reviewed run that was given no memories, as it is handed in."""
    return Submission.model_validate(
        {
            "task": task,
            "trajectory": messages if isinstance(messages, str) else json.dumps(messages),
            "retrieval_id": NO_RETRIEVAL,
            "metadata": {"source": source},
            "review_result": result,
        }
    )


def read_talks() -> tuple[dict[str, list[dict[str, str]]], list[dict[str, Any]]]:
    """Return the turns of the conversations of developers by name, and the questions about what they settle."""
    rows = [json.loads(line) for line in (DATA / "sde_dev.jsonl").read_text(encoding="utf-8").splitlines()]
    talks = {row["id"]: row["turns"] for row in rows if row["t"] == "conversation"}
    return talks, [row for row in rows if row["t"] == "question"]


def messages_of(turns: Sequence[dict[str, str]]) -> list[dict[str, str]]:
    return [{"role": turn["role"], "content": turn["text"]} for turn in turns]
