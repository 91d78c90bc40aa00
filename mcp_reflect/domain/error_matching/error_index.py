"""An inverted index of a project's known errors by their keywords, kept up to date by the ledger's change feed.

One row is one headline of one memory (`error_matching/keywords.py`); a query counts the shared keywords of each row.
Beside the rows stand the signatures of each memory, by their openings, which tell the same error from a similar one,
and the calls that led to it, by their keys.
Like the feature table it appends rows or marks them dead, and removes dead rows when they are a quarter.
"""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mcp_reflect.domain.changes import Changes, MemoryChange
from mcp_reflect.domain.error_matching.keywords import MATCH_OVERLAP, Keywords
from mcp_reflect.domain.error_matching.signatures import SignatureGroup, is_same
from mcp_reflect.domain.error_matching.stored_signatures import read_signatures
from mcp_reflect.domain.values import Rows, Vector
from mcp_reflect.domain.vectors import FLOAT32_ERROR

_SPARE = 256


@dataclass
class KnownError:
    """A memory that can be found by its errors; `created` is in microseconds since the epoch."""

    memory_id: str
    user: str
    is_recorded: bool
    """True for a recorded error: only these are embedded by what went wrong."""
    solved: bool
    q_value: float
    created: int
    rows: tuple[int, ...] = ()
    signatures: tuple[SignatureGroup, ...] = ()
    trigger_keys: frozenset[str] = frozenset()

    @property
    def openings(self) -> set[str]:
        """The openings of its signatures."""
        return {signature.opening for group in self.signatures for signature in group}


@dataclass(frozen=True)
class ErrorMatch:
    """`match` in [0, 1]: the better of keyword overlap and cosine, to the hundredth; 1 for the same error."""

    memory_id: str
    match: float
    overlap: float
    similarity: float
    same: bool = False
    """True where it is the same error (`error_matching/signatures.py`), false where it is a similar one."""


def round_match(match: float) -> float:
    """Return a match to the hundredth: within a hundredth two matches are equal, and the q_value decides."""
    return float(np.round(match, 2))


def nearest_errors(solved: npt.NDArray[np.bool_], cosines: Vector, threshold: float, limit: int) -> Rows:
    """Return the positions of errors that may be among the `limit` best by cosine, solved ones first.

    `cosines` are in float32; an error within their precision of the threshold is kept.
    """
    near = np.flatnonzero(cosines >= threshold - FLOAT32_ERROR)
    if len(near) <= limit:
        return near
    rank = cosines[near] + 2.0 * solved[near]  # no cosine is greater than 1
    kth = np.partition(rank, len(rank) - limit)[len(rank) - limit]
    # A match more than a hundredth below the last of the best cannot be equal to it after rounding.
    contenders: Rows = near[rank >= kth - 0.01 - 2 * FLOAT32_ERROR]
    return contenders


