"""`mcp-reflect why`: where a memory comes from and what moved it, or what a run was given and what came of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.text import Text

from mcp_reflect.cli.console import (
    JsonOption,
    format_count,
    format_minute,
    ledger_access,
    memory_reader,
    out,
    show_json,
)
from mcp_reflect.cli.layout import flat, head, lines_of, show_entry, show_text
from mcp_reflect.cli.show import IdArgument

if TYPE_CHECKING:
    from mcp_reflect.application.provenance import Explanation, RunExplanation
    from mcp_reflect.domain.models import Memory


def why_command(thing_id: IdArgument, as_json: JsonOption = False) -> None:
    """Tell why a memory has its q_value, or what a run was given, learned, and moved."""
    from mcp_reflect.application.provenance import explain, explain_run  # noqa: PLC0415 - heavy

    with ledger_access() as access:
        full = memory_reader(access).resolve_id(thing_id, "mem", "trace")
        if full.startswith("trace_"):
            run = explain_run(access.ledger, access.profile, full)
            show_json(_run_view(run)) if as_json else _show_run(run)
        else:
            found = explain(access.ledger, access.profile, full)
            show_json(_memory_view(found)) if as_json else _show_memory(found)


def _memory_view(found: Explanation) -> dict[str, Any]:
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


def _show_memory(found: Explanation) -> None:
    from mcp_reflect.cli.sparkline import sparkline  # noqa: PLC0415 - beside its sibling

    memory = found.memory
    out.print(head(memory.id, memory.kind, memory.status, f"by {memory.author}"), soft_wrap=True)
    show_text(lines_of(memory.reflection))
    for run in found.origins:
        result = run.review.result if run.review else "not reviewed"
        show_entry(head(f"from {run.id}", format_minute(run.created_at), result), flat(run.task))
    reviews = format_count(memory.reviews, "review")
    out.print(Text(f"q_value {memory.initial_q:.3f} → {memory.q_value:.3f} in {reviews}  "), sparkline(found.q_values))
    for move in found.moves:
        event = move.event
        moved = f"{event.q_before:.3f} → {event.q_after:.3f}"
        when = format_minute(move.review.created_at)
        show_entry(head(f"{moved}  {move.review.result}", event.trace_id, when), flat(move.run.task))
    for entry in found.log:
        out.print(
            f"{format_minute(entry.at)}  {entry.action}, was {entry.status_before}: {entry.reason}",
            markup=False,
            soft_wrap=True,
        )


def _run_view(found: RunExplanation) -> dict[str, Any]:
    from mcp_reflect.server.views import memory_view, review_view, summary_view  # noqa: PLC0415 - heavy

    return {
        "trace": summary_view(found.run),
        "review": None if found.run.review is None else review_view(found.run.review),
        "recalled": [
            memory_view(each.memory, concise=True)
            | {"followed": each.followed, "q_before": each.q_before, "q_after": each.q_after}
            for each in found.recalled
        ],
        "taught": [memory_view(memory, concise=True) for memory in found.taught],
    }


def _show_run(found: RunExplanation) -> None:
    run = found.run
    review = run.review
    result = "not reviewed" if review is None else review.result
    show_entry(head(run.id, format_minute(run.created_at), result), flat(run.task))
    if review is not None and review.feedback:
        show_text(flat(f"because: {review.feedback}"), most_lines=3)
    out.print(Text("It was given:" if found.recalled else "It was given no memory.", "bold"))
    for each in found.recalled:
        how = {None: "", True: "followed", False: "not followed"}[each.followed]
        moved = "q_value not moved" if each.q_after is None else f"{each.q_before:.3f} → {each.q_after:.3f}"
        show_entry(head(f"  {each.memory.id}", moved, how), flat(each.memory.reflection))
    out.print(Text("It taught:" if found.taught else _no_lesson(found), "bold"))
    for memory in found.taught:
        facts = (_role(memory, run.id), f"q_value {memory.q_value:.3f}")
        show_entry(head(f"  {memory.id}", *facts), flat(memory.reflection))


def _role(memory: Memory, trace_id: str) -> str:
    others = len(memory.source_trace_ids) - 1 if trace_id in memory.source_trace_ids else len(memory.source_trace_ids)
    return f"{memory.kind}, also taught by {format_count(others, 'other run')}" if others else memory.kind


def _no_lesson(found: RunExplanation) -> str:
    review, job = found.run.review, found.run.job
    if review is None:
        return "It taught nothing yet: it was not reviewed."
    if job is not None and job.state != "completed":
        return f"Its reflection is {job.state}."
    return "It taught nothing: it holds nothing that its task does not say."
