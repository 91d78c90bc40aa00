"""`mcp-reflect show`: one run, memory or retrieval, whole."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from mcp_reflect.cli.common_options import JsonOption
from mcp_reflect.cli.console import out, show_json
from mcp_reflect.cli.formats import format_count, format_day, format_minute
from mcp_reflect.cli.layout import flat, head, lesson_line, lines_of, show_entry, show_field, show_text
from mcp_reflect.cli.records.reading import read_records

if TYPE_CHECKING:
    from collections.abc import Sequence

IdArgument = Annotated[str, typer.Argument(metavar="ID", help="An id, or as much of its beginning as makes it unique.")]


def show_command(
    thing_id: IdArgument,
    whole: Annotated[bool, typer.Option("--whole", help="Long messages of a run uncut, on a terminal too.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Show a run as a transcript, a memory, or what a query was given."""
    reading = read_records("thing", beginning=thing_id)
    found = reading.document
    if as_json:
        show_json(found)
    elif "trace_id" in found:
        _show_run(found, reading.beside["recalled"], whole=whole)
    elif "retrieval_id" in found:
        _show_retrieval(found, reading.beside["given"])
    else:
        show_memory(found)


def _show_run(run: dict[str, Any], recalled: Sequence[dict[str, Any]], *, whole: bool) -> None:
    from mcp_reflect.cli.records.transcript import show_transcript  # noqa: PLC0415 - only here

    review = run["review"]
    facts = (format_minute(run["created_at"]), run["result"] or "not reviewed", run["model"])
    out.print(head(run["trace_id"], *facts), soft_wrap=True)
    show_text(lines_of(run["task"]))
    fields = {"metadata": _pairs(run["metadata"]), "key": run["trace_key"], "reference": run["reference_context"]}
    for name, text in fields.items():
        if text:
            show_field(name, text)
    _show_list("recalled", recalled, set() if review is None else {*review["used"], *review["helpful_memory_ids"]})
    if run["trajectory"]:
        out.print()
        show_transcript(run["trajectory"], whole=whole)
    if run["final_response"]:
        out.print(Text("\nfinal response", "bold"))
        show_text(lines_of(run["final_response"]))
    out.print()
    if review is None:
        out.print("Not reviewed yet.")
    else:
        _show_review(review)
    if run["ingest_status"] not in {"none", "completed"}:
        out.print(flat(f"reflection {run['ingest_status']} {run['last_error']}"), soft_wrap=True)
    _show_list("recorded", [*([] if run["memory"] is None else [run["memory"]]), *run["claims"]], set())


def _show_review(review: dict[str, Any]) -> None:
    source = f", by {review['source']}" if review["source"] else ""
    verdict = f"reviewed {format_minute(review['created_at'])}{source}: {review['result']}"
    out.print(Text(verdict, "green" if review["result"] == "pass" else "red"))
    if review["feedback"]:
        show_text(lines_of(review["feedback"]))
    if review["withheld"]:
        out.print(Text("kept from the lesson, because only tools or pages said it:", "yellow"))
    for sentence in review["withheld"]:
        show_text(flat(sentence), most_lines=3, indent=4)


def _show_list(title: str, memories: Sequence[dict[str, Any]], followed: set[str]) -> None:
    if memories:
        out.print(Text(title, "bold"))
    for memory in memories:
        mark = "followed" if memory["id"] in followed else ""
        facts = (memory["kind"], f"q_value {memory['q_value']:.3f}", mark)
        show_entry(head(memory["id"], *facts), lesson_line(memory["reflection"]), indent=2)


def show_memory(memory: dict[str, Any]) -> None:
    """Print the view of one memory: what it is, its record, its text, and where it comes from."""
    low, high = memory["interval"]
    out.print(head(memory["id"], memory["kind"], memory["status"], f"by {memory['author']}"), soft_wrap=True)
    show_text(lines_of(memory["reflection"]))
    runs = f"borne out by {memory['borne_out']} of {format_count(memory['runs'], 'run')}"
    rows = {
        "on": memory["task"],
        "q_value": f"{memory['q_value']:.3f}, success rate between {low:.2f} and {high:.2f}; {runs}",
        "tools": ", ".join(memory["applicable_tools"] or memory["tools_used"]),
        "metadata": _pairs(memory["metadata"]),
        "user": memory["user"],
        "created": format_minute(memory["created_at"]),
        "last used": format_day(memory["last_used_at"]),
        "superseded by": memory.get("superseded_by", ""),
        "from": memory["source_trace_id"],
    }
    for name, text in rows.items():
        if text:
            show_field(name, text)


def _pairs(metadata: dict[str, Any]) -> str:
    return ", ".join(f"{name}={value}" for name, value in metadata.items())


def _show_retrieval(retrieval: dict[str, Any], given: int) -> None:
    count = format_count(given, "memory", "memories") if given else "no memory fitted"
    out.print(head(retrieval["retrieval_id"], format_minute(retrieval["created_at"]), count), soft_wrap=True)
    for memory in retrieval["memories"]:
        facts = (memory["kind"], f"q_value {memory['q_value']:.3f}")
        show_entry(head(memory["id"], *facts), lesson_line(memory["reflection"]))
