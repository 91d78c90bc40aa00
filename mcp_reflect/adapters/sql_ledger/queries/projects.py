"""Queries of projects as a whole: their figures and their ids."""

from __future__ import annotations

from mcp_reflect.adapters.sql_ledger import rows
from mcp_reflect.adapters.sql_ledger.queries.rows import RecordQueries, RowSource
from mcp_reflect.adapters.sql_ledger.queries.traces import runs_of
from mcp_reflect.application.ports import InsightFigures, ProjectCounts, ProjectOverview

_TABLES = {"trace": "traces", "mem": "memories", "ret": "retrievals"}
"""What people look up, by the prefix of its ids."""


class SqlProjectRecords(RecordQueries):
    """Implements ports.ProjectRecords."""

    def overview(self, user: str | None) -> list[ProjectOverview]:
        """Return every project that has a trace, the one with the newest first."""
        mine = "" if user is None else 'WHERE "user" = :who'
        whose: dict[str, object] = {} if user is None else {"who": user}
        counted = f"SELECT project, count(*) FROM memories {mine} GROUP BY project"  # noqa: S608 - a condition of ours
        memories = self._pairs(counted, **whose)
        runs = (
            f"SELECT project, count(*) AS traces, max(created_at) AS newest FROM traces {mine} "  # noqa: S608 - as above
            "GROUP BY project ORDER BY newest DESC, project"
        )
        return [
            ProjectOverview(
                row["project"], row["traces"], memories.get(row["project"], 0), rows.to_datetime(row["newest"])
            )
            for row in self._source.all(runs, **whose)
        ]

    def counts(self, project: str, user: str | None) -> ProjectCounts:
        """Return the figures of a project, or of one user in it."""
        mine, values = runs_of(project, user)
        my_memories, _ = _memories_of(project, user)
        reviewed = f"traces t JOIN reviews r ON t.review_id = r.id WHERE {mine}"
        jobs = f"reflection_jobs j JOIN traces t ON t.id = j.trace_id WHERE {mine}"
        by_result = self._pairs(f"SELECT r.result, count(*) FROM {reviewed} GROUP BY r.result", **values)  # noqa: S608
        runs = self._first(
            f"SELECT count(*) AS total, count(t.review_id) AS reviewed FROM traces t WHERE {mine}",  # noqa: S608
            **values,
        )
        assert runs is not None
        last_error = self._scalar(
            f"SELECT j.last_error FROM {jobs} AND j.last_error != '' AND j.state != 'completed' "  # noqa: S608
            "ORDER BY j.next_attempt_at DESC LIMIT 1",
            **values,
        )
        return ProjectCounts(
            traces=runs["total"],
            pending=runs["total"] - runs["reviewed"],
            reviewed=runs["reviewed"],
            passes=by_result.get("pass", 0),
            fails=by_result.get("fail", 0),
            memories=self._pairs(
                f"SELECT m.status, count(*) FROM memories m WHERE {my_memories} GROUP BY m.status",  # noqa: S608
                **values,
            ),
            jobs=self._pairs(f"SELECT j.state, count(*) FROM {jobs} GROUP BY j.state", **values),  # noqa: S608
            mean_q=self._scalar(
                "SELECT avg(u.q_value) FROM utilities u JOIN memories m ON m.id = u.memory_id "  # noqa: S608
                f"WHERE {my_memories}",
                **values,
            ),
            utility_events=self._scalar(
                "SELECT count(*) FROM utility_events e JOIN memories m ON m.id = e.memory_id "  # noqa: S608
                f"WHERE {my_memories}",
                **values,
            ),
            last_error=last_error or "",
            withheld_in=find_withheld(self._source, mine, **values),
        )

    def insight_figures(self, project: str, user: str | None) -> InsightFigures:
        """Return the insights by status, their jobs by state, and the error of the job created last."""
        my_memories, values = _memories_of(project, user)
        insights = f"{my_memories} AND m.kind = 'insight'"
        my_jobs, asked = insight_jobs_of(project, user)
        last = f"SELECT j.last_error FROM insight_jobs j WHERE {my_jobs} ORDER BY j.created_at DESC, j.id LIMIT 1"  # noqa: S608
        return InsightFigures(
            memories=self._pairs(
                f"SELECT m.status, count(*) FROM memories m WHERE {insights} GROUP BY m.status",  # noqa: S608
                **values,
            ),
            jobs=self._pairs(
                f"SELECT j.state, count(*) FROM insight_jobs j WHERE {my_jobs} GROUP BY j.state",  # noqa: S608
                **asked,
            ),
            last_error=self._scalar(last, **asked) or "",
        )

    def find_ids(self, project: str, beginning: str, limit: int) -> list[str]:
        """Return at most `limit` ids that begin so: traces, then memories, then retrievals, each sorted."""
        found: list[str] = []
        for prefix, table in _TABLES.items():
            starts = beginning if beginning.startswith(f"{prefix}_") else f"{prefix}_{beginning}"
            for wildcard in "/%_":
                starts = starts.replace(wildcard, f"/{wildcard}")
            ids = (
                f"SELECT id FROM {table} WHERE project = :project AND id LIKE :starts ESCAPE '/' "  # noqa: S608
                "ORDER BY id LIMIT :most"
            )
            found += [row["id"] for row in self._source.all(ids, project=project, starts=f"{starts}%", most=limit)]
        return found[:limit]


def find_withheld(source: RowSource, traces: str = "1 = 1", **values: object) -> tuple[str, ...]:
    """Return the traces `t` of a condition with sentences that were kept from their lessons, the latest first."""
    found = source.all(
        "SELECT t.id FROM traces t JOIN reviews r ON t.review_id = r.id "  # noqa: S608 - a condition of ours
        f"WHERE {traces} AND CAST(r.withheld AS VARCHAR) != '[]' ORDER BY t.created_at DESC, t.id",
        **values,
    )
    return tuple(row["id"] for row in found)


def insight_jobs_of(project: str, user: str | None) -> tuple[str, dict[str, object]]:
    """Return the condition for the insight jobs `j` over everyone's runs (`user` None) or one user's own, and its
    values.
    """
    mine = "j.project = :project AND j.own_only = :own_only"
    values: dict[str, object] = {"project": project, "own_only": user is not None}
    return (mine, values) if user is None else (f'{mine} AND j."user" = :who', values | {"who": user})


def _memories_of(project: str, user: str | None) -> tuple[str, dict[str, object]]:
    if user is None:
        return "m.project = :project", {"project": project}
    return 'm.project = :project AND m."user" = :who', {"project": project, "who": user}
