"""Errors with their fixes out of submitted runs, recorded in the transaction that stores the run.

What a run fixed becomes an error of its own, with the run as its trace. Where the error is known already, the run is
noted as one in which it came back, and its fix counts only where none was known: what somebody recorded stays. A run in
which a call that had led to an error worked at once is noted too: a call is warned of as long as it mostly fails. Where
the run did first what the error's fix says, it shows nothing of the call without that.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from mcp_reflect.application.known_errors.records import compose_error, save_memory, with_signatures
from mcp_reflect.application.known_errors.recurrences import MOST_RUNS, with_run
from mcp_reflect.application.known_errors.screening import screened_error
from mcp_reflect.application.known_errors.search import ErrorSearch
from mcp_reflect.application.known_errors.worked_calls import WorkedCall, find_worked_calls
from mcp_reflect.application.lifecycle import said_again, was_not_said_again
from mcp_reflect.application.ports import Embedder, ReadSession, WriteSession
from mcp_reflect.application.profile import Profile
from mcp_reflect.application.retrieval.project_tables import LATE_CHANGES
from mcp_reflect.application.review.same_lessons import NO_CANDIDATES, Candidates
from mcp_reflect.domain.error_matching.reflexion_lines import ErrorLine
from mcp_reflect.domain.error_matching.signatures import SignatureGroup, error_signatures, is_same
from mcp_reflect.domain.error_matching.stored_signatures import read_signatures, stored_signatures
from mcp_reflect.domain.lessons.failures.fixed_errors import FixedError, find_fixed_errors
from mcp_reflect.domain.lessons.failures.rejections import last_words, without_rejected
from mcp_reflect.domain.lessons.failures.repaired_failures import ReadSteps, last_steps
from mcp_reflect.domain.lessons.failures.triggers import trigger_key
from mcp_reflect.domain.models import RETRIEVABLE, ErrorMemory, Trace, of_kind
from mcp_reflect.domain.provenance.screening import Screening
from mcp_reflect.domain.reflection.embedded_text import embedded_text
from mcp_reflect.domain.trajectory.run import ParsedRun
from mcp_reflect.domain.values import Vector

log = logging.getLogger(__name__)

_LATEST = 64
"""Errors written since the search that are looked at, the earliest of them."""


@dataclass(frozen=True)
class FoundError:
    """An error that a run fixed, with the memory to store where it is not known."""

    fixed: FixedError
    memory: ErrorMemory

    @property
    def text(self) -> str:
        """Return the text of the memory that is embedded."""
        return embedded_text(self.memory)


@dataclass(frozen=True)
class PreparedError(FoundError):
    """A found error with the vector of its text."""

    vector: Vector


@dataclass(frozen=True)
class RunFindings:
    """The errors that a run fixed, and the calls that worked at once."""

    fixed: Sequence[FoundError] = ()
    worked: Sequence[WorkedCall] = ()


def find_run_errors(run: ParsedRun, profile: Profile, screening: Screening, rejected: str | None = None) -> RunFindings:
    """Return what a redacted run tells of errors, for connections of a profile; `screening` is that of the run.

    `rejected` is the feedback, which may be empty, of who judged that the run failed; None for any other run.
    """
    try:
        read = last_steps(run.trajectory, run.trace.final_response)
        return RunFindings(find_errors_of(run, read, profile, screening, rejected), find_worked_calls(read.steps))
    except Exception:  # a mistake in reading a run costs what it tells of errors, and not the run
        log.exception("no errors could be read from %s", run.trace.id)
        return RunFindings()


def find_errors_of(
    run: ParsedRun, read: ReadSteps, profile: Profile, screening: Screening, rejected: str | None
) -> list[FoundError]:
    """Return the errors that the steps of a run fixed, as far as they may be told and nobody rejects their fix.

    The other arguments are those of `find_run_errors`.
    """
    found: Iterable[FixedError] = find_fixed_errors(read)
    words = "" if rejected is None else "\n".join(filter(None, [last_words(read), rejected]))
    if words:
        found = without_rejected([*found], read, words)
    safe = (screened_error(screening, each) for each in found)
    return [FoundError(each, _composed(profile, each, run.trace)) for each in safe if each is not None]


def _composed(profile: Profile, fixed: FixedError, trace: Trace) -> ErrorMemory:
    line = ErrorLine(
        memory_id="",
        created_at=None,
        task=trace.task,
        mistake=fixed.mistake,
        evidence=(fixed.evidence,),
        rule="",
        fix=fixed.fix,
        tests=tuple(filter(None, [fixed.command])),
        status="active",
        recurrences=0,
        metadata=trace.metadata,
        text="",
    )
    composed = compose_error(line, profile, trace.id, trace.created_at, "extractive")
    update = {
        "triggers": fixed.triggers,
        "unvouched": fixed.unvouched,
        "edits": fixed.edits,
        "error_signatures": with_signatures(stored_signatures([fixed.reported]), composed.error_signatures),
    }
    return composed.model_copy(update=update)


class RunErrors:
    """Records the errors that runs fixed, for one connection. Thread-safe."""

    def __init__(self, embedder: Embedder, search: ErrorSearch, profile: Profile) -> None:
        self._embedder = embedder
        self._search = search
        self._profile = profile

    def led_by(self, found: RunFindings) -> Candidates:
        """Return the errors to which calls that worked at once in a run led in others, before a transaction begins."""
        if not found.worked:
            return NO_CANDIDATES
        profile = self._profile
        keys = {trigger_key(each.trigger) for each in found.worked}
        return self._search.led_by(profile.project, profile.visible_user, keys, behind=LATE_CHANGES)

    def store(
        self,
        session: WriteSession,
        prepared: Sequence[PreparedError],
        led_by: Candidates,
        found: RunFindings,
        trace: Trace,
    ) -> bool:
        """Store the errors of a stored run, or note the run with those that are known; false where nothing changed.

        `led_by` is what `led_by` returned. An error that somebody archived or deprecated stays as it is, and is not
        recorded again.
        """
        changed = self._note_worked(session, led_by, found.worked, trace)
        for each in prepared:
            changed |= self.store_one(session, each, trace)
        return changed

    def store_one(self, session: WriteSession, found: PreparedError, trace: Trace) -> bool:
        """Store an error of a stored run, as `store` does.

        One that is in the archive only because a verdict took its fix away has this one.
        """
        known = self._known(session, found.fixed)
        if known is None:
            retired = self._retired(session, found.fixed)
            known = next((each for each in retired if was_not_said_again(session, each)), None)
            if retired and known is None:
                return False
        if known is None:
            save_memory(session, found.memory, self._embedder.identity, found.vector)
            return True
        # The words that correct a run are not in it, so that a known error has no fix from there.
        is_correction = found.fixed.is_correction
        if is_correction and known.status == "archived":
            return False
        fixed = replace(found.fixed, changes=(), said=()) if is_correction else found.fixed
        status = said_again(session, known, trace.created_at)
        session.memories.revise(with_run(known, fixed, trace.id).model_copy(update={"status": status}))
        return True

    def _note_worked(
        self, session: WriteSession, found: Candidates, worked: Sequence[WorkedCall], trace: Trace
    ) -> bool:
        """Note the run with the errors to which the same calls led in earlier runs."""
        if not worked:
            return False
        profile = self._profile
        late = session.memories.changed_since(profile.project, found.as_of, _LATEST, kind="error")
        there = of_kind(session.memories.by_ids([*{*found.memory_ids, *late}]).values(), ErrorMemory)
        noted = [
            memory.model_copy(update={"passed_in": (*memory.passed_in, trace.id)[-MOST_RUNS:]})
            for memory in there
            if profile.sees(memory) and any(each.shows_it_works(memory) for each in worked)
        ]
        for memory in noted:
            session.memories.revise(memory)
        return bool(noted)

    def _known(self, session: ReadSession, fixed: FixedError) -> ErrorMemory | None:
        """The recorded error that is the same, of several the one that was met most often."""
        profile, asked = self._profile, error_signatures(fixed.reported)
        found = self._search.same_error(profile.project, profile.visible_user, fixed.reported)
        # Those that this transaction has written itself, and another process a moment ago, are not found so.
        late = session.memories.changed_since(profile.project, found.as_of, _LATEST, kind="error")
        there = of_kind(session.memories.by_ids([*{*found.memory_ids, *late}]).values(), ErrorMemory)
        known = [each for each in there if each.status in RETRIEVABLE and profile.sees(each) and is_it(asked, each)]
        return max(known, key=lambda memory: (memory.recurrences, memory.created_at, memory.id), default=None)

    def _retired(self, session: ReadSession, fixed: FixedError) -> list[ErrorMemory]:
        asked, profile = error_signatures(fixed.reported), self._profile
        retired = session.memories.find(
            profile.project, user=profile.visible_user, kind="error", statuses=("archived", "deprecated")
        )
        return [memory for memory in of_kind(retired, ErrorMemory) if is_it(asked, memory)]


def is_it(asked: SignatureGroup, memory: ErrorMemory) -> bool:
    """Return true for the memory of the error that these signatures are of."""
    return any(is_same(asked, read_signatures(group)) for group in memory.error_signatures)
