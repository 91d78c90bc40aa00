"""The records that commands for people show, as JSON: read by the hub, or by the command where no hub runs.

A reading is `{"document", "beside"}`: what `--json` prints, and what only the display for people needs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from mcp_reflect.application.memory_reader import MemoryReader
from mcp_reflect.application.ports import ReadableLedger
from mcp_reflect.application.profile import Profile
from mcp_reflect.application.provenance import explain, explain_run
from mcp_reflect.domain.models import RETRIEVABLE, Memory
from mcp_reflect.errors import InvalidArgument, UnknownId, UsageError
from mcp_reflect.server.views.memories import memory_view
from mcp_reflect.server.views.stats import stats_view
from mcp_reflect.server.views.times import time_view
from mcp_reflect.server.views.traces import review_view, summary_view, trace_view


class RecordReader:
    """Reads what a profile may see.

    `embedding_model` is the identity of the model in use. `count_waiting_errors` counts the errors that wait for
    consent, in the repository's file.
    """

    def __init__(
        self, ledger: ReadableLedger, profile: Profile, embedding_model: str, count_waiting_errors: Callable[[], int]
    ) -> None:
        self._ledger = ledger
        self._profile = profile
        self._count_waiting_errors = count_waiting_errors
        self._reader = MemoryReader(ledger, profile, embedding_model)

    def read(self, records: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return the reading of a name in `READINGS`. Raises UsageError for another one or a wrong id."""
        if records not in READINGS:
            raise UsageError(f"{records!r} is none of {', '.join(READINGS)}")
        reading: dict[str, Any] = getattr(self, f"_{records}")(**arguments)
        return reading

    def _traces(self, *, status: str, limit: int) -> dict[str, Any]:
        found = self._reader.traces(
            None if status == "all" else "pending" if status == "pending" else "reviewed", limit
        )
        counts = self._reader.counts()
        total = {"all": counts.traces, "pending": counts.pending, "reviewed": counts.reviewed}[status]
        return self._listed("traces", [summary_view(each) for each in found], total)

    def _memories(self, *, kind: str, status: str, sort: Any, limit: int) -> dict[str, Any]:
        statuses: Any = () if status == "all" else tuple(sorted(RETRIEVABLE)) if status == "in-use" else (status,)
        kinds: Any = None if kind == "all" else kind
        chosen = (self._profile.project, self._profile.visible_user, kinds, statuses)
        with self._ledger.reading() as session:
            found = session.memories.best(*chosen, order=sort, limit=limit)
            total = session.memories.count(*chosen)
        return self._listed("memories", [memory_view(each) for each in found], total)

    def _listed(self, things: str, views: Sequence[Mapping[str, Any]], total: int) -> dict[str, Any]:
        """A list, beside it the project, and where that has nothing at all the projects that have runs."""
        beside = {"project": self._profile.project, "others": self._others(is_empty=not views)}
        return {"document": {things: views, "total": total}, "beside": beside}

    def _others(self, *, is_empty: bool) -> list[dict[str, Any]]:
        """The projects that have runs, where an answer is empty because this one has none."""
        projects = self._overview() if is_empty else []
        return [] if any(each["present"] for each in projects) else projects

    def _projects(self) -> dict[str, Any]:
        return {"document": {"projects": self._overview()}, "beside": {}}

    def _overview(self) -> list[dict[str, Any]]:
        with self._ledger.reading() as session:
            found = session.projects.overview(self._profile.visible_user)
        return [
            {
                "project": each.name,
                "present": each.name == self._profile.project,
                "traces": each.traces,
                "memories": each.memories,
                "last_used_at": time_view(each.last),
            }
            for each in found
        ]

    def _stats(self) -> dict[str, Any]:
        view = stats_view(self._reader, self._count_waiting_errors())
        return {"document": view, "beside": {"others": self._others(is_empty=not view["traces"]["total"])}}

    def _ids(self, *, beginnings: Sequence[Sequence[str]]) -> dict[str, Any]:
        """The full ids of beginnings, each followed by the prefixes that it may have."""
        return {"document": {"ids": [self._resolve(*each) for each in beginnings]}, "beside": {}}

    def _resolve(self, beginning: str, *prefixes: str) -> str:
        """The full id. Raises as `resolve_id`, and InvalidArgument where another project alone has such an id."""
        try:
            return self._reader.resolve_id(beginning, *prefixes)
        except UnknownId:
            own = self._profile.project
            others = [each["project"] for each in self._overview() if not each["present"]]
            found = [name for name in others if self._reader.find_ids(name, beginning, *prefixes)]
            if not found:
                raise
            problem = f"{beginning!r} is not in project {own}, but in {', '.join(found)}"
            raise InvalidArgument("record_id", problem, f"ids of {own}, or --project {found[0]}") from None

    def _memory(self, *, beginning: str) -> dict[str, Any]:
        memory = self._reader.memory(self._resolve(beginning, "mem"))
        return {"document": memory_view(memory), "beside": {"headline": memory.headline}}

    def _thing(self, *, beginning: str) -> dict[str, Any]:
        """A run, a memory or a retrieval, whole."""
        full = self._resolve(beginning, "trace", "mem", "ret")
        if full.startswith("mem_"):
            return {"document": memory_view(self._reader.memory(full)), "beside": {}}
        if full.startswith("trace_"):
            document = trace_view(self._reader, full, whole=True)
            recalled = self._reader.memories(tuple(document["retrieved_memory_ids"]))
            return {
                "document": document,
                "beside": {"recalled": [memory_view(each, concise=True) for each in recalled]},
            }
        retrieval = self._reader.retrieval(full)
        recalled = self._reader.memories(retrieval.memory_ids)
        document = {
            "retrieval_id": retrieval.id,
            "user": retrieval.user,
            "created_at": time_view(retrieval.created_at),
            "memories": [memory_view(each, concise=True) for each in recalled],
        }
        return {"document": document, "beside": {"given": len(retrieval.memory_ids)}}

    def _provenance(self, *, beginning: str) -> dict[str, Any]:
        """Tell why a memory has its q_value, or what a run was given, moved and taught."""
        full = self._resolve(beginning, "mem", "trace")
        return self._of_run(full) if full.startswith("trace_") else self._of_memory(full)

    def _of_memory(self, memory_id: str) -> dict[str, Any]:
        found = explain(self._ledger, self._profile, memory_id)
        document = {
            "memory": memory_view(found.memory),
            "initial_q": found.memory.initial_q,
            "q_values": found.q_values,
            "origins": [summary_view(run) for run in found.origins],
            "moves": [
                move.event.model_dump(include={"trace_id", "review_id", "reward", "alpha", "q_before", "q_after"})
                | {"task": move.run.task, "review": review_view(move.review)}
                for move in found.moves
            ],
            "log": [entry.model_dump(mode="json", exclude={"memory_id"}) for entry in found.log],
        }
        return {"document": document, "beside": {}}

    def _of_run(self, trace_id: str) -> dict[str, Any]:
        found = explain_run(self._ledger, self._profile, trace_id)
        document = {
            "trace": summary_view(found.run),
            "review": None if found.run.review is None else review_view(found.run.review),
            "recalled": [
                memory_view(each.memory, concise=True)
                | {"followed": each.followed, "q_before": each.q_before, "q_after": each.q_after}
                for each in found.recalled
            ],
            "taught": [memory_view(memory, concise=True) for memory in found.taught],
        }
        others = {memory.id: _runs_beside(memory, trace_id) for memory in found.taught}
        return {"document": document, "beside": {"other_runs": others}}


READINGS = ("traces", "memories", "projects", "stats", "ids", "memory", "thing", "provenance")


def _runs_beside(memory: Memory, trace_id: str) -> int:
    """The number of runs besides this one that taught a memory."""
    return len(set(memory.source_trace_ids) - {trace_id})
