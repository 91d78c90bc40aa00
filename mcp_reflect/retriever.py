"""Finds the best memories of a project: one table per project, kept fresh from the ledger."""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from mcp_reflect.core.bank import Bank
from mcp_reflect.core.ranking import Query, Ranked, mmr, pool_size, top_k
from mcp_reflect.core.threshold_algorithm import threshold_top_k
from mcp_reflect.errors import IndexFailure
from mcp_reflect.indexer import Indexer
from mcp_reflect.models import Scalar
from mcp_reflect.ports import Embedder, Ledger, VectorIndex

log = logging.getLogger(__name__)

SCAN_LIMIT = 50_000
"""Up to here every row is compared: exact whatever the index holds, and faster than asking it (2 ms against 4 ms;
they meet near 100,000 rows of 384 dimensions)."""

_NEAREST = 256
"""Least number of neighbours asked of the index; twice what a pool of the default size needs, see TRUSTED."""

_FRESH_LIMIT = 5_000
"""With more rows than this still unknown to the index, comparing all of them is the better plan."""


@dataclass(frozen=True)
class Wanted:
    """A retrieval with every default filled in."""

    task: str
    limit: int
    lambda_: float
    mmr_lambda: float
    threshold: float
    metadata_filter: Mapping[str, Scalar]


@dataclass(frozen=True)
class Hit:
    memory_id: str
    similarity: float
    score: float


class _Guarded:
    """A bank with the lock that keeps readers and refreshing apart."""

    def __init__(self, dimension: int) -> None:
        self.bank = Bank(dimension)
        self.lock = threading.Lock()


class Retriever:
    """Thread-safe. `search` embeds, catches up with the ledger, ranks and diversifies."""

    def __init__(self, ledger: Ledger, index: VectorIndex, indexer: Indexer, embedder: Embedder) -> None:
        self._ledger = ledger
        self._index = index
        self._indexer = indexer
        self._embedder = embedder
        self._banks: dict[str, _Guarded] = {}
        self._opening = threading.Lock()

    def search(self, project: str, user: str | None, wanted: Wanted) -> list[Hit]:
        """At most `wanted.limit` hits, best first, among the memories of `user` (of all users where None)."""
        vector = self._embedder.embed([wanted.task])[0]
        query = Query(vector, wanted.lambda_, wanted.threshold)
        guarded = self._guarded(project, len(vector))
        with guarded.lock:
            bank = guarded.bank
            if self._ledger.latest_seq() != bank.seq:
                bank.apply(self._ledger.changes(project, self._embedder.identity, bank.seq))
            rows = bank.matching(wanted.metadata_filter, user)
            k = pool_size(wanted.limit, wanted.mmr_lambda)
            if rows is None and len(bank) > SCAN_LIMIT:
                ranked = self._by_index(project, bank, query, k)
            else:
                ranked = top_k(bank, query, k, rows)
            ranked = mmr(bank, ranked, wanted.limit, wanted.mmr_lambda)
            ids = [bank.ids[row] for row in ranked.rows]
        return [Hit(*found) for found in zip(ids, ranked.similarity.tolist(), ranked.score.tolist(), strict=True)]

    def _by_index(self, project: str, bank: Bank, query: Query, k: int) -> Ranked:
        fresh = np.flatnonzero((bank.seqs > self._indexer.position(project)) & bank.alive)
        if len(fresh) > _FRESH_LIMIT:
            return top_k(bank, query, k)
        asked = max(_NEAREST, 4 * k)
        try:
            nearest = self._index.nearest(project, self._embedder.identity, query.vector, asked)
        except IndexFailure as error:
            log.warning("%s; every row is compared instead", error)
            return top_k(bank, query, k)
        return threshold_top_k(bank, query, k, bank.rows_of(nearest), len(nearest) < asked, fresh)

    def _guarded(self, project: str, dimension: int) -> _Guarded:
        with self._opening:
            if project not in self._banks:
                self._banks[project] = _Guarded(dimension)
            return self._banks[project]
