"""Finds the best memories of a project: one table per project, kept fresh from the ledger."""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mcp_reflect.application.index_sync import Indexer
from mcp_reflect.application.ports import Embedder, Ledger, VectorIndex
from mcp_reflect.domain.error_matching.error_index import ErrorIndex, KnownMatch, nearest_errors
from mcp_reflect.domain.error_matching.keywords import SAME, folded, keyword_sets, keywords
from mcp_reflect.domain.learning.task_identity import task_key
from mcp_reflect.domain.models import Scalar
from mcp_reflect.domain.ranking.candidate_generation import two_stage_top_k
from mcp_reflect.domain.ranking.columns import similarities
from mcp_reflect.domain.ranking.feature_table import FeatureTable
from mcp_reflect.domain.ranking.scoring import Query
from mcp_reflect.domain.ranking.threshold_algorithm import threshold_top_k
from mcp_reflect.domain.ranking.top_k import Ranked, mmr, pool_size
from mcp_reflect.domain.text.condensation import focused, spoken
from mcp_reflect.domain.text.terms import terms
from mcp_reflect.domain.values import Rows
from mcp_reflect.errors import IndexFailure

log = logging.getLogger(__name__)

LOOKED_AT = 100_000
"""In larger banks the index is asked, where it can answer: a look at every row takes longer then."""

_NEAREST = 256
"""Least number of neighbours asked of the index; twice what a pool of the default size needs, see TRUSTED."""

_FRESH_LIMIT = 5_000
"""With more rows than this still unknown to the index, comparing all of them is the better plan."""


@dataclass(frozen=True)
class RetrievalSpec:
    """A retrieval with every default filled in; `hybrid`: words count beside meaning."""

    task: str
    limit: int
    lambda_: float
    mmr_lambda: float
    threshold: float
    metadata_filter: Mapping[str, Scalar]
    recency_weight: float
    now: int
    """In microseconds since the epoch."""
    hybrid: bool = False
    optimism: float = 0.0


@dataclass(frozen=True)
class Hit:
    memory_id: str
    similarity: float
    relevance: float
    score: float


@dataclass(frozen=True)
class Found:
    """Hits, best first, by what the ledger held after change `as_of`."""

    hits: list[Hit]
    as_of: int


class _Guarded:
    """A bank and the known errors, with the lock that keeps readers and refreshing apart."""

    def __init__(self, dimension: int) -> None:
        self.bank = FeatureTable(dimension)
        self.errors = ErrorIndex()
        self.lock = threading.Lock()
        self._records: tuple[int, Rows, npt.NDArray[np.bool_]] = (-1, np.zeros(0, np.int64), np.zeros(0, np.bool_))

    def records(self) -> tuple[Rows, npt.NDArray[np.bool_]]:
        """Rows of the bank that hold recorded errors, and whether each is solved."""
        if self._records[0] != self.bank.seq:
            ids = self.errors.records()
            held = [i for i in ids if len(self.bank.rows_of([i]))]
            solved = np.array([self.errors.known[i].solved for i in held], dtype=np.bool_)
            self._records = (self.bank.seq, self.bank.rows_of(held), solved)
        return self._records[1:]


