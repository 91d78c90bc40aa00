"""Stores the runs of sessions, project by project."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from mcp_reflect.application.intake.prepared_run import PreparedRun
from mcp_reflect.application.memory_service import MemoryService
from mcp_reflect.bootstrap.memory import build_memory
from mcp_reflect.bootstrap.store import Store
from mcp_reflect.cli.learn.progress_file import LearnedFiles
from mcp_reflect.cli.learn.reader_pool import ReaderPool
from mcp_reflect.cli.learn.session_reader import ReadingRequest
from mcp_reflect.cli.learn.survey import Survey
from mcp_reflect.errors import UsageError
from mcp_reflect.hooks.past_sessions import PastSession, Unreadable


@dataclass
class Learned:
    """Counts of runs stored anew, of these the passed and failed, and of lessons; `refused` runs were not taken."""

    runs: int = 0
    passed: int = 0
    failed: int = 0
    memories: int = 0
    refused: int = 0
    passed_over: list[Unreadable] = field(default_factory=list)


def learn_sessions(
    store: Store, survey: Survey, learned: LearnedFiles, on_session: Callable[[], None], pool: ReaderPool
) -> Learned:
    """Store the runs of all sessions of a survey; `on_session` is called after each. Raises LedgerError and OSError."""
    done = Learned()
    for project, sessions in survey.wanted.items():
        with build_memory(survey.settings[project], store) as memory:
            before = memory.counts()
            _ProjectIntake(memory, learned, on_session, done, survey.since).learn(pool, sessions)
            after = memory.counts()
        done.runs += after.traces - before.traces
        done.passed += after.passes - before.passes
        done.failed += after.fails - before.fails
        done.memories += sum(after.memories.values()) - sum(before.memories.values())
    return done


class _ProjectIntake:
    """The sessions of one project on their way into its memory."""

    def __init__(
        self,
        memory: MemoryService,
        learned: LearnedFiles,
        on_session: Callable[[], None],
        done: Learned,
        since: float,
    ) -> None:
        self._memory = memory
        self._learned = learned
        self._on_session = on_session
        self._done = done
        self._since = since
        self._waiting: deque[PastSession | None] = deque()
        """Per run on its way None, and behind the last run of a session the session."""
        self._partly_read: set[PastSession] = set()

    def learn(self, pool: ReaderPool, sessions: list[PastSession]) -> None:
        for result in self._memory.submit_all(self._runs(pool, sessions)):
            self._done.refused += isinstance(result, UsageError)
            self._settle()
            self._waiting.popleft()
            self._settle()
        self._settle()

    def _runs(self, pool: ReaderPool, sessions: list[PastSession]) -> Iterator[PreparedRun]:
        requests = (ReadingRequest(session, self._memory.profile, self._since) for session in sessions)
        for (session, _, _), found in pool.read(requests):
            if found.error is not None:
                self._done.passed_over.append(Unreadable.by(found.error, session.client, session.path))
                self._on_session()
                continue
            if found.left_out:
                self._partly_read.add(session)
            self._done.refused += found.refused
            for run in found.runs:
                self._waiting.append(None)
                yield run
            self._waiting.append(session)

    def _settle(self) -> None:
        """Note the sessions of which every run is stored."""
        while self._waiting and (session := self._waiting[0]) is not None:
            self._waiting.popleft()
            if session not in self._partly_read:
                self._learned.add(session)
            self._on_session()
