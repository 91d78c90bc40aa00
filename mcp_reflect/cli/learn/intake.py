"""Reads sessions and stores their runs, project by project."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from mcp_reflect.application.memory_service import MemoryService
from mcp_reflect.application.requests import NO_RETRIEVAL, Submission, make_request
from mcp_reflect.bootstrap import Store, build_memory
from mcp_reflect.cli.learn.progress_file import LearnedFiles
from mcp_reflect.cli.learn.survey import Survey
from mcp_reflect.errors import UsageError
from mcp_reflect.hooks.past_sessions import PastSession, Unreadable, read_past_runs


@dataclass
class Learned:
    """What came of it: runs stored anew, how many of these passed and failed, lessons; `refused` were not taken."""

    runs: int = 0
    passed: int = 0
    failed: int = 0
    memories: int = 0
    refused: int = 0
    passed_over: list[Unreadable] = field(default_factory=list)


def learn_sessions(store: Store, survey: Survey, learned: LearnedFiles, on_session: Callable[[], None]) -> Learned:
    """Store the runs of all sessions of a survey; `on_session` is called after each. Raises LedgerError and OSError."""
    done = Learned()
    for project, sessions in survey.wanted.items():
        with build_memory(survey.settings[project], store) as memory:
            before = memory.counts()
            _learn_project(memory, sessions, learned, on_session, done)
            after = memory.counts()
        done.runs += after.traces - before.traces
        done.passed += after.passes - before.passes
        done.failed += after.fails - before.fails
        done.memories += sum(after.memories.values()) - sum(before.memories.values())
    return done


def _learn_project(
    memory: MemoryService,
    sessions: list[PastSession],
    learned: LearnedFiles,
    on_session: Callable[[], None],
    done: Learned,
) -> None:
    waiting: deque[PastSession | None] = deque()
    """Per run on its way None, and behind the last run of a session the session."""

    def settle() -> None:
        while waiting and (session := waiting[0]) is not None:
            waiting.popleft()
            learned.add(session)
            on_session()

    def submissions() -> Iterator[Submission]:
        for session in sessions:
            try:
                for arguments in read_past_runs(session):
                    submission = _submission(arguments)
                    if submission is None:
                        done.refused += 1
                        continue
                    waiting.append(None)
                    yield submission
            except OSError as error:
                done.passed_over.append(Unreadable(session.client, session.path, f"cannot be read ({error.strerror})"))
                on_session()
                continue
            waiting.append(session)

    for result in memory.submit_all(submissions()):
        done.refused += isinstance(result, UsageError)
        settle()
        waiting.popleft()
        settle()
    settle()


def _submission(arguments: dict[str, object]) -> Submission | None:
    """The request of a run; None where a tool would refuse it, as for a prompt of white space."""
    try:
        return make_request(Submission, **arguments, retrieval_id=NO_RETRIEVAL)
    except UsageError:
        return None