class ErrorIndex:
    """Known errors by keyword, and `known` by memory id.

    Not thread-safe: the owner holds a lock around `apply` and around reading.
    """

    def __init__(self) -> None:
        self.known: dict[str, KnownError] = {}
        self._by_opening: dict[str, set[str]] = {}
        self._by_trigger: dict[str, set[str]] = {}
        self._clear()

    def _clear(self) -> None:
        self._owner: list[str] = []
        self._sizes = array("q")
        self._postings: dict[str, array[int]] = {}
        self._dead = 0

    def apply(self, changes: Changes) -> None:
        """Apply changes that the ledger committed."""
        for change in changes.memories:
            self._remove(change.memory_id)
            if change.retrievable and (change.kind == "error" or change.error_keywords):
                self._add(change)
        for utility in changes.utilities:
            error = self.known.get(utility.memory_id)
            if error is not None:
                error.q_value = utility.q_value
        if self._dead > max(_SPARE, len(self._owner) // 4):
            self._compact()

    def overlaps(self, wanted: Iterable[Keywords]) -> dict[str, float]:
        """Return the best overlap, above MATCH_OVERLAP, of each memory with one of the keyword sets, by memory id."""
        sizes = np.frombuffer(self._sizes, dtype=np.int64) if self._sizes else np.zeros(0, dtype=np.int64)
        best: dict[str, float] = {}
        for words in wanted:
            posted = [self._postings[word] for word in words if word in self._postings]
            if not posted:
                continue
            rows = np.concatenate([np.frombuffer(each, dtype=np.int64) for each in posted])
            shared = np.bincount(rows, minlength=len(sizes))
            overlap = shared / (len(words) + sizes - shared)
            for row in np.flatnonzero(overlap > MATCH_OVERLAP).tolist():
                memory_id = self._owner[row]
                if memory_id:
                    best[memory_id] = max(best.get(memory_id, 0.0), float(overlap[row]))
        return best

    def same(self, asked: SignatureGroup) -> set[str]:
        """Return the ids of the memories that know the same error."""
        candidates = {memory_id for each in asked for memory_id in self._by_opening.get(each.opening, ())}
        return {i for i in candidates if any(is_same(asked, group) for group in self.known[i].signatures)}

    def led_by(self, keys: Iterable[str], user: str | None) -> list[str]:
        """Return the ids of the errors of `user` (of everyone where None) to which calls with these keys led."""
        found = {memory_id for key in keys for memory_id in self._by_trigger.get(key, ())}
        return [i for i in sorted(found) if user in {None, self.known[i].user}]

    def rank(
        self,
        overlaps: dict[str, float],
        similarities: dict[str, float],
        same: Collection[str],
        user: str | None,
        limit: int,
    ) -> list[ErrorMatch]:
        """Return the `limit` best matches among the errors of `user` (of everyone where None).

        Solved errors come before unsolved ones, then the same error before similar ones, then by match, q_value and age
        (newer first). `same` holds the ids of the memories that know the same error.
        """
        found: list[tuple[KnownError, ErrorMatch]] = []
        for memory_id in {*overlaps, *similarities, *same}:
            error = self.known.get(memory_id)
            if error is None or user not in {None, error.user}:
                continue
            overlap, similarity = overlaps.get(memory_id, 0.0), similarities.get(memory_id, 0.0)
            is_it = memory_id in same
            match = 1.0 if is_it else round_match(max(overlap, similarity))
            found.append((error, ErrorMatch(memory_id, match, overlap, similarity, is_it)))
        found.sort(
            key=lambda pair: (
                not pair[0].solved,
                not pair[1].same,
                -pair[1].match,
                -pair[0].q_value,
                -pair[0].created,
                pair[0].memory_id,
            )
        )
        return [match for _, match in found[:limit]]

    def recorded_ids(self) -> Sequence[str]:
        """Return the ids of the memories that were recorded as errors."""
        return [error.memory_id for error in self.known.values() if error.is_recorded]

    def _add(self, change: MemoryChange) -> None:
        rows = tuple(self._append(change.memory_id, text.split()) for text in change.error_keywords)
        self.known[change.memory_id] = KnownError(
            memory_id=change.memory_id,
            user=change.user,
            is_recorded=change.kind == "error",
            solved=change.solved,
            q_value=change.q_value,
            created=change.created,
            rows=rows,
            signatures=tuple(map(read_signatures, change.error_signatures)),
            trigger_keys=frozenset(change.trigger_keys),
        )
        for opening in self.known[change.memory_id].openings:
            self._by_opening.setdefault(opening, set()).add(change.memory_id)
        for key in self.known[change.memory_id].trigger_keys:
            self._by_trigger.setdefault(key, set()).add(change.memory_id)

    def _append(self, memory_id: str, words: Sequence[str]) -> int:
        row = len(self._owner)
        self._owner.append(memory_id)
        self._sizes.append(len(words))
        for word in words:
            self._postings.setdefault(word, array("q")).append(row)
        return row

    def _remove(self, memory_id: str) -> None:
        error = self.known.pop(memory_id, None)
        if error is not None:
            for row in error.rows:
                self._owner[row] = ""
            self._dead += len(error.rows)
            _take_out(self._by_opening, error.openings, memory_id)
            _take_out(self._by_trigger, error.trigger_keys, memory_id)

    def _compact(self) -> None:
        words: dict[int, list[str]] = {}
        for word, rows in self._postings.items():
            for row in rows:
                words.setdefault(row, []).append(word)
        self._clear()
        for error in self.known.values():
            error.rows = tuple(self._append(error.memory_id, words[row]) for row in error.rows)


def _take_out(index: dict[str, set[str]], keys: Iterable[str], memory_id: str) -> None:
    for key in keys:
        index[key].discard(memory_id)
        if not index[key]:
            del index[key]
