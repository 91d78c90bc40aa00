"""Beside a model's words stands what the reviewer said."""

from __future__ import annotations

from datetime import UTC, datetime

from mcp_reflect.domain.models import Author, ReflectionDraft, ReflectionMemory
from mcp_reflect.domain.reflection.composition import compose_memory
from mcp_reflect.domain.trajectory.run import ParsedRun
from tests.support.values import make_review, make_trace


def composed(author: Author, **fields: str) -> ReflectionMemory:
    trace = make_trace(task="Book a seat.")
    run = ParsedRun.of(trace).reviewed(make_review(trace, 1, result="fail", feedback="Row 4 is for staff only!"))
    now = datetime(2026, 1, 1, tzinfo=UTC)
    return compose_memory(run, ReflectionDraft(**fields), author, memory_id="mem_1", initial_q=0.5, created_at=now)


def test_feedback_stands_verbatim_beside_a_models_reflection() -> None:
    assert composed("llm", summary="Row 4.").guidance == "Reviewer: Row 4 is for staff only!"
    assert composed("sampling", text="Row 4.").reflection.endswith("Reviewer: Row 4 is for staff only!")


def test_feedback_is_not_said_twice() -> None:
    assert composed("llm", summary="Row 4 is for staff only!").guidance == ""
    assert composed("agent", summary="Row 4.").guidance == ""
