"""Errors with their fixes out of submitted runs, recorded in the transaction that stores the run.

What a run fixed becomes an error of its own, with the run as its trace. Where the error is known already, the run is
noted as one in which it came back, and its fix counts only where none was known: what somebody recorded stays. A run in
which a call that had led to an error worked at once is noted too: a call is warned of as long as it mostly fails.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from mcp_reflect.application.known_errors.records import compose_error, save_memory, with_derived_fields
from mcp_reflect.application.known_errors.screening import screened_error
from mcp_reflect.application.known_errors.search import ErrorSearch
from mcp_reflect.application.ports import Embedder, ReadSession, WriteSession
from mcp_reflect.application.profile import Profile
from mcp_reflect.application.retrieval.project_tables import LATE_CHANGES
from mcp_reflect.application.review.same_lessons import NO_CANDIDATES, Candidates
from mcp_reflect.domain.error_matching.reflexion_lines import ErrorLine
from mcp_reflect.domain.error_matching.signatures import SignatureGroup, error_signatures, is_same
from mcp_reflect.domain.error_matching.stored_signatures import read_signatures
from mcp_reflect.domain.lessons.fixed_errors import FixedError, find_fixed_errors, last_steps
from mcp_reflect.domain.lessons.steps import Step
from mcp_reflect.domain.lessons.triggers import (
    MOST_TRIGGERS,
    is_same_trigger,
    trigger_key,
    trigger_of,
)
from mcp_reflect.domain.models import RETRIEVABLE, ErrorMemory, Trace, of_kind
from mcp_reflect.domain.provenance.screening import Screening
from mcp_reflect.domain.reflection.embedded_text import embedded_text
from mcp_reflect.domain.trajectory.parsing import parse
from mcp_reflect.domain.trajectory.run import ParsedRun
from mcp_reflect.domain.values import Vector

MOST_RUNS = 100
"""Most runs that are noted of an error that came back, the latest ones."""

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
    """What a run tells of errors: those that it fixed, and the calls that worked at once, by their keys."""

    fixed: Sequence[FoundError] = ()
    worked: Mapping[str, str] = field(default_factory=dict)


def find_run_errors(run: ParsedRun, profile: Profile) -> RunFindings:
    """Return what a redacted run tells of errors, for connections of a profile."""
    steps = last_steps(run.trajectory)
    screening = Screening(run)
    safe = (screened_error(screening, each) for each in find_fixed_errors(steps))
    fixed = [FoundError(each, _composed(profile, each, run.trace)) for each in safe if each is not None]
    return RunFindings(fixed, _worked_at_once(steps))


def _composed(profile: Profile, fixed: FixedError, trace: Trace) -> ErrorMemory:
    line = ErrorLine(
        memory_id="",
        created_at=None,
        task=trace.task,
        mistake=fixed.mistake,
        evidence=(fixed.evidence,),
        rule="",
        fix=fixed.fix,
        tests=(fixed.command,),
        status="active",
        recurrences=0,
        metadata=trace.metadata,
        text="",
    )
    composed = compose_error(line, profile, trace.id, trace.created_at, "extractive")
    return composed.model_copy(update={"triggers": fixed.triggers, "unvouched": fixed.unvouched})


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
        return self._search.led_by(profile.project, profile.visible_user, found.worked, behind=LATE_CHANGES)

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
            known = self._known(session, each.fixed)
            if known is not None:
                session.memories.revise(with_run(known, each.fixed, trace.id))
            elif self._is_retired(session, each.fixed):
                continue
            else:
                save_memory(session, each.memory, self._embedder.identity, each.vector)
            changed = True
        return changed

    def _note_worked(self, session: WriteSession, found: Candidates, worked: Mapping[str, str], trace: Trace) -> bool:
        """Note the run with the errors to which the same calls led in earlier runs."""
        if not worked:
            return False
        profile = self._profile
        late = session.memories.changed_since(profile.project, found.as_of, _LATEST, kind="error")
        there = of_kind(session.memories.by_ids([*{*found.memory_ids, *late}]).values(), ErrorMemory)
        noted = [
            memory.model_copy(update={"passed_in": (*memory.passed_in, trace.id)[-MOST_RUNS:]})
            for memory in there
            if profile.sees(memory) and is_led_by(memory, worked.values())
        ]
        for memory in noted:
            session.memories.revise(memory)
        return bool(noted)

    def _known(self, session: ReadSession, fixed: FixedError) -> ErrorMemory | None:
        """The recorded error that is the same, of several the one that was met most often."""
        profile, asked = self._profile, error_signatures(fixed.evidence)
        found = self._search.same_error(profile.project, profile.visible_user, fixed.evidence)
        # Those that this transaction has written itself, and another process a moment ago, are not found so.
        late = session.memories.changed_since(profile.project, found.as_of, _LATEST, kind="error")
        there = of_kind(session.memories.by_ids([*{*found.memory_ids, *late}]).values(), ErrorMemory)
        known = [each for each in there if each.status in RETRIEVABLE and profile.sees(each) and _is_it(asked, each)]
        return max(known, key=lambda memory: (memory.recurrences, memory.created_at, memory.id), default=None)

    def _is_retired(self, session: ReadSession, fixed: FixedError) -> bool:
        asked, profile = error_signatures(fixed.evidence), self._profile
        retired = session.memories.find(
            profile.project, user=profile.visible_user, kind="error", statuses=("archived", "deprecated")
        )
        return any(_is_it(asked, memory) for memory in of_kind(retired, ErrorMemory))


def _is_it(asked: SignatureGroup, memory: ErrorMemory) -> bool:
    return any(is_same(asked, read_signatures(group)) for group in memory.error_signatures)


def with_run(known: ErrorMemory, fixed: FixedError, trace_id: str) -> ErrorMemory:
    """Return a known error after it came back in a run, with the run's fix where it had none."""
    brings = fixed.fix in fixed.unvouched and not known.correct_action
    return _with_fix(
        known.model_copy(
            update={
                "unvouched": (*known.unvouched, *((fixed.fix,) if brings else ())),
                "recurrences": known.recurrences + 1,
                "seen_in": (*known.seen_in, trace_id)[-MOST_RUNS:],
                "triggers": tuple(dict.fromkeys((*known.triggers, *fixed.triggers)))[-MOST_TRIGGERS:],
            }
        ),
        known.correct_action or fixed.fix,
    )


