"""`mcp-reflect why`: where a memory comes from and what moved it, or what a run was given and what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.text import Text

from mcp_reflect.cli.common_options import JsonOption
from mcp_reflect.cli.console import out, show_json
from mcp_reflect.cli.formats import format_count, format_minute
from mcp_reflect.cli.layout import flat, head, lesson_line, lines_of, show_entry, show_text
from mcp_reflect.cli.records.reading import read_records
from mcp_reflect.cli.records.show import IdArgument

_AS_GOOD_AS_ALL = 0.995
"""A share of a review that is shown as all of it."""


def why_command(thing_id: IdArgument, as_json: JsonOption = False) -> None:
    """Tell why a memory has its q_value, or what a run was given, learned, and moved."""
    reading = read_records("provenance", beginning=thing_id)
    if as_json:
        show_json(reading.document)
    elif "trace" in reading.document:
        _show_run(reading.document, reading.beside["other_runs"])
    else:
        _show_memory(reading.document)


def _show_memory(found: Mapping[str, Any]) -> None:
    from mcp_reflect.cli.records.sparkline import sparkline  # noqa: PLC0415 - beside its sibling

    memory = found["memory"]
    out.print(head(memory["id"], memory["kind"], memory["status"], f"by {memory['author']}"), soft_wrap=True)
    show_text(lines_of(memory["reflection"]))
    for run in found["origins"]:
        result = run["result"] or "not reviewed"
        show_entry(head(f"from {run['trace_id']}", format_minute(run["created_at"]), result), flat(run["task"]))
    reviews = format_count(len(found["moves"]), "review")
    moved = f"q_value {found['initial_q']:.3f} → {memory['q_value']:.3f} in {reviews}  "
    out.print(Text(moved), sparkline(found["q_values"]))
    for move in found["moves"]:
        step = f"{move['q_before']:.3f} → {move['q_after']:.3f}  {move['review']['result']}"
        facts = (move["trace_id"], format_minute(move["review"]["created_at"]), _weight(move))
        show_entry(head(step, *facts), flat(move["task"]))
    for entry in found["log"]:
        step = f"{format_minute(entry['at'])}  {entry['action']}, was {entry['status_before']}"
        out.print(f"{step}: {entry['reason']}" if entry["reason"] else step, markup=False, soft_wrap=True)


def _weight(move: Mapping[str, Any]) -> str:
    """How much of its review moved the q_value; empty for all of it.

    Less counts where the run followed the memory in part, or where the sources of the review had said the same before.
    """
    full: float = move["review"]["alpha"]
    share = move["alpha"] / full if full else 1.0
    return "" if share > _AS_GOOD_AS_ALL else f"weight {share:.2f}"


def _show_run(found: Mapping[str, Any], other_runs: Mapping[str, int]) -> None:
    run, review = found["trace"], found["review"]
    told = (format_minute(run["created_at"]), run["result"] or "not reviewed")
    show_entry(head(run["trace_id"], *told), flat(run["task"]))
    if review is not None and review["feedback"]:
        show_text(flat(f"because: {review['feedback']}"), most_lines=3)
    out.print(Text("It was given:" if found["recalled"] else "It was given no memory.", "bold"))
    for each in found["recalled"]:
        how = {None: "", True: "followed", False: "not followed"}[each["followed"]]
        moved = "q_value not moved" if each["q_after"] is None else f"{each['q_before']:.3f} → {each['q_after']:.3f}"
        show_entry(head(each["id"], moved, how), lesson_line(each["reflection"]), indent=2)
    out.print(Text("It taught:" if found["taught"] else _no_lesson(run), "bold"))
    for memory in found["taught"]:
        others = other_runs[memory["id"]]
        role = f"{memory['kind']}, also taught by {format_count(others, 'other run')}" if others else memory["kind"]
        facts = (role, f"q_value {memory['q_value']:.3f}")
        show_entry(head(memory["id"], *facts), lesson_line(memory["reflection"]), indent=2)


def _no_lesson(run: Mapping[str, Any]) -> str:
    if run["review_status"] == "pending":
        return "It taught nothing yet: it was not reviewed."
    if run["ingest_status"] not in {"none", "completed"}:
        return f"Its reflection is {run['ingest_status']}."
    return "It taught nothing: it holds nothing that its task does not say."