class Retriever:
    """Thread-safe. `search` embeds, catches up with the ledger, ranks and diversifies."""

    def __init__(self, ledger: Ledger, index: VectorIndex, indexer: Indexer, embedder: Embedder) -> None:
        self._ledger = ledger
        self._index = index
        self._indexer = indexer
        self._embedder = embedder
        self._banks: dict[str, _Guarded] = {}
        self._opening = threading.Lock()

    def search(self, project: str, user: str | None, wanted: RetrievalSpec, *, ask: bool = True) -> Found:
        """At most `wanted.limit` hits among the memories of `user` (of all users where None).

        Without `ask` by what this process knows of the ledger, which others may have written since.
        """
        question, words = focused(wanted.task), terms(spoken(wanted.task)) if wanted.hybrid else None
        vector = self._embedder.embed([question])[0]
        query = Query(
            vector,
            wanted.lambda_,
            wanted.threshold,
            wanted.recency_weight,
            wanted.now,
            words,
            wanted.optimism,
            task_key(wanted.task),
        )
        guarded = self._guarded(project, len(vector))
        with guarded.lock:
            bank = guarded.bank
            self._catch_up(project, guarded, ask=ask)
            rows = bank.matching(wanted.metadata_filter, user)
            k = pool_size(wanted.limit, wanted.mmr_lambda)
            # The lists by q_value and by cosine know nothing of ages, words and counts; for those all is compared.
            by_list = not (wanted.recency_weight or wanted.hybrid or wanted.optimism)
            if rows is None and len(bank) > LOOKED_AT and by_list:
                ranked = self._by_index(project, bank, query, k)
            else:
                ranked = two_stage_top_k(bank, query, k, rows)
            ranked = mmr(bank, ranked, wanted.limit, wanted.mmr_lambda)
            ids, as_of = [bank.ids[row] for row in ranked.rows], bank.seq
        figures = (ranked.similarity.tolist(), ranked.relevance.tolist(), ranked.score.tolist())
        return Found([Hit(*found) for found in zip(ids, *figures, strict=True)], as_of)

    def touch(self, project: str, ids: Sequence[str], now: int) -> None:
        """These memories are being shown, as the ledger was told: its feed of changes does not bring it, since a use
        is no change of a memory. `now` is in microseconds since the epoch.
        """
        guarded = self._guarded(project, self._embedder.dimension)
        with guarded.lock:
            guarded.bank.touch(guarded.bank.rows_of(ids), now)

    def known_errors(
        self, project: str, user: str | None, error: str, threshold: float, limit: int, now: int
    ) -> list[KnownMatch]:
        """What is known of an error, best first: by keywords, and by meaning where the cosine reaches `threshold`.

        `now` is in microseconds since the epoch.
        """
        vector = self._embedder.embed([folded(error) or error])[0]
        wanted = keyword_sets([error])
        guarded = self._guarded(project, len(vector))
        with guarded.lock:
            bank = guarded.bank
            self._catch_up(project, guarded)
            overlaps = guarded.errors.overlaps(wanted)
            rows, solved = guarded.records()
            if user is not None:
                own = bank.matching({}, user)
                assert own is not None
                mine = np.isin(rows, own)
                rows, solved = rows[mine], solved[mine]
            rough = bank.vectors[rows] @ vector
            best = nearest_errors(solved, rough, threshold, limit)
            # What matches by keywords is wanted with its cosine too, however far down the list by meaning it is.
            rows = np.union1d(rows[best], np.intersect1d(rows, bank.rows_of(overlaps)))
            cosines = similarities(bank, rows, vector).tolist()
            near = {bank.ids[row]: cosine for row, cosine in zip(rows, cosines, strict=True) if cosine >= threshold}
            ranked = guarded.errors.ranked(overlaps, near, user, limit)
            bank.touch(bank.rows_of(match.memory_id for match in ranked), now)
            return ranked

    def same_mistake(self, project: str, user: str | None, mistake: str) -> list[str]:
        """Ids of recorded errors of which one headline says the same as `mistake` (see `error_match.SAME`)."""
        words = keywords(mistake)
        guarded = self._guarded(project, self._embedder.dimension)
        with guarded.lock:
            self._catch_up(project, guarded)
            index = guarded.errors
            # A mistake without keywords (bare numbers) is compared with all, word for word.
            found = {i for i, overlap in index.overlaps([words]).items() if overlap >= SAME} if words else index.known
            return [i for i in index.records() if i in found and user in {None, index.known[i].user}]

    def reload(self, project: str) -> None:
        """Read the project anew from the ledger with the next search: the feed of changes tells of no deletion."""
        with self._opening:
            self._banks.pop(project, None)

    def _catch_up(self, project: str, guarded: _Guarded, *, ask: bool = True) -> None:
        known = guarded.bank.seq
        if not ask and self._ledger.known_seq == known:
            return
        with self._ledger.reading() as session:
            if ask and session.feed.latest_seq() == known:
                return
            changes = session.feed.changes(project, self._embedder.identity, known)
        guarded.bank.apply(changes)
        guarded.errors.apply(changes)

    def _by_index(self, project: str, bank: FeatureTable, query: Query, k: int) -> Ranked:
        fresh = np.flatnonzero((bank.seqs > self._indexer.position(project)) & bank.alive)
        if len(fresh) > _FRESH_LIMIT:
            return two_stage_top_k(bank, query, k)
        asked = max(_NEAREST, 4 * k)
        try:
            nearest = self._index.nearest(project, self._embedder.identity, query.vector, asked)
        except IndexFailure as error:
            log.warning("%s; every row is compared instead", error)
            return two_stage_top_k(bank, query, k)
        return threshold_top_k(bank, query, k, bank.rows_of(nearest), len(nearest) < asked, fresh)

    def _guarded(self, project: str, dimension: int) -> _Guarded:
        with self._opening:
            if project not in self._banks:
                self._banks[project] = _Guarded(dimension)
            return self._banks[project]
