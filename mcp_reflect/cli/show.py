"""`mcp-reflect show`: one run, memory or retrieval, whole."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from mcp_reflect.cli.console import (
    JsonOption,
    format_day,
    format_minute,
    ledger_access,
    memory_reader,
    out,
    show_json,
)
from mcp_reflect.cli.layout import flat, head, lines_of, show_entry, show_field, show_text
from mcp_reflect.cli.transcript import show_transcript

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcp_reflect.application.memory_reader import MemoryReader
    from mcp_reflect.domain.models import Memory, Retrieval

IdArgument = Annotated[str, typer.Argument(metavar="ID", help="An id, or as much of its beginning as makes it unique.")]


def show_command(
    thing_id: IdArgument,
    whole: Annotated[bool, typer.Option("--whole", help="Long messages of a run uncut, on a terminal too.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Show a run as a transcript, a memory, or what a query was given."""
    with ledger_access() as access:
        reader = memory_reader(access)
        full = reader.resolve_id(thing_id, "trace", "mem", "ret")
        if as_json:
            show_json(_view(reader, full))
        elif full.startswith("trace_"):
            _show_run(reader, full, whole=whole)
        elif full.startswith("mem_"):
            show_memory(reader.memory(full))
        else:
            _show_retrieval(reader.retrieval(full), reader)


def _view(reader: MemoryReader, full: str) -> dict[str, Any]:
    from mcp_reflect.server.views import memory_view, time_view, trace_view  # noqa: PLC0415 - heavy

    if full.startswith("trace_"):
        return trace_view(reader, full, whole=True)
    if full.startswith("mem_"):
        return memory_view(reader.memory(full))
    retrieval = reader.retrieval(full)
    return {
        "retrieval_id": retrieval.id,
        "user": retrieval.user,
        "created_at": time_view(retrieval.created_at),
        "memories": [memory_view(each, concise=True) for each in reader.memories(retrieval.memory_ids)],
    }


def _show_run(reader: MemoryReader, trace_id: str, *, whole: bool) -> None:
    trace, summary = reader.trace(trace_id), reader.summary(trace_id)
    review = summary.review
    result = "not reviewed" if review is None else review.result
    out.print(head(trace.id, format_minute(trace.created_at), result, trace.model), soft_wrap=True)
    show_text(lines_of(trace.task))
    metadata = ", ".join(f"{name}={value}" for name, value in trace.metadata.items())
    for name, text in (("metadata", metadata), ("key", trace.trace_key), ("reference", trace.reference_context)):
        if text:
            show_field(name, text)
    followed = {} if review is None else review.used | dict.fromkeys(review.helpful_memory_ids, 1.0)
    _show_list("recalled", reader.memories(trace.retrieved_memory_ids), set(followed))
    if trace.trajectory:
        out.print()
        show_transcript(trace.trajectory, whole=whole)
    if trace.final_response:
        out.print(Text("\nfinal response", "bold"))
        show_text(lines_of(trace.final_response))
    out.print()
    if review is None:
        out.print("Not reviewed yet.")
    else:
        source = f", by {review.source}" if review.source else ""
        verdict = f"reviewed {format_minute(review.created_at)}{source}: {review.result}"
        out.print(Text(verdict, "green" if review.result == "pass" else "red"))
        if review.feedback:
            show_text(lines_of(review.feedback))
        if review.withheld:
            out.print(Text("kept from the lesson, because only tools or pages said it:", "yellow"))
        for sentence in review.withheld:
            show_text(flat(sentence), most_lines=3, indent=4)
    written = reader.memory_of(summary)
    if summary.job is not None and summary.job.state != "completed":
        out.print(flat(f"reflection {summary.job.state} {summary.job.last_error}"), soft_wrap=True)
    _show_list("recorded", [*([] if written is None else [written]), *reader.claims_of(trace_id)], set())


def _show_list(title: str, memories: Sequence[Memory], followed: set[str]) -> None:
    if memories:
        out.print(Text(title, "bold"))
    for memory in memories:
        mark = "followed" if memory.id in followed else ""
        facts = (memory.kind, f"q_value {memory.q_value:.3f}", mark)
        show_entry(head(f"  {memory.id}", *facts), flat(memory.reflection))


def show_memory(memory: Memory) -> None:
    """Print one memory: what it is, its record, its text, and where it comes from."""
    from mcp_reflect.domain.learning.confidence import credible_interval  # noqa: PLC0415 - heavy

    low, high = credible_interval(memory.trials, memory.successes, memory.initial_q)
    out.print(head(memory.id, memory.kind, memory.status, f"by {memory.author}"), soft_wrap=True)
    show_text(lines_of(memory.reflection))
    runs = f"{memory.borne_out} of {memory.runs} runs bear it out"
    rows = {
        "on": memory.task,
        "q_value": f"{memory.q_value:.3f}, success rate between {low:.2f} and {high:.2f}; {runs}",
        "tools": ", ".join(memory.tools),
        "metadata": ", ".join(f"{name}={value}" for name, value in memory.metadata.items()),
        "user": memory.user,
        "created": format_minute(memory.created_at),
        "last used": format_day(memory.last_used_at),
        "superseded by": memory.superseded_by if memory.status == "superseded" else "",
        "from": memory.source_trace_id,
    }
    for name, text in rows.items():
        if text:
            show_field(name, text)


def _show_retrieval(retrieval: Retrieval, reader: MemoryReader) -> None:
    count = f"{len(retrieval.memory_ids)} memories" if retrieval.memory_ids else "no memory fitted"
    out.print(head(retrieval.id, format_minute(retrieval.created_at), count), soft_wrap=True)
    for memory in reader.memories(retrieval.memory_ids):
        show_entry(head(memory.id, memory.kind, f"q_value {memory.q_value:.3f}"), flat(memory.reflection))
