"""The shapes that go over the wire, as the contract names them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from mcp_reflect.application.memory_reader import MemoryReader, ingest_status
from mcp_reflect.domain.learning.confidence import credible_interval
from mcp_reflect.domain.models import Match, Memory, ReflectionMemory, Review, Trace, flat_fields
from mcp_reflect.domain.truncate import truncate_middle

if TYPE_CHECKING:  # commands that only show something import no use case
    from mcp_reflect.application.guide import WrittenGuide
    from mcp_reflect.application.known_errors import KnownFix, KnownFixes, Recorded
    from mcp_reflect.application.lifecycle import StatusChange
    from mcp_reflect.application.memory_service import RetrievedMemories
    from mcp_reflect.application.ports import TraceSummary
    from mcp_reflect.application.review.review_transaction import ReviewOutcome
    from mcp_reflect.domain.guide.composition import GuideLine

MAX_SHOWN_TRAJECTORY = 20_000
"""Characters of a trajectory in a tool's answer; the resource has all of it."""

_SHOWN = (
    *("id", "kind", "task", "reflection", "q_value", "similarity", "relevance", "score"),
    *("score_parts", "rating", "interval", "user"),
    *("status", "summary", "key_mistake", "correct_action", "guidance", "applicable_tools", "tools_used", "metadata"),
    *(
        "success",
        "evidence",
        "tests",
        "recurrences",
        "importance",
        "contradicts",
        "superseded_by",
        "disagrees_with",
        "author",
        "source_trace_id",
    ),
    *("reviews", "runs", "borne_out", "created_at", "last_used_at"),
)
"""A memory's fields in the order in which they are shown."""

_OF_SOME_KINDS = {
    "score_parts",
    "evidence",
    "tests",
    "recurrences",
    "importance",
    "contradicts",
    "superseded_by",
    "disagrees_with",
}
"""Shown where a memory has them."""

_SAID_TWICE = {"score_parts", "key_mistake", "correct_action", "guidance", "rating", "interval"}
"""Left out of concise answers: the text of the reflection, or the q_value, says the same."""


def memory_view(
    memory: Memory, match: Match | None = None, disagrees_with: Sequence[str] = (), *, concise: bool = False
) -> dict[str, Any]:
    """Outside of a query `similarity`, `relevance` and `score` are null; `rating` is the q_value from -10 to +10.

    `interval` holds the bounds of the memory's true success rate, one standard deviation to either side of the mean.
    `runs` taught the lesson or were judged after they were given it; `borne_out` of them speak for it.
    """
    fields = flat_fields(memory) | {
        "similarity": None if match is None else match.similarity,
        "relevance": None if match is None else match.relevance,
        "score": None if match is None else match.score,
        "score_parts": None if match is None else match.parts.model_dump(),
        "rating": 20 * memory.q_value - 10,
        "superseded_by": memory.superseded_by if memory.status == "superseded" else "",
        "disagrees_with": list(disagrees_with),
        "runs": memory.runs,
        "borne_out": memory.borne_out,
        "interval": list(credible_interval(memory.trials, memory.successes, memory.initial_q)),
    }
    left_out = {name for name in _OF_SOME_KINDS if not fields[name]} | (_SAID_TWICE if concise else set())
    return {name: fields[name] for name in _SHOWN if name not in left_out}


def retrieved_view(retrieved: RetrievedMemories) -> dict[str, Any]:
    """Return the memories that a query found, with their retrieval id."""
    return {
        "retrieval_id": retrieved.retrieval_id,
        "memories": [
            memory_view(match.memory, match, retrieved.disagreements.get(match.memory.id, ()))
            for match in retrieved.matches
        ],
    }


def known_fixes_view(known: KnownFixes) -> dict[str, Any]:
    """Return the known errors that match, with their fixes, and the next step."""
    return {
        "retrieval_id": known.retrieval_id,
        "fixes": [_fix_view(fix) for fix in known.fixes],
        "warnings": known.warnings,
    }


def _fix_view(fix: KnownFix) -> dict[str, Any]:
    """A recorded error, or the reflection on a failed run, which has neither evidence nor tests.

    What an extracted lesson says of a failed run is what worked in it, and no fix of its error.
    """
    fields = flat_fields(fix.memory)
    extracted = isinstance(fix.memory, ReflectionMemory) and fix.memory.author == "extractive"
    return {
        "memory_id": fix.memory.id,
        "task": fix.memory.task,
        "mistake": fields["key_mistake"] or fields["summary"],
        "evidence": "\n\n".join(fields["evidence"]),
        "rule": "" if extracted else fields["guidance"],
        "fix": "" if extracted else fields["correct_action"],
        "tests": fields["tests"],
        "status": fix.memory.status,
        "relation": "same" if fix.same else "similar",
        "match": fix.match,
        "q_value": fix.memory.q_value,
        "recurrences": fields["recurrences"],
    }


