"""Plain-text transcripts on their way in: read for lessons, stored as they were handed in."""

from __future__ import annotations

from mcp_reflect.application.requests import NO_RETRIEVAL, Submission
from tests.support.composition import Parts

TRANSCRIPT = """\
Question: Make the tests pass.

Thought: Run them.
Action: shell
Action Input: pytest -q
Observation: ModuleNotFoundError: No module named 'app'

Thought: The path is missing.
Action: shell
Action Input: PYTHONPATH=src pytest -q
Observation: 12 passed

Final Answer: The tests pass with PYTHONPATH=src.
"""


def test_a_transcript_is_read_for_its_lesson_and_kept_as_text(parts: Parts) -> None:
    given = {"task": "Make the tests pass.", "trajectory": TRANSCRIPT, "review_result": "pass"}
    memory = parts.memory.submit(Submission.model_validate(given | {"retrieval_id": NO_RETRIEVAL})).memory
    assert memory is not None
    assert "PYTHONPATH=src pytest -q" in memory.reflection
    assert "Observation:" not in memory.reflection
    trace = parts.memory.trace(memory.source_trace_id)
    assert trace.trajectory == TRANSCRIPT
    assert trace.tools_used == ()
