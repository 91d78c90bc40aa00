"""`mcp-reflect traces`, `memories` and `projects`: lists of what is stored."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import typer

from mcp_reflect.cli.common_options import JsonOption
from mcp_reflect.cli.console import out, show_json
from mcp_reflect.cli.formats import format_count, format_minute
from mcp_reflect.cli.layout import flat, head, lesson_line, say_count, show_entry, show_text
from mcp_reflect.cli.records.other_projects import say_other_projects
from mcp_reflect.cli.records.reading import Reading, read_records

LimitArgument = Annotated[int, typer.Option(min=1, metavar="N", help="Most to show.")]
KindName = Literal["reflection", "error", "claim", "insight", "all"]
StatusName = Literal["in-use", "active", "adopted", "pending", "superseded", "deprecated", "archived", "all"]

_RUNS = {"all": "runs", "pending": "runs without a review", "reviewed": "reviewed runs"}
_MOST = 1_000_000_000
"""More than there is, and no more than a database counts to."""


def traces_command(
    status: Annotated[Literal["pending", "reviewed", "all"], typer.Option(help="Which runs.")] = "all",
    limit: LimitArgument = 20,
    as_json: JsonOption = False,
) -> None:
    """List the project's runs, newest first."""
    reading = read_records("traces", status=status, limit=min(limit, _MOST))
    if as_json:
        show_json(reading.document)
        return
    found = reading.document["traces"]
    for each in found:
        _show_run(each)
    if found:
        say_count(len(found), reading.document["total"], "run", more="--limit shows more")
    else:
        _say_nothing_found(_RUNS[status], reading)


def _show_run(run: dict[str, Any]) -> None:
    state = "" if run["ingest_status"] in {"none", "completed"} else f"reflection {run['ingest_status']}"
    lesson = f"→ {run['memory_id']}" if run["memory_id"] else state
    facts = (format_minute(run["created_at"]), run["result"] or "not reviewed", lesson)
    show_entry(head(run["trace_id"], *facts), flat(run["task"]))


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
    reading = read_records("memories", kind=kind, status=status, sort=sort, limit=min(limit, _MOST))
    if as_json:
        show_json(reading.document)
        return
    found = reading.document["memories"]
    for each in found:
        _show_memory(each)
    if found:
        say_count(len(found), reading.document["total"], "memory", "memories", more="--limit shows more")
    else:
        wanted = (each for each in (status, kind) if each not in {"in-use", "all"})
        _say_nothing_found(" ".join([*wanted, "memories"]), reading)


def _show_memory(memory: dict[str, Any]) -> None:
    status = "" if memory["status"] == "active" else memory["status"]
    runs = f"borne out by {memory['borne_out']} of {format_count(memory['runs'], 'run')}"
    facts = (memory["kind"], status, f"q_value {memory['q_value']:.3f}", runs if memory["reviews"] else "")
    show_entry(head(memory["id"], *facts), lesson_line(memory["reflection"]))
    if memory["task"]:
        show_text(flat(f"on: {memory['task']}", "dim"), most_lines=1)


def _say_nothing_found(things: str, reading: Reading) -> None:
    """Say that the project has none of these, and which other projects have runs."""
    out.print(f"No {things} in project {reading.beside['project']}.", markup=False, soft_wrap=True)
    say_other_projects(reading.beside["others"])


def projects_command(as_json: JsonOption = False) -> None:
    """List the projects of the home, last used first."""
    document = read_records("projects").document
    if as_json:
        show_json(document)
        return
    for each in document["projects"]:
        mark = "the present one" if each["present"] else ""
        runs = f"{format_count(each['traces'], 'run')}, {format_count(each['memories'], 'memory', 'memories')}"
        out.print(head(each["project"], runs, f"last {format_minute(each['last_used_at'])}", mark))
    if not document["projects"]:
        out.print("No project has a run yet.")