def recorded_view(recorded: Recorded) -> dict[str, Any]:
    """Return a recorded error, and whether it was new."""
    memory = recorded.memory
    return {
        "memory_id": memory.id,
        "known_before": not recorded.is_new,
        "recurrences": memory.recurrences,
        "fix": memory.correct_action,
        "status": memory.status,
        "source_trace_id": memory.source_trace_id,
        "warnings": recorded.warnings,
    }


def status_view(change: StatusChange) -> dict[str, Any]:
    """Return a memory's status after a change and before it."""
    return {"memory_id": change.memory.id, "status": change.memory.status, "status_before": change.before}


def outcome_view(outcome: ReviewOutcome) -> dict[str, Any]:
    """Return the outcome of a submit or a review; `next_step` is empty where nothing is left to do."""
    return {
        "trace_id": outcome.trace_id,
        "review_status": "pending" if outcome.review is None else "reviewed",
        "ingest_status": outcome.ingest_status,
        "last_error": outcome.last_error,
        "memory": None if outcome.memory is None else memory_view(outcome.memory),
        "q_updates": [update.model_dump() for update in outcome.q_updates],
        "next_step": _next_step(outcome),
    }


def _next_step(outcome: ReviewOutcome) -> str:
    if outcome.review is None:
        return f'When the outcome is known: review_trace(trace_id="{outcome.trace_id}", result="pass" or "fail").'
    if outcome.ingest_status == "queued":
        return ""
    if outcome.ingest_status == "failed":
        return "The review counts. No reflection could be written; review_trace again with summary and guidance."
    if outcome.memory is None:
        return (
            "The run is kept; it holds nothing that its task does not say, so there is no lesson. To give it one: "
            "review_trace again with the same result and summary, correct_action, guidance."
        )
    if outcome.memory.author == "extractive":
        return (
            "Stored with a reflection made of feedback and errors only. A better one: review_trace again with the same "
            "result and summary, key_mistake, correct_action, guidance."
        )
    return ""


def time_view(moment: datetime) -> str:
    """Return a time as every result shows it: ISO 8601 in UTC, with a Z."""
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


def summary_view(summary: TraceSummary) -> dict[str, Any]:
    """Return a run as lists show it, without its trajectory."""
    return {
        "trace_id": summary.id,
        "task": summary.task,
        "user": summary.user,
        "model": summary.model,
        "created_at": time_view(summary.created_at),
        "review_status": "pending" if summary.review is None else "reviewed",
        "result": None if summary.review is None else summary.review.result,
        "ingest_status": ingest_status(summary.job),
        "memory_id": summary.memory_id,
    }


def review_view(review: Review) -> dict[str, Any]:
    """Return a review without its draft, which the memory holds."""
    return review.model_dump(mode="json", exclude={"trace_id", "draft", "seq", "sources"})


def trace_view(memory: MemoryReader, trace_id: str, *, whole: bool) -> dict[str, Any]:
    """Return a trace with its review, its memory and the state of its reflection."""
    trace, summary = memory.trace(trace_id), memory.summary(trace_id)
    written = memory.memory_of(summary)
    return {
        **summary_view(summary),
        "trajectory": trace.trajectory if whole else _shown_trajectory(trace),
        "trajectory_characters": len(trace.trajectory),
        **trace.model_dump(
            mode="json",
            include={
                "final_response",
                "reference_context",
                "metadata",
                "trace_key",
                "retrieved_memory_ids",
                "tools_used",
            },
        ),
        "review": None if summary.review is None else review_view(summary.review),
        "last_error": "" if summary.job is None else summary.job.last_error,
        "memory": None if written is None else memory_view(written),
        "claims": [memory_view(claim, concise=True) for claim in memory.claims_of(trace_id)],
    }


def _shown_trajectory(trace: Trace) -> str:
    where = f"; all of it: reflect://traces/{trace.id}"
    return truncate_middle(trace.trajectory, MAX_SHOWN_TRAJECTORY, hint=where)


def guide_view(written: WrittenGuide) -> dict[str, Any]:
    """Return a project guide with all of its sections."""
    guide = written.guide
    sections = ("works", "fails", "errors", "decisions", "insights")
    return {
        "project": written.project,
        "runs": {"passed": written.passed, "failed": written.failed},
        **{name: [guide_line_view(line) for line in getattr(guide, name)] for name in sections},
    }


def guide_line_view(line: GuideLine) -> dict[str, Any]:
    """Return a line with its evidence: the runs that it comes from, and how it fared where it was recalled since."""
    return {
        "text": line.text,
        **({"task": line.task} if line.task else {}),
        "memory_ids": list(line.memory_ids),
        "evidence": list(line.trace_ids),
        "passed": line.passed,
        "failed": line.failed,
        "q_value": round(line.q_value, 3),
        "reviews": line.reviews,
        "passes": line.passes,
    }