def without_runs(
    memory: ErrorMemory, traces: Sequence[Trace], read_trace: Callable[[str], Trace | None]
) -> ErrorMemory:
    """Return an error as it is without runs in which it came back, or in which a call that had led to it worked.

    A fix is taken away with the run that brought it, where the error's own trace does not hold it; likewise a trigger
    that no other run holds.
    """
    gone = {trace.id for trace in traces}
    left = tuple(i for i in memory.seen_in if i not in gone)
    source, fix = read_trace(memory.source_trace_id), memory.correct_action
    own = {source.draft.correct_action, *_fixes_of(source)} if source is not None else set()
    brought = fix not in own and any(fix in _fixes_of(trace) for trace in traces)
    others = [source, *map(read_trace, left)]
    lost = {t for trace in traces for t in _triggers_of(trace)} - {t for each in others for t in _triggers_of(each)}
    fewer = memory.model_copy(
        update={
            "seen_in": left,
            "recurrences": max(memory.recurrences - len(memory.seen_in) + len(left), 0),
            "triggers": tuple(trigger for trigger in memory.triggers if trigger not in lost),
            "passed_in": tuple(i for i in memory.passed_in if i not in gone),
        }
    )
    return _with_fix(fewer, "" if brought else fix)


def _with_fix(memory: ErrorMemory, fix: str) -> ErrorMemory:
    return with_derived_fields(memory.model_copy(update={"correct_action": fix}))


def _fixes_of(trace: Trace) -> set[str]:
    return {fixed.fix for fixed in _fixed_in(trace)}


def _triggers_of(trace: Trace | None) -> set[str]:
    return set() if trace is None else {trigger for fixed in _fixed_in(trace) for trigger in fixed.triggers}


def _fixed_in(trace: Trace) -> list[FixedError]:
    return find_fixed_errors(last_steps(parse(trace.trajectory)))


def is_led_by(memory: ErrorMemory, triggers: Iterable[str]) -> bool:
    """Return whether one of these calls led to an error before."""
    return any(is_same_trigger(known, trigger) for trigger in triggers for known in memory.triggers)


def _worked_at_once(steps: Sequence[Step]) -> dict[str, str]:
    """Return the commands and edits that worked where the run made them first, by their keys."""
    first: dict[str, tuple[str, bool]] = {}
    for step in steps:
        if trigger := trigger_of(step):
            first.setdefault(trigger_key(trigger), (trigger, step.failed is False))
    return {key: trigger for key, (trigger, worked) in first.items() if worked}
