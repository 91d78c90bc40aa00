"""`mcp-reflect traces`, `show`, `memories`, `why` and `stats`: read from the ledger, beside whoever owns the home."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

import typer
from rich.text import Text

from mcp_reflect.cli.console import (
    JsonOption,
    format_count,
    format_day,
    format_minute,
    ledger_access,
    make_table,
    memory_reader,
    one_line,
    out,
    show_json,
)
from mcp_reflect.domain.models import Kind, Status

if TYPE_CHECKING:
    from rich.table import Table

    from mcp_reflect.application.provenance import Explanation
    from mcp_reflect.domain.models import Memory

IdArgument = Annotated[str, typer.Argument(metavar="ID", help="An id, or as much of its beginning as makes it unique.")]
LimitArgument = Annotated[int, typer.Option(min=1, help="Most to show.")]


def traces_command(
    status: Annotated[Literal["pending", "reviewed", "all"], typer.Option(help="Which runs.")] = "all",
    limit: LimitArgument = 20,
    as_json: JsonOption = False,
) -> None:
    """List the project's runs, newest first."""
    from mcp_reflect.server.views import summary_view  # noqa: PLC0415 - heavy

    with ledger_access() as access:
        found = memory_reader(access).traces(None if status == "all" else status, limit)
    if as_json:
        show_json({"traces": [summary_view(each) for each in found]})
        return
    table = make_table("trace", "when", "result", "reflection", "task")
    for each in found:
        result = "pending" if each.review is None else each.review.result
        reflection = each.memory_id or ("" if each.job is None else each.job.state)
        table.add_row(each.id, format_minute(each.created_at), result, reflection, one_line(each.task))
    out.print(table if found else "No runs.")


def memories_command(
    sort: Annotated[
        Literal["q_value", "use", "age"], typer.Option(help="Best, last used or newest first.")
    ] = "q_value",
    kind: Annotated[
        Literal["reflection", "error", "claim", "insight", "all"], typer.Option(help="Which kind.")
    ] = "all",
    status: Annotated[
        Literal["in-use", "active", "adopted", "pending", "deprecated", "archived", "all"],
        typer.Option(help="Which status; in-use are those that can be retrieved."),
    ] = "in-use",
    limit: LimitArgument = 20,
    as_json: JsonOption = False,
) -> None:
    """List the project's memories."""
    from mcp_reflect.domain.models import RETRIEVABLE  # noqa: PLC0415 - beside its sibling
    from mcp_reflect.server.views import memory_view  # noqa: PLC0415 - heavy

    kinds: dict[str, Kind] = {each: each for each in get_args(Kind)}
    named: dict[str, tuple[Status, ...]] = {each: (each,) for each in get_args(Status)}
    with ledger_access() as access, access.ledger.reading() as session:
        found = session.memories.best(
            access.profile.project,
            user=access.profile.visible_user,
            kind=kinds.get(kind),
            statuses=tuple(sorted(RETRIEVABLE)) if status == "in-use" else named.get(status, ()),
            order=sort,
            limit=limit,
        )
    if as_json:
        show_json({"memories": [memory_view(each) for each in found]})
    else:
        out.print(_memory_table(found) if found else "No memories.")


def _memory_table(found: list[Memory]) -> Table:
    table = make_table("memory", "kind", "status", ">q_value", ">reviews", "used", "about")
    for each in found:
        table.add_row(
            each.id,
            each.kind,
            each.status,
            f"{each.q_value:.3f}",
            str(each.reviews),
            format_day(each.last_used_at),
            one_line(each.headline),
        )
    return table


def show_command(thing_id: IdArgument, as_json: JsonOption = False) -> None:
    """Show a trace, a memory or a retrieval."""
    from mcp_reflect.server.text import readable  # noqa: PLC0415 - beside its sibling
    from mcp_reflect.server.views import memory_view, time_view, trace_view  # noqa: PLC0415 - heavy

    with ledger_access() as access:
        reader = memory_reader(access)
        full = reader.resolve_id(thing_id, "trace", "mem", "ret")
        view: dict[str, Any]
        if full.startswith("trace_"):
            view = trace_view(reader, full, whole=True)
        elif full.startswith("mem_"):
            view = memory_view(reader.memory(full))
        else:
            retrieval = reader.retrieval(full)
            given = reader.memories(retrieval.memory_ids)
            view = {
                "retrieval_id": retrieval.id,
                "user": retrieval.user,
                "created_at": time_view(retrieval.created_at),
                "memories": [memory_view(each, concise=True) for each in given],
            }
    if as_json:
        show_json(view)
    else:
        out.print(Text(readable(view)), soft_wrap=True)


def why_command(memory_id: IdArgument, as_json: JsonOption = False) -> None:
    """Tell why a memory has the q_value it has: its origin, and every review that moved it."""
    from mcp_reflect.application.provenance import explain  # noqa: PLC0415 - heavy

    with ledger_access() as access:
        found = explain(access.ledger, access.profile, memory_reader(access).resolve_id(memory_id, "mem"))
    if as_json:
        show_json(_why_view(found))
    else:
        _show_why(found)


def _why_view(found: Explanation) -> dict[str, Any]:
    from mcp_reflect.server.views import memory_view, review_view, summary_view  # noqa: PLC0415 - heavy

    return {
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


def _show_why(found: Explanation) -> None:
    from mcp_reflect.cli.sparkline import sparkline  # noqa: PLC0415 - beside its sibling

    memory = found.memory
    out.print(Text(memory.id, style="bold"), Text(f"{memory.kind}, {memory.status}, by {memory.author}"))
    out.print(Text("\n".join(f"  {line}" for line in memory.reflection.splitlines())), soft_wrap=True)
    for run in found.origins:
        result = run.review.result if run.review else "no review"
        out.print(
            Text(f"from {run.id}, {format_minute(run.created_at)}, {result}:"), one_line(run.task), soft_wrap=True
        )
    reviews = format_count(memory.reviews, "review")
    out.print(Text(f"q_value {memory.initial_q:.3f} → {memory.q_value:.3f} in {reviews}  "), sparkline(found.q_values))
    table = make_table("when", "result", ">reward", "q_value", "run", "task")
    for move in found.moves:
        event = move.event
        table.add_row(
            format_day(move.review.created_at),
            move.review.result,
            f"{event.reward:g}",
            f"{event.q_before:.3f} → {event.q_after:.3f}",
            event.trace_id,
            one_line(move.run.task),
        )
    if found.moves:
        out.print(table)
    for entry in found.log:
        out.print(f"{format_minute(entry.at)}  {entry.action}, was {entry.status_before}: {entry.reason}", markup=False)


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
