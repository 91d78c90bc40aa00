"""The searches of the known errors of a project: for an error text, for a mistake, for a call that led to one."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from mcp_reflect.application.ports import Embedder
from mcp_reflect.application.retrieval.project_tables import ProjectTables
from mcp_reflect.application.review.same_lessons import Candidates
from mcp_reflect.domain.error_matching.error_index import ErrorMatch, nearest_errors
from mcp_reflect.domain.error_matching.keywords import RECURRENCE_OVERLAP, keyword_sets, keywords, normalized_error
from mcp_reflect.domain.error_matching.signatures import error_signatures
from mcp_reflect.domain.ranking.columns import similarities


class ErrorSearch:
    """Searches the known errors of any project, among those of a user or of all where None. Thread-safe."""

    def __init__(self, tables: ProjectTables, embedder: Embedder) -> None:
        self._tables = tables
        self._embedder = embedder

    def fixes(
        self, project: str, user: str | None, error: str, threshold: float, limit: int, now: int
    ) -> list[ErrorMatch]:
        """Return at most `limit` memories that know an error text, best first, and note their use at `now`.

        A memory matches by keywords, or by meaning where the cosine reaches `threshold`. `now` is in microseconds since
        the epoch. Raises ModelUnavailable and LedgerError.
        """
        vector = self._embedder.embed([normalized_error(error) or error])[0]
        query_keywords, signatures = keyword_sets([error]), error_signatures(error)
        with self._tables.caught_up(project) as tables:
            table, errors = tables.table, tables.errors
            overlaps, same = errors.overlaps(query_keywords), errors.same(signatures)
            rows, solved = tables.error_rows()
            if user is not None:
                own = table.rows_matching({}, user)
                assert own is not None
                mine = np.isin(rows, own)
                rows, solved = rows[mine], solved[mine]
            approximate = table.vectors[rows] @ vector
            nearest = nearest_errors(solved, approximate, threshold, limit)
            # Matches by keywords need their cosine too, however far down the list by meaning they are.
            rows = np.union1d(rows[nearest], np.intersect1d(rows, table.rows_of(overlaps)))
            cosines = similarities(table, rows, vector).tolist()
            near = {table.ids[row]: cosine for row, cosine in zip(rows, cosines, strict=True) if cosine >= threshold}
            matches = errors.rank(overlaps, near, same, user, limit)
            table.touch(table.rows_of(match.memory_id for match in matches), now)
            return matches

    def same_mistake(self, project: str, user: str | None, mistake: str) -> list[str]:
        """Return the ids of recorded errors one headline of which says the same as `mistake` (RECURRENCE_OVERLAP)."""
        words = keywords(mistake)
        with self._tables.caught_up(project) as tables:
            errors = tables.errors
            # A mistake without keywords (bare numbers) is compared with all errors, word for word, by the caller.
            same = {i for i, overlap in errors.overlaps([words]).items() if overlap >= RECURRENCE_OVERLAP}
            candidates = same if words else errors.known.keys()
            return [i for i in errors.recorded_ids() if i in candidates and user in {None, errors.known[i].user}]

    def same_error(self, project: str, user: str | None, error: str) -> Candidates:
        """Return the recorded errors that are the same as the one that a text reports."""
        signatures = error_signatures(error)
        with self._tables.caught_up(project) as tables:
            same, known = tables.errors.same(signatures), tables.errors.known
            ids = [i for i in sorted(same) if known[i].is_recorded and user in {None, known[i].user}]
            return Candidates(ids, tables.table.seq)

    def led_by(self, project: str, user: str | None, keys: Iterable[str], *, behind: int = 0) -> Candidates:
        """Return the errors to which calls with these keys led (`lessons/failures/triggers.py`).

        With `behind`, so many changes and those of other processes may be missing: who goes on looks at what is newer.
        """
        with self._tables.caught_up(project, refresh=not behind, behind=behind) as tables:
            return Candidates(tables.errors.led_by(keys, user), tables.table.seq)
