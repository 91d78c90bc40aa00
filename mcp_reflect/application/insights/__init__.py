"""Use cases of insights, which state what many runs have in common."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mcp_reflect.application.connection_context import ConnectionContext
from mcp_reflect.application.guide import find_borne_out, opening_guide
from mcp_reflect.application.insights.save import save_insights
from mcp_reflect.application.ports import ReadSession, ReflectionDialogue, TraceSummary, WriteSession
from mcp_reflect.application.requests import ReflectRequest
from mcp_reflect.domain.guide.composition import ProjectGuide
from mcp_reflect.domain.guide.promotion import promotable
from mcp_reflect.domain.ids import new_id
from mcp_reflect.domain.insights.observations import find_observations
from mcp_reflect.domain.models import (
    RETRIEVABLE,
    Author,
    InsightDraft,
    InsightJob,
    InsightMemory,
    Material,
    Observation,
    Trace,
    of_kind,
)
from mcp_reflect.domain.redaction.stored_text import NOTHING_STORABLE, storable_insights, storable_text
from mcp_reflect.errors import InvalidArgument, UnknownId


@dataclass(frozen=True)
class ProjectContext:
    """The context of a project at the start of a session: what its memories say, recent runs, runs without a review.

    `limit` is the most to show of each.
    """

    limit: int
    guide: ProjectGuide
    insights: list[InsightMemory]
    observations: list[Observation]
    open_reviews: list[TraceSummary]


class Insights:
    """Reads and creates the insights of a project for one connection. Thread-safe.

    `wake` is called after a job was queued.
    """

    def __init__(self, context: ConnectionContext, dialogue: ReflectionDialogue, wake: Callable[[], None]) -> None:
        self._ledger = context.ledger
        self._embedder = context.embedder
        self._profile = context.profile
        self._clock = context.clock
        self._on_saved = context.on_saved
        self._dialogue = dialogue
        self._wake = wake

    # -- reading

    def in_use(self, limit: int) -> list[InsightMemory]:
        """Return at most `limit` insights in use, most important first."""
        with self._ledger.reading() as session:
            return insights_in_use(session, self._profile.project, self._profile.visible_user)[:limit]

    def material(self, focus: str, limit: int) -> Material:
        """Return at most `limit` recent runs above the importance threshold, newest first, with the known insights."""
        rules = self._profile.insights
        project, user = self._profile.project, self._profile.visible_user
        with self._ledger.reading() as session:
            runs = session.traces.recent_runs(project, user, min(limit, rules.recent_capacity))
            known = insights_in_use(session, project, user)[: rules.capacity]
            lessons = lessons_of(session, [trace for trace, _ in runs])
        return Material(
            focus=storable_text(focus).strip(),
            observations=find_observations(runs, self._clock(), rules.importance_threshold, lessons),
            known=tuple(known),
        )

    def context(self, limit: int) -> ProjectContext:
        """Return the project's context, at most `limit` items of each kind."""
        profile = self._profile
        seen = self.material("", profile.insights.recent_capacity).observations
        with self._ledger.reading() as session:
            waiting = session.traces.summaries(
                profile.project, user=profile.visible_user, review_status="pending", limit=limit
            )
            guide = opening_guide(session, profile, limit)
        return ProjectContext(limit, guide, self.in_use(limit), list(seen[:limit]), waiting)

    # -- creating

    def store(self, drafts: Sequence[InsightDraft], author: Author) -> list[InsightMemory]:
        """Merge these insights into the memory and return the stored ones that correspond to them.

        Raises UnknownId for unknown evidence, and InvalidArgument where nothing is left of a text.
        """
        own = storable_insights(drafts)
        if len(own) < len(drafts):
            raise InvalidArgument(
                "insights", f"a text {NOTHING_STORABLE}", "what runs have in common, in your own words"
            )
        sources = self._sources(own)
        job = self._job(author, "", len(own))
        profile = self._profile
        kept = save_insights(
            self._ledger, self._embedder, job, own, sources, profile.insights, profile.initial_q, self._clock()
        )
        self._on_saved(profile.project)
        return kept

    def queue(self, request: ReflectRequest) -> InsightJob:
        """Queue a job in which the configured model writes insights in the background."""
        job = self._job("llm", storable_text(request.focus).strip(), request.limit)
        with self._ledger.writing() as session:
            session.jobs.insights.put(job)
        self._wake()
        return job

    def queue_if_due(self, session: WriteSession) -> bool:
        """Queue a job and return true where the runs since the last job reach `reflect_every`."""
        every = self._profile.insights.reflect_every
        if not self._profile.uses_model or not every:
            return False
        project, user = self._profile.project, self._profile.visible_user
        if session.jobs.insights.count_queued(project, user):
            return False
        last = session.jobs.insights.latest(project, user)
        if session.traces.count_runs(project, user, None if last is None else last.created_at) < every:
            return False
        session.jobs.insights.put(self._job("llm", "", self._profile.insights.recent_capacity))
        return True

    def wake(self) -> None:
        """Wake the worker after the transaction that queued a job was committed."""
        self._wake()

    def question(self, material: Material) -> str:
        """Return the prompt for insights, to be sent to the client's model."""
        return self._dialogue.insights_prompt(material)

    def accept(self, material: Material, answer: str) -> list[InsightMemory]:
        """Store the insights in the client model's answer and return them; empty for an answer without insights."""
        drafts = storable_insights(self._dialogue.insights(answer, material))
        return self.store(drafts, "sampling") if drafts else []

    def _sources(self, drafts: Sequence[InsightDraft]) -> dict[str, TraceSummary]:
        named = list(dict.fromkeys(trace_id for draft in drafts for trace_id in draft.evidence))
        with self._ledger.reading() as session:
            found = {trace_id: session.traces.summary(trace_id) for trace_id in named}
        seen = {i: s for i, s in found.items() if s is not None and self._profile.sees(s) and s.origin == "run"}
        unknown = [trace_id for trace_id in named if trace_id not in seen]
        if unknown:
            raise UnknownId("insights", unknown)
        return seen

    def _job(self, author: Author, focus: str, limit: int) -> InsightJob:
        now = self._clock()
        return InsightJob(
            id=new_id("ins"),
            project=self._profile.project,
            user=self._profile.user,
            own_only=self._profile.scope == "user",
            focus=focus,
            limit=limit,
            author=author,
            state="queued",
            next_attempt_at=now,
            created_at=now,
        )


def lessons_of(session: ReadSession, traces: Sequence[Trace]) -> dict[str, str]:
    """Return what may be promoted of the reflections on these runs by trace id; runs without one are left out."""
    found = {trace.id: session.memories.reflection_of(trace.id) for trace in traces}
    lessons = {trace_id: memory for trace_id, memory in found.items() if memory is not None}
    borne_out = find_borne_out(session, lessons.values())
    told = {i: promotable(memory, borne_out=memory.id in borne_out) for i, memory in lessons.items()}
    return {trace_id: memory.reflection for trace_id, memory in told.items() if memory is not None}


def insights_in_use(session: ReadSession, project: str, user: str | None) -> list[InsightMemory]:
    """Return the insights in use that may be promoted, most important first, then newest."""
    used = session.memories.find(project, user=user, kind="insight", statuses=RETRIEVABLE)
    borne_out = find_borne_out(session, used)
    promoted = [memory for memory in used if promotable(memory, borne_out=memory.id in borne_out) is not None]
    newest_first = sorted(of_kind(promoted, InsightMemory), key=lambda m: (m.created_at, m.id), reverse=True)
    return sorted(newest_first, key=lambda m: -m.importance)
