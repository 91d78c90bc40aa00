"""A process that prepares long runs, and floods of shorter ones, so that this one stays free for its clients."""

from __future__ import annotations

import logging
import threading
from types import ModuleType
from typing import TYPE_CHECKING, Any

from mcp_reflect.application.review.preparation_budget import PreparationBudget
from mcp_reflect.bootstrap.answering_process import AnsweringProcess, NoAnswerInTime, ProcessEnded
from mcp_reflect.errors import InvalidArgument, MemoryUnavailable

if TYPE_CHECKING:  # imported when a first run is prepared
    from mcp_reflect.application.intake.prepared_run import PreparedRun, RunToPrepare
    from mcp_reflect.application.review.prepared_review import PreparedReview, ReviewToPrepare

log = logging.getLogger(__name__)

IDLE_S = 20.0
"""Seconds without a run after which the process is ended; it holds several times the memory of its largest run."""

ANSWER_S = 120.0
"""Seconds that one run may take: the largest takes 3 s on a quiet machine, 10 s on a busy one."""

_ATTEMPTS = 2


class PreparationProcess:
    """Prepares one run after the other in a process that is started for the first of them. Thread-safe.

    Where no process can be started, this one does the work.
    """

    def __init__(self, idle_s: float = IDLE_S, answer_s: float = ANSWER_S) -> None:
        self._idle_s = idle_s
        self._answer_s = answer_s
        self._process: AnsweringProcess | None = None
        self._ending: threading.Timer | None = None
        self._lock = threading.Lock()
        self._budget = PreparationBudget()

    @property
    def pid(self) -> int | None:
        """Return the process's id; None while there is none."""
        process = self._process
        return None if process is None else process.pid

    def takes(self, chars: int) -> bool:
        """Return true where a run of so many characters should be prepared here because many of them came lately."""
        return not self._budget.allows(chars)

    def prepare(self, run: RunToPrepare) -> PreparedRun:
        """Return a run prepared. Raises UsageError where it would be refused.

        Raises MemoryUnavailable where the process ends before it answers, and the one after it, too; and where it takes
        longer than `answer_s`: this process would take as long, and its clients would wait.
        """
        prepared: PreparedRun | None = self._asked(run)
        return _here().prepare(run) if prepared is None else prepared

    def prepare_review(self, review: ReviewToPrepare) -> PreparedReview:
        """Return a review of a stored run prepared. Raises MemoryUnavailable as `prepare` does."""
        prepared: PreparedReview | None = self._asked(review)
        return _here().prepare_review(review) if prepared is None else prepared

    def close(self) -> None:
        """End the process."""
        with self._lock:
            if self._ending is not None:
                self._ending.cancel()
            self._end()

    def _asked(self, request: RunToPrepare | ReviewToPrepare) -> Any:
        """Return what the process answers; None where none can be started."""
        with self._lock:
            if self._ending is not None:
                self._ending.cancel()
            try:
                return self._answer_to(request)
            finally:
                self._ending = threading.Timer(self._idle_s, self._end_if_idle)
                self._ending.daemon = True
                self._ending.start()

    def _answer_to(self, request: RunToPrepare | ReviewToPrepare) -> Any:
        for _ in range(_ATTEMPTS):
            if self._process is None:
                try:
                    self._process = _start()
                except OSError as error:
                    log.warning("no process can be started for a long run: %s", error)
                    return None
            try:
                answer = self._process.ask(request, self._answer_s)
            except NoAnswerInTime as error:
                self._end()
                raise MemoryUnavailable(
                    f"the process that prepares long runs gave no answer in {self._answer_s:g} s, and was ended. "
                    "Nothing was stored. Submit it again when the machine is less busy, or hand in a shorter trajectory"
                ) from error
            except ProcessEnded:
                log.warning("the process that prepares long runs ended")
                self._end()
                continue
            if isinstance(answer, tuple):
                raise InvalidArgument(*answer)
            return answer
        raise MemoryUnavailable(
            "the process that prepares long runs ended twice, perhaps for want of memory (see the hub's log). "
            "Nothing was stored"
        )

    def _end_if_idle(self) -> None:
        with self._lock:
            if self._ending is threading.current_thread():  # no run came while this waited
                self._end()

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.end()


def _start() -> AnsweringProcess:
    return AnsweringProcess("mcp_reflect.bootstrap.run_preparation", "serve_preparation")


def _here() -> ModuleType:
    from mcp_reflect.bootstrap import run_preparation  # noqa: PLC0415 - no other start waits for it

    return run_preparation
