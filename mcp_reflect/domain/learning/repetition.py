"""Repetition: how much a further review counts that comes from the same source as earlier ones.

A source is a connection on one day, or one wording: the same task, run and words, whoever hands them in. The first
FULL_REVIEWS reviews of a source that move a memory in the same direction count in full, and each further one half as
much as the one before, until the source itself says the opposite. So at the learning rate a a source moves a q_value
at most

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


class Streaks:
    """Counts the events of one memory by source, in the order of the reviews."""

    def __init__(self) -> None:
        self._streaks: dict[str, tuple[bool, int]] = {}

    def halvings(self, event: UtilityEvent) -> int:
        """Count an event; return how often its learning rate is to be halved. Events without a source always count."""
        return self.count(event.sources, passed=event.reward >= PASSED)

    def count(self, sources: Iterable[str], *, passed: bool) -> int:
        """Count an event by its sources and direction; see `halvings`."""
        longest = 0
        for source in sources:
            direction, length = self._streaks.get(source, (passed, 0))
            length = length + 1 if direction == passed else 1
            self._streaks[source] = (passed, length)
            longest = max(longest, length)
        return min(max(0, longest - FULL_REVIEWS), _MOST_HALVINGS)


def halvings_after(earlier: Iterable[UtilityEvent], event: UtilityEvent) -> int:
    """Return the halvings of a memory's newest event; `earlier` are at least its events of the same sources."""
    streaks = Streaks()
    for past in earlier:
        streaks.halvings(past)
    return streaks.halvings(event)
