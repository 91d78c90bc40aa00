"""Fixes that a later verdict takes away or gives back.

Of a run that is handed in with its review, only the fixes that stand are stored (`from_runs.py`). A review that is
given later, or in place of another, changes which ones do: what it rejects is no fix, and is not offered as one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from mcp_reflect.application.known_errors.from_runs import FoundError, PreparedError, RunErrors, find_errors_of, is_it
from mcp_reflect.application.known_errors.records import with_derived_fields
from mcp_reflect.application.known_errors.recurrences import without_runs
from mcp_reflect.application.lifecycle import retire, said_again
from mcp_reflect.application.ports import Embedder, ReadSession, WriteSession
from mcp_reflect.application.profile import Profile
from mcp_reflect.domain.error_matching.signatures import error_signatures
from mcp_reflect.domain.lessons.failures.fixed_errors import FixedError
from mcp_reflect.domain.lessons.failures.repaired_failures import last_steps
from mcp_reflect.domain.models import ErrorMemory, Review, Trace, of_kind
from mcp_reflect.domain.provenance.screening import Screening
from mcp_reflect.domain.trajectory.run import ParsedRun
from mcp_reflect.errors import ModelUnavailable


@dataclass(frozen=True)
class RevisedFix:
    """An error that a run fixed, by the review before and by the one that takes its place.

    Either is None where that review rejects the fix and names none instead.
    """

    before: FoundError | None
    after: FoundError | None

    @property
    def error(self) -> FixedError:
        """Return the error, with the fix that it has now, or had."""
        found = self.after or self.before
        assert found is not None
        return found.fixed

    @property
    def given(self) -> str:
        """Return the fix that the run gave before; empty where it gave none."""
        return self.before.fixed.fix if self.before else ""


def find_revised_fixes(
    run: ParsedRun, profile: Profile, screening: Screening, before: Review | None, after: Review
) -> tuple[RevisedFix, ...]:
    """Return the errors of a run with another fix, or none, by its new review; mostly there are no such errors."""
    rejected = (before.rejection if before else None, after.rejection)
    if rejected[0] == rejected[1]:
        return ()
    read = last_steps(run.trajectory, run.trace.final_response)
    was, now = (
        {
            (each.fixed.mistake, each.fixed.evidence): each
            for each in find_errors_of(run, read, profile, screening, words)
        }
        for words in rejected
    )
    found = [RevisedFix(was.get(key), now.get(key)) for key in {**was, **now}]
    return tuple(each for each in found if each.after is None or each.after.fixed.fix != each.given)


class LaterVerdicts:
    """Changes what the known errors have from a run, for one connection. Thread-safe."""

    def __init__(self, embedder: Embedder, errors: RunErrors, profile: Profile) -> None:
        self._embedder = embedder
        self._errors = errors
        self._profile = profile

    def embedded(self, revised: Sequence[RevisedFix]) -> list[RevisedFix]:
        """Return the errors with their vectors where a review brings them anew, before a transaction begins.

        Without a model nothing is embedded, and nothing brought anew.
        """
        anew = [each.after for each in revised if each.after is not None and each.before is None]
        try:
            vectors = self._embedder.embed([each.text for each in anew]) if anew else ()
        except ModelUnavailable:
            return list(revised)
        found = {
            each.text: PreparedError(each.fixed, each.memory, vector)
            for each, vector in zip(anew, vectors, strict=True)
        }
        return [replace(each, after=found.get(each.after.text, each.after)) if each.after else each for each in revised]

    def apply(self, session: WriteSession, revised: Sequence[RevisedFix], trace: Trace, now: datetime) -> bool:
        """Change the errors of a run as its new review says; return false where nothing changed.

        What somebody wrote in the place of a fix of the run stays. An error that is left without any goes into the
        archive, where it was not recorded by somebody.
        """
        changed = False
        for each in revised:
            memory = self._holder(session, each.error, trace)
            if memory is not None:
                changed |= self._revise(session, memory, each, trace, now)
            elif isinstance(each.after, PreparedError):
                changed |= self._errors.store_one(session, each.after, trace)
        return changed

    def _holder(self, session: ReadSession, error: FixedError, trace: Trace) -> ErrorMemory | None:
        """The memory of an error that the run is the source of, or was met again in."""
        asked = error_signatures(error.reported)
        own = of_kind(session.memories.of_trace(trace.id), ErrorMemory)
        errors = of_kind(session.memories.find(self._profile.project, kind="error"), ErrorMemory)
        seen = (each for each in errors if trace.id in each.seen_in)
        return next((each for each in (*own, *seen) if is_it(asked, each)), None)

    def _revise(
        self, session: WriteSession, memory: ErrorMemory, revised: RevisedFix, trace: Trace, now: datetime
    ) -> bool:
        is_own, after = memory.source_trace_id == trace.id, revised.after
        if not is_own and after is None:
            left = without_runs(memory, [trace], session.traces.get)
            left = left.model_copy(update={"passed_in": memory.passed_in})  # that the call worked there stays true
        else:
            left = memory
        if memory.correct_action == revised.given:
            others = self._fixes_of_others(session, memory, trace.id)
            stands = after is not None and (is_own or not after.fixed.is_correction)
            left = _with_fix(left, after.fixed if after and stands else next(others, None))
        if left == memory:
            return False
        if not left.correct_action and memory.author == "extractive":
            session.memories.revise(left)
            retire(session, left, now)
        else:
            session.memories.revise(left.model_copy(update={"status": said_again(session, memory, now)}))
        return True

    def _fixes_of_others(self, session: ReadSession, memory: ErrorMemory, trace_id: str) -> Iterator[FixedError]:
        """Yield what other runs in which an error was met fixed it by, the earliest first."""
        for each in (memory.source_trace_id, *memory.seen_in):
            trace = session.traces.get(each) if each != trace_id else None
            if trace is None or trace.origin != "run":
                continue
            run, review = ParsedRun.of(trace), session.reviews.current(each)
            read = last_steps(run.trajectory, trace.final_response)
            found = find_errors_of(run, read, self._profile, Screening(run), review.rejection if review else None)
            fixes = (other.fixed for other in found if is_it(error_signatures(other.fixed.reported), memory))
            yield from (fixed for fixed in fixes if not fixed.is_correction)


def _with_fix(memory: ErrorMemory, fixed: FixedError | None) -> ErrorMemory:
    """Return an error with this fix, or without any. How somebody who recorded the error would check it stays."""
    update: dict[str, object] = {
        "correct_action": fixed.fix if fixed else "",
        "edits": fixed.edits if fixed else (),
        "unvouched": fixed.unvouched if fixed else (),
    }
    if memory.author == "extractive":
        update["tests"] = (fixed.command,) if fixed and fixed.command else ()
    return with_derived_fields(memory.model_copy(update=update))
