"""Memories of errors: composition, edits, recurrences and provenance. No text of a recurrence is lost."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from mcp_reflect.application.ports import WriteSession
from mcp_reflect.application.profile import Profile
from mcp_reflect.domain.error_matching.keywords import error_keywords, normalized_line
from mcp_reflect.domain.error_matching.reflexion_file import keep_claims
from mcp_reflect.domain.error_matching.reflexion_lines import ErrorLine
from mcp_reflect.domain.error_matching.signatures import same_error
from mcp_reflect.domain.error_matching.stored_signatures import BEGINNING, memory_signatures
from mcp_reflect.domain.ids import new_id
from mcp_reflect.domain.models import (
    RETRIEVABLE,
    Author,
    ErrorMemory,
    Memory,
    Metadata,
    Origin,
    ReflectionDraft,
    Review,
    Trace,
)
from mcp_reflect.domain.text.rendering import render_reflection
from mcp_reflect.domain.values import Vector

EARLIER_FIX = "Earlier fix: "
EARLIER_RULE = "Earlier rule: "
"""Prefixes of evidence that preserves a fix or a rule after a later one replaced it."""

MOST_EVIDENCE = 20
"""Most pieces of evidence of a memory: the first and the latest; the traces of its recurrences keep all."""


def with_derived_fields(memory: ErrorMemory) -> ErrorMemory:
    """Return an error with its derived fields: rendered reflection, error keywords and signatures.

    Signatures that it has stay: those of an output that is not shown whole are not found in its evidence.
    """
    draft = ReflectionDraft(
        key_mistake=memory.key_mistake, correct_action=memory.correct_action, guidance=memory.guidance
    )
    update = {
        "reflection": render_reflection(draft),
        "error_keywords": error_keywords(memory.key_mistake, memory.evidence),
        "error_signatures": with_signatures(
            memory.error_signatures, memory_signatures(memory.key_mistake, memory.evidence)
        ),
    }
    return memory.model_copy(update=update)


def with_signatures(known: tuple[str, ...], more: Iterable[str]) -> tuple[str, ...]:
    """Return signatures of this version with further ones, each once, at most MOST_EVIDENCE."""
    current = (each for each in known if each.startswith(BEGINNING))
    return tuple(dict.fromkeys([*current, *more]))[:MOST_EVIDENCE]


def compose_error(
    line: ErrorLine, profile: Profile, source_trace_id: str, now: datetime, author: Author, memory_id: str = ""
) -> ErrorMemory:
    """Return the memory of a new error, which starts at `now` with nothing earned.

    An empty `memory_id` is replaced by a new one. What the line says of its time, its recurrences and an adoption is
    kept as text only: see `keep_claims`.
    """
    memory = ErrorMemory(
        id=memory_id or new_id("mem"),
        project=profile.project,
        user=profile.user,
        status="deprecated" if line.status == "deprecated" else "active",
        task=line.task,
        reflection="",
        key_mistake=line.mistake,
        correct_action=line.fix,
        guidance=line.rule,
        evidence=line.evidence,
        tests=line.tests,
        author=author,
        source_trace_id=source_trace_id,
        initial_q=profile.initial_q,
        q_value=profile.initial_q,
        created_at=now,
    )
    return with_derived_fields(memory.model_copy(update={"metadata": keep_claims(memory, line)}))


def with_edit(memory: ErrorMemory, line: ErrorLine, *, was_adopted: bool = False) -> ErrorMemory:
    """Return the memory with the texts and the status of an edited line.

    An edit may deprecate a memory, make it active again, and take an adoption back. It adopts none: `adopted` is kept
    by a memory that is adopted, and by an archived one that was (`was_adopted`), and is active for any other.
    Identity, author, time, recurrences and learned values stay.
    """
    kept = memory.status == "adopted" or was_adopted
    update: dict[str, object] = {
        "task": line.task,
        "key_mistake": line.mistake,
        "correct_action": line.fix,
        "guidance": line.rule,
        "evidence": line.evidence,
        "tests": line.tests,
        "status": "active" if line.status == "adopted" and not kept else line.status,
    }
    if (line.mistake, line.evidence) != (memory.key_mistake, memory.evidence):
        update["error_signatures"] = ()
    edited = memory.model_copy(update=update)
    return with_derived_fields(edited.model_copy(update={"metadata": keep_claims(edited, line)}))


def with_recurrence(known: ErrorMemory, again: ErrorLine) -> ErrorMemory:
    """Return the known error after one more recurrence.

    A new fix or rule that is not empty replaces the earlier one, which becomes evidence. Evidence that differs from
    known evidence only in numbers, paths and ids is dropped.
    """
    evidence = list(known.evidence)
    if _differs(known.correct_action, again.fix):
        evidence.append(EARLIER_FIX + known.correct_action)
    if _differs(known.guidance, again.rule):
        evidence.append(EARLIER_RULE + known.guidance)
    said = {normalized_line(each) for each in evidence}
    evidence += [each for each in again.evidence if normalized_line(each) not in said]
    if len(evidence) > MOST_EVIDENCE:
        evidence = evidence[:1] + evidence[-(MOST_EVIDENCE - 1) :]
    update = {
        "correct_action": again.fix or known.correct_action,
        "guidance": again.rule or known.guidance,
        "evidence": tuple(dict.fromkeys(evidence)),
        "tests": tuple(dict.fromkeys((*known.tests, *again.tests))),
        "metadata": _merged(known.metadata, again.metadata),
        "recurrences": known.recurrences + 1,
    }
    return with_derived_fields(known.model_copy(update=update))


def _differs(known: str, later: str) -> bool:
    return bool(known and later) and known != later


def _merged(known: Metadata, later: Metadata) -> Metadata:
    """Return the union of both; the known value of a key takes precedence, and the trace keeps the later one."""
    return later | known


def find_same_error(candidates: Iterable[Memory], line: ErrorLine) -> ErrorMemory | None:
    """Return the candidate that is the same error, of several the one with most recurrences; None without one."""
    same = [
        memory
        for memory in candidates
        if isinstance(memory, ErrorMemory)
        and memory.status in RETRIEVABLE
        and same_error(line.mistake, _first(line.evidence), memory.key_mistake, _first(memory.evidence))
    ]
    return max(same, key=lambda memory: (memory.recurrences, memory.created_at, memory.id), default=None)


def _first(evidence: tuple[str, ...]) -> str:
    return evidence[0] if evidence else ""


def store_provenance(session: WriteSession, profile: Profile, line: ErrorLine, origin: Origin, now: datetime) -> Trace:
    """Store and return a trace for an error, with a review: `pass` where a fix is known, else `fail`."""
    trace = Trace(
        id=new_id("trace"),
        project=profile.project,
        user=profile.user,
        task=line.task,
        trajectory="\n\n".join(line.evidence),
        metadata=line.metadata,
        draft=ReflectionDraft(key_mistake=line.mistake, correct_action=line.fix, guidance=line.rule),
        origin=origin,
        created_at=now,
    )
    session.traces.add(trace)
    review = Review(
        id=new_id("rev"),
        trace_id=trace.id,
        seq=session.feed.next_seq(),
        result="pass" if line.fix else "fail",
        alpha=profile.alpha,
        draft=trace.draft,
        created_at=now,
    )
    session.reviews.put(review)
    return trace


def save_memory(session: WriteSession, memory: ErrorMemory, model: str, vector: Vector) -> ErrorMemory:
    """Store a memory with its unit-length vector and return it as stored."""
    session.memories.put(memory, model, vector)
    stored = session.memories.by_ids([memory.id])[memory.id]
    assert isinstance(stored, ErrorMemory)
    return stored
