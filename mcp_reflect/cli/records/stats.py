"""`mcp-reflect stats`: what a project's memory holds, and how it does."""

from __future__ import annotations

from typing import Any

from rich.text import Text

from mcp_reflect.cli.common_options import JsonOption
from mcp_reflect.cli.console import out, show_json
from mcp_reflect.cli.formats import format_count, format_minute
from mcp_reflect.cli.layout import flat, head, show_field
from mcp_reflect.cli.project import origin_of_project
from mcp_reflect.cli.records.other_projects import say_other_projects
from mcp_reflect.cli.records.reading import read_records

_STATUSES = ("active", "adopted", "pending", "superseded", "deprecated", "archived")


def stats_command(as_json: JsonOption = False) -> None:
    """Show what the project's memory holds and how it does."""
    reading = read_records("stats")
    view = reading.document
    if as_json:
        show_json(view)
        return
    whose = "runs of all users" if view["scope"] == "project" else f"runs of {view['user']} only"
    out.print(head(view["project"], whose), soft_wrap=True)
    for name, text in _rows(view).items():
        if text:
            show_field(name, text)
    say_other_projects(reading.beside["others"])
    if view["advice"]:
        out.print(Text("next: ", "yellow") + flat(view["advice"]), soft_wrap=True)


def _rows(view: dict[str, Any]) -> dict[str, str]:
    """The lines by their names; what there is none of is left out."""
    runs, reviews, memories, insights = view["traces"], view["reviews"], view["memories"], view["insights"]
    kinds = [f"{memories[name]:,} {name}" for name in _STATUSES if memories.get(name)]
    judged = f"{reviews['pass']:,} passed, {reviews['fail']:,} failed, {runs['pending']:,} not reviewed"
    mean = f"{view['mean_q_value'] or 0:.2f}"  # null where there is no memory, and the line is left out
    q_value = f"{mean} on average after {format_count(view['q_updates'], 'change')} by reviews"
    drawn = _jobs(insights, "drawn")
    withheld = view["withheld"]
    kept_from = f"of {format_count(withheld['runs'], 'run')}: {' '.join(withheld['latest'])}"
    return {
        "named by": origin_of_project(view["project_from"]),
        "runs": f"{runs['total']:,} ({judged})" if runs["total"] else "none yet",
        "memories": f"{memories['total']:,} ({', '.join(kinds)})" if memories["total"] else "none yet",
        "q_value": q_value if memories["total"] else "",
        "reflections": _jobs(view["reflections"], "written"),
        "insights": f"{insights['in_use']:,} in use; {drawn}" if drawn or insights["in_use"] else "",
        "errors": f"{view['errors_waiting']:,} wait for consent" if view["errors_waiting"] else "",
        "lost": _lost(view["lost_writes"]),
        "kept from lessons": kept_from if withheld["runs"] else "",
        "retrieval": f"{view['retrieval']}, relevance threshold {view['similarity_threshold']:.2f}",
        "embedding model": view["embedding_model"],
        "not embedded": format_count(view["not_embedded"], "memory", "memories") if view["not_embedded"] else "",
        "last error": view["last_error"],
    }


def _lost(lost: dict[str, Any] | None) -> str:
    """`4 acknowledged writes, the last of 2026-11-22 14:03+01:00`; empty where there are none."""
    if lost is None:
        return ""
    return f"{format_count(lost['count'], 'acknowledged write')}, the last of {format_minute(lost['until'])}"


def _jobs(jobs: dict[str, Any], done: str) -> str:
    """`12 written, 1 waiting`; empty where there never was one."""
    named = {"completed": done, "queued": "waiting", "failed": "failed"}
    return ", ".join(f"{jobs[state]:,} {name}" for state, name in named.items() if jobs[state])
