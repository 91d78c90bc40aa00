"""`mcp-reflect traces`, `memories`, `projects` and `stats`: read from the ledger, beside whoever owns the home."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import typer
from rich.text import Text

from mcp_reflect.cli.console import (
    JsonOption,
    format_minute,
    ledger_access,
    memory_reader,
    out,
    say_nothing_found,
    show_json,
)
from mcp_reflect.cli.layout import flat, head, say_count, show_entry, show_text

if TYPE_CHECKING:
    from mcp_reflect.application.ports import ProjectOverview, TraceSummary
    from mcp_reflect.domain.models import Kind, Memory, Status

LimitArgument = Annotated[int, typer.Option(min=1, metavar="N", help="Most to show.")]
KindName = Literal["reflection", "error", "claim", "insight", "all"]
StatusName = Literal["in-use", "active", "adopted", "pending", "superseded", "deprecated", "archived", "all"]


def traces_command(
    status: Annotated[Literal["pending", "reviewed", "all"], typer.Option(help="Which runs.")] = "all",
    limit: LimitArgument = 20,
    as_json: JsonOption = False,
) -> None:
    """List the project's runs, newest first."""
    from mcp_reflect.server.views import summary_view  # noqa: PLC0415 - heavy

    with ledger_access() as access:
        reader = memory_reader(access)
        found = reader.traces(None if status == "all" else status, limit)
        counts = reader.counts()
        total = {"all": counts.traces, "pending": counts.pending, "reviewed": counts.reviewed}[status]
        if as_json:
            show_json({"traces": [summary_view(each) for each in found], "total": total})
        elif found:
            for each in found:
                _show_run(each)
            say_count(len(found), total, "run", more="--limit shows more")
        else:
            say_nothing_found("runs", access)


def _show_run(run: TraceSummary) -> None:
    result = "not reviewed" if run.review is None else run.review.result
    state = "" if run.job is None or run.job.state == "completed" else f"reflection {run.job.state}"
    lesson = f"→ {run.memory_id}" if run.memory_id else state
    show_entry(head(run.id, format_minute(run.created_at), result, lesson), flat(run.task))


def memories_command(
    sort: Annotated[
        Literal["q_value", "use", "age"], typer.Option(help="Best, last used or newest first.")
    ] = "q_value",
    kind: Annotated[KindName, typer.Option(help="Which kind.")] = "all",
    status: Annotated[
        StatusName, typer.Option(help="Which status; in-use are those that can be retrieved.")
    ] = "in-use",
    limit: LimitArgument = 20,
    as_json: JsonOption = False,
) -> None:
    """List the project's memories, each with its lesson."""
    from mcp_reflect.server.views import memory_view  # noqa: PLC0415 - heavy

    with ledger_access() as access, access.ledger.reading() as session:
        chosen = (access.profile.project, access.profile.visible_user, _kind(kind), _statuses(status))
        found = session.memories.best(*chosen, order=sort, limit=limit)
        total = session.memories.count(*chosen)
        if as_json:
            show_json({"memories": [memory_view(each) for each in found], "total": total})
        elif found:
            for each in found:
                _show_memory(each)
            say_count(len(found), total, "memory", "memories", more="--limit shows more")
        else:
            say_nothing_found("memories", access)


def _kind(name: KindName) -> Kind | None:
    return None if name == "all" else name


def _statuses(name: StatusName) -> tuple[Status, ...]:
    from mcp_reflect.domain.models import RETRIEVABLE  # noqa: PLC0415 - heavy

    if name == "in-use":
        return tuple(sorted(RETRIEVABLE))
    return () if name == "all" else (name,)


def _show_memory(memory: Memory) -> None:
    status = "" if memory.status == "active" else memory.status
    tried = f"{memory.borne_out} of {memory.runs} runs bear it out" if memory.reviews else ""
    show_entry(head(memory.id, memory.kind, status, f"q_value {memory.q_value:.3f}", tried), flat(memory.reflection))
    if memory.task:
        show_text(flat(f"on: {memory.task}", "dim"), most_lines=1)


def projects_command(as_json: JsonOption = False) -> None:
    """List the projects of the home, last used first."""
    with ledger_access() as access, access.ledger.reading() as session:
        found = session.projects.overview(access.profile.visible_user)
        if as_json:
            shown = [_project_view(each, present=each.name == access.profile.project) for each in found]
            show_json({"projects": shown})
            return
        for each in found:
            mark = "the present one" if each.name == access.profile.project else ""
            runs = f"{each.traces:,} runs, {each.memories:,} memories"
            out.print(head(each.name, runs, f"last {format_minute(each.last)}", mark))
        if not found:
            out.print("No project has a run yet.")


def _project_view(found: ProjectOverview, *, present: bool) -> dict[str, object]:
    from mcp_reflect.server.views import time_view  # noqa: PLC0415 - heavy

    return {
        "project": found.name,
        "present": present,
        "traces": found.traces,
        "memories": found.memories,
        "last_used_at": time_view(found.last),
    }


def stats_command(as_json: JsonOption = False) -> None:
    """Show the project's figures."""
    from mcp_reflect.server.text import readable  # noqa: PLC0415 - beside its sibling
    from mcp_reflect.server.views import stats_view  # noqa: PLC0415 - heavy

    with ledger_access() as access:
        view = stats_view(memory_reader(access), access.mirror)
    if as_json:
        show_json(view)
    else:
        out.print(Text(readable({key: value for key, value in view.items() if value != ""})), soft_wrap=True)
