"""Submissions whose client gave up before the answer: the same one again gets that answer, and is not stored twice."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from anyio.lowlevel import checkpoint_if_cancelled

from mcp_reflect.application.requests import Submission
from mcp_reflect.application.review.review_outcome import ReviewOutcome
from mcp_reflect.server.workers import waiting

MOST_REMEMBERED = 1_000


@dataclass
class SubmissionAttempt:
    """One submission on its way; `trace_id` is empty until it is stored."""

    trace_id: str = ""
    ended: threading.Event = field(default_factory=threading.Event)

    def noting(self, write: Callable[[], ReviewOutcome]) -> Callable[[], ReviewOutcome]:
        """Return `write` so that the attempt knows what it stored, also where nobody waits for it any more."""

        def written() -> ReviewOutcome:
            outcome = write()
            self.trace_id = outcome.trace_id
            return outcome

        return written


class UnansweredSubmissions:
    """Submissions that were not answered, by connection and content; the oldest are forgotten first."""

    def __init__(self) -> None:
        self._attempts: dict[str, SubmissionAttempt] = {}

    @asynccontextmanager
    async def attempt(self, connection: str, submission: Submission) -> AsyncIterator[SubmissionAttempt]:
        """Yield an attempt at a submission: an earlier one that stored it without an answer, or a new one.

        Waits for the same submission where it is still under way. A block that ends by a return has answered.
        """
        key = _fingerprint(connection, submission)
        while (earlier := self._attempts.get(key)) is not None and not earlier.ended.is_set():
            await waiting(earlier.ended.wait)
        attempt = earlier if earlier is not None and earlier.trace_id else SubmissionAttempt()
        attempt.ended.clear()
        self._attempts.pop(key, None)
        self._attempts[key] = attempt
        while len(self._attempts) > MOST_REMEMBERED:
            del self._attempts[next(iter(self._attempts))]
        try:
            yield attempt
            await checkpoint_if_cancelled()  # a thread that goes on to its end holds the news back
        except Exception:  # an error is an answer; cancellation is none
            self._attempts.pop(key, None)
            raise
        else:
            self._attempts.pop(key, None)
        finally:
            attempt.ended.set()


def _fingerprint(connection: str, submission: Submission) -> str:
    # The trajectory by itself: as JSON, a long one would take the event loop ten times as long.
    found = hashlib.sha256(submission.trajectory.encode())
    rest = submission.model_copy(update={"trajectory": ""})
    found.update(f"\0{connection}\0{rest.model_dump_json()}".encode())
    return found.hexdigest()
