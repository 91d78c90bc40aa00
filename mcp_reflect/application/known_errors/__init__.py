"""Known errors and their fixes: search, and recording without duplicates."""

from __future__ import annotations

from dataclasses import dataclass

from mcp_reflect.application.connection_context import ConnectionContext
from mcp_reflect.application.known_errors.edited_files import are_needed
from mcp_reflect.application.known_errors.from_runs import RunErrors
from mcp_reflect.application.known_errors.later_verdicts import LaterVerdicts
from mcp_reflect.application.known_errors.mirror import Mirror
from mcp_reflect.application.known_errors.records import (
    compose_error,
    find_same_error,
    save_memory,
    store_provenance,
    with_recurrence,
)
from mcp_reflect.application.known_errors.search import ErrorSearch
from mcp_reflect.application.known_errors.warnings import errors_to_expect, planned_triggers, wider_calls
from mcp_reflect.application.requests import ErrorFix, ErrorQuery, PlannedCall
from mcp_reflect.application.retrieval.recording import record_shown
from mcp_reflect.domain.error_matching.reflexion_lines import ErrorLine
from mcp_reflect.domain.lessons.failures.triggers import trigger_key
from mcp_reflect.domain.models import ErrorMemory, Memory, of_kind
from mcp_reflect.domain.ranking.recency import microseconds
from mcp_reflect.domain.redaction.redact import redact, redact_json
from mcp_reflect.domain.redaction.stored_text import NOTHING_STORABLE, storable_text
from mcp_reflect.domain.reflection.embedded_text import embedded_text
from mcp_reflect.errors import InvalidArgument


@dataclass(frozen=True)
class KnownFix:
    """A memory with a fix of an error; `match` in [0, 1] is the larger of keyword overlap and cosine.

    `same` is true for the same error (`error_matching/signatures.py`), false for a similar one.
    """

    memory: Memory
    match: float
    same: bool


@dataclass(frozen=True)
class KnownFixes:
    """The known fixes of an error, best first. `warnings` are problems with the mirror file, or with recording this."""

    retrieval_id: str
    fixes: list[KnownFix]
    warnings: list[str]


@dataclass(frozen=True)
class Recorded:
    """The memory of a recorded error; `is_new` is false for a recurrence. `warnings` are as in KnownFixes."""

    memory: ErrorMemory
    is_new: bool
    warnings: list[str]


class ErrorFixes:
    """A connection's view of the known errors of its project. Thread-safe."""

    def __init__(self, context: ConnectionContext, search: ErrorSearch, mirror: Mirror) -> None:
        self._ledger = context.ledger
        self._embedder = context.embedder
        self._profile = context.profile
        self._clock = context.clock
        self._search = search
        self.mirror = mirror
        self.of_runs = RunErrors(context.embedder, search, context.profile)
        self.verdicts = LaterVerdicts(context.embedder, self.of_runs, context.profile)

    def find(self, query: ErrorQuery) -> KnownFixes:
        """Return the known fixes of an error, best first, and record them as retrieved by this connection."""
        warnings = self.mirror.read()
        profile, error = self._profile, redact(query.error)
        now = self._clock()
        hits = self._search.fixes(
            profile.project, profile.visible_user, error, profile.similarity_threshold, query.limit, microseconds(now)
        )
        retrieval = profile.new_retrieval([hit.memory_id for hit in hits], now)
        recorded = record_shown(self._ledger, retrieval)
        found = recorded.memories
        fixes = [KnownFix(found[hit.memory_id], hit.match, hit.same) for hit in hits if hit.memory_id in found]
        return KnownFixes(recorded.retrieval_id, fixes, [*warnings, *filter(None, [recorded.warning])])

    def expect(self, planned: PlannedCall, limit: int) -> KnownFixes:
        """Return the fixes of the errors to which the same call led before, those of the very call first; usually none.

        An edit that is in place, or whose file has changed since, is none.
        """
        profile, triggers = self._profile, planned_triggers(planned)
        if not triggers:
            return KnownFixes("", [], [])
        wider = wider_calls(triggers)
        found = self._search.led_by(profile.project, profile.visible_user, [*map(trigger_key, [*triggers, *wider])])
        if not found.memory_ids:
            return KnownFixes("", [], [])
        with self._ledger.reading() as session:
            known = of_kind(session.memories.by_ids(list(found.memory_ids)).values(), ErrorMemory)
        likely = errors_to_expect(triggers, wider, known)
        expected = [each for each in likely if are_needed(each.edits, planned.folder) is not False][:limit]
        if not expected:
            return KnownFixes("", [], [])
        retrieval = profile.new_retrieval([memory.id for memory in expected], self._clock())
        recorded = record_shown(self._ledger, retrieval)
        return KnownFixes(recorded.retrieval_id, [KnownFix(memory, match=1.0, same=True) for memory in expected], [])

    def record(self, fix: ErrorFix) -> Recorded:
        """Store an error with a trace of its own, or count it as a recurrence of the same error."""
        warnings = self.mirror.read()
        line = _line_of(fix)
        stored: Recorded | None = None
        while stored is None:
            stored = self._try(line)
        return Recorded(stored.memory, stored.is_new, [*warnings, *self.mirror.write()])

    def _try(self, line: ErrorLine) -> Recorded | None:
        """Store the error; return None where it was recorded meanwhile, because the text to embed has changed then."""
        now, known = self._clock(), self._same(line)
        planned = (
            compose_error(line, self._profile, "", now, "agent") if known is None else with_recurrence(known, line)
        )
        vector = self._embedder.embed([embedded_text(planned)])[0]
        with self._ledger.writing() as session:
            if self._same(line) != known:
                return None
            trace = store_provenance(session, self._profile, line, "error", now)
            memory = planned if known else planned.model_copy(update={"source_trace_id": trace.id})
            return Recorded(save_memory(session, memory, self._embedder.identity, vector), known is None, [])

    def _same(self, line: ErrorLine) -> ErrorMemory | None:
        ids = self._search.same_mistake(self._profile.project, self._profile.visible_user, line.mistake)
        with self._ledger.reading() as session:
            known = find_same_error(session.memories.by_ids(ids).values(), line)
        # A retrieval updates last_used_at, which must not count as a change of the error.
        return known and known.model_copy(update={"last_used_at": None})


def _line_of(fix: ErrorFix) -> ErrorLine:
    """Return a sanitized line of the error. Raises InvalidArgument where nothing is left of the task or the mistake."""
    task, mistake = storable_text(fix.task), storable_text(fix.mistake).strip()
    if not task.strip():
        raise InvalidArgument("task", NOTHING_STORABLE, "the task in the user's words")
    if not mistake:
        raise InvalidArgument("mistake", NOTHING_STORABLE, "what went wrong")
    return ErrorLine(
        memory_id="",
        created_at=None,
        task=task,
        mistake=mistake,
        evidence=tuple(filter(None, [storable_text(fix.evidence).strip()])),
        rule=storable_text(fix.rule).strip(),
        fix=storable_text(fix.fix).strip(),
        tests=tuple(own for each in fix.tests if (own := storable_text(each)).strip()),
        status="active",
        recurrences=0,
        metadata=redact_json(fix.metadata),
        text="",
    )
