"""Repetition: how much a further review counts that comes from the same source as earlier ones.

A source is a connection on one day, or one wording: the same task, run and words, whoever hands them in. The first
FULL_REVIEWS reviews of a source that move a memory in the same direction count in full, and each further one half as
much as the one before, until the source itself says the opposite as firmly: its contrary reviews must have learning
rates that come to the largest one of those before. What moves nothing, or next to nothing, begins nothing anew. So at
the learning rate a a source moves a q_value at most

    1 - (1 - a)^FULL_REVIEWS * (1 - a/2) (1 - a/4) (1 - a/8) ...

of the way to 0 or 1, however often it reviews: 91% of the way at a = 0.3, from 0.5 to 0.96. A source that now and then
says the opposite gets to 0.98 at most.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from datetime import UTC, datetime

from mcp_reflect.domain.learning.task_identity import words_of
from mcp_reflect.domain.models import ReflectionDraft, Trace, UtilityEvent

FULL_REVIEWS = 6
"""Agents rarely do more runs in one session that follow the same memory, so that ordinary reviews count in full."""

PASSED = 0.5
"""Least reward of an event that counts as a pass."""

_MOST_HALVINGS = 50
"""At this weight a review moves nothing that a float holds; a power of 2 up to here divides without rounding."""
_BYTES = 6


def review_sources(
    connection: str, at: datetime, trace: Trace, feedback: str, draft: ReflectionDraft
) -> tuple[str, ...]:
    """Return digests of the sources of a review: who gives it on which day, and what it says of which run.

    `draft` and `feedback` came with the review.
    """
    said = " ".join(words_of(str(each)) for each in (trace.task, feedback, *draft.model_dump(mode="json").values()))
    day = at.astimezone(UTC).date().isoformat()
    return (
        _digest(trace.project, connection, day),
        _digest(trace.project, said, trace.trajectory, trace.final_response),
    )


def _digest(*texts: str) -> str:
    digest = hashlib.blake2b(digest_size=_BYTES)
    for text in texts:
        digest.update(text.encode("utf-8", "surrogatepass") + b"\0")
    return digest.hexdigest()


class _Streak:
    """The reviews of one source in one direction, and what it has said against them since.

    Learning rates are those that the reviews moved a memory with, halved where they were.
    """

    def __init__(self, passed: bool) -> None:
        self._passed = passed
        self._length = 0
        self._rate = 0.0
        self._contrary_length = 0
        self._contrary_rate = 0.0

    def length_of(self, *, passed: bool) -> int:
        return self._length if passed == self._passed else self._contrary_length

    def lengthen(self, *, passed: bool) -> None:
        if passed == self._passed:
            self._length += 1
        else:
            self._contrary_length += 1

    def weigh(self, *, passed: bool, alpha: float) -> None:
        """Take in the learning rate of the last review; the contrary ones begin a streak once they weigh as much."""
        if passed == self._passed:
            self._rate = max(self._rate, alpha)
            return
        self._contrary_rate += alpha
        if alpha > 0.0 and self._contrary_rate >= self._rate:
            self._passed, self._length, self._rate = passed, 1, alpha
            self._contrary_length, self._contrary_rate = 0, 0.0


class Streaks:
    """Counts the events of one memory by source, in the order of the reviews."""

    def __init__(self) -> None:
        self._streaks: dict[str, _Streak] = {}

    def halvings(self, event: UtilityEvent) -> int:
        """Count an event; return how often its learning rate is to be halved. Events without a source always count."""
        given = event.alpha * 2.0**event.halvings
        return self.count(event.sources, passed=event.reward >= PASSED, alpha=given)

    def count(self, sources: Iterable[str], *, passed: bool, alpha: float) -> int:
        """Count an event by its sources, its direction and the learning rate it was given with; see `halvings`."""
        streaks = [self._streaks.setdefault(source, _Streak(passed)) for source in sources]
        for streak in streaks:
            streak.lengthen(passed=passed)
        longest = max((streak.length_of(passed=passed) for streak in streaks), default=0)
        halvings = min(max(0, longest - FULL_REVIEWS), _MOST_HALVINGS)
        for streak in streaks:
            streak.weigh(passed=passed, alpha=alpha / 2.0**halvings)
        return halvings


def halvings_after(earlier: Iterable[UtilityEvent], event: UtilityEvent) -> int:
    """Return the halvings of a memory's newest event; `earlier` are at least its events of the same sources."""
    streaks = Streaks()
    for past in earlier:
        streaks.halvings(past)
    return streaks.halvings(event)
