"""`mcp-reflect query`, `augment` and `review`: as the tools of the same names, through the home's hub."""

from __future__ import annotations

import json
import math
from typing import Annotated, Any, Literal

import typer
from rich.text import Text

from mcp_reflect.cli.common_options import JsonOption
from mcp_reflect.cli.console import out, read_argument, show_json
from mcp_reflect.cli.error_report import report_errors
from mcp_reflect.cli.layout import flat, head, lines_of, show_text
from mcp_reflect.cli.memory_access import call_tool
from mcp_reflect.cli.records.reading import resolve_ids
from mcp_reflect.cli.settings import current_settings
from mcp_reflect.domain.limits import MAX_LIMIT
from mcp_reflect.errors import InvalidArgument

TaskArgument = Annotated[list[str], typer.Argument(metavar="TEXT", help="The task at hand; - reads it from stdin.")]
LimitOption = Annotated[
    int | None, typer.Option(metavar="N", help=f"Most memories to show, 1 to {MAX_LIMIT}; by default as configured.")
]
LambdaOption = Annotated[
    float | None,
    typer.Option("--lambda", metavar="X", help="0: by meaning only, 1: by q_value only; by default as configured."),
]
FilterOption = Annotated[
    list[str] | None,
    typer.Option("--filter", metavar="KEY=VALUE", help="Only memories with this metadata; repeat for more."),
]
IdsOption = list[str] | None


def _arguments(text: list[str], limit: int | None, lambda_: float | None, filters: list[str] | None) -> dict[str, Any]:
    if lambda_ is not None and not math.isfinite(lambda_):  # which no JSON can say
        raise InvalidArgument("lambda_", f"got {lambda_}", "a number from 0 to 1")
    given = {"task": read_argument(" ".join(text)), "limit": limit, "lambda_": lambda_}
    conditions = dict(_condition(each) for each in filters or [])
    return {name: value for name, value in given.items() if value is not None} | {"metadata_filter": conditions}


def _condition(text: str) -> tuple[str, Any]:
    """`key=value`; a value that reads as a JSON number, boolean or quoted string is one, anything else is text."""
    key, equals, value = text.partition("=")
    if not key or not equals:
        raise InvalidArgument("metadata_filter", f"{text!r} has no key or no =", "KEY=VALUE, for example tool=shell")
    try:
        found = json.loads(value)
    except (ValueError, RecursionError):
        return key, value
    is_one = isinstance(found, str | int) or (isinstance(found, float) and math.isfinite(found))
    return key, found if is_one else value


def query_command(
    text: TaskArgument,
    limit: LimitOption = None,
    lambda_: LambdaOption = None,
    filters: FilterOption = None,
    as_json: JsonOption = False,
) -> None:
    """Find the memories that serve a task, best first."""
    with report_errors():
        arguments = _arguments(text, limit, lambda_, filters)
        found = call_tool("query_memories", arguments | {"response_format": "detailed"})
        if as_json:
            show_json(found)
            return
        for rank, memory in enumerate(found["memories"], 1):
            _show_hit(rank, memory)
        if found["memories"]:
            _explain_order(found["memories"])
            out.print(Text(f"retrieval {found['retrieval_id']}", style="dim"))
        else:
            out.print(f"No memory of project {current_settings().project} fits.", markup=False, soft_wrap=True)


def _show_hit(rank: int, memory: dict[str, Any]) -> None:
    """Six lines at most on a terminal: the figures, the task, and four of the lesson."""
    figures = [f"{name} {memory[name]:.3f}" for name in ("q_value", "relevance", "score")]
    outcome = {True: "passed", False: "failed"}.get(memory["success"], memory["kind"])
    out.print(head(f"{rank}. {memory['id']}", outcome, *figures), soft_wrap=True)
    show_text(flat(f"on: {memory['task']}", "dim"), most_lines=1, indent=3)
    show_text(lines_of(memory["reflection"]), most_lines=4, indent=3)


def _explain_order(memories: list[dict[str, Any]]) -> None:
    """Scores need not fall from hit to hit; say why where they do not."""
    scores = [memory["score"] for memory in memories]
    if scores != sorted(scores, reverse=True):
        reason = (
            "Not by score alone: near copies of a lesson stand further down, and an amended one behind its successor."
        )
        out.print(Text(reason, style="dim"))


def augment_command(
    text: TaskArgument,
    limit: LimitOption = None,
    lambda_: LambdaOption = None,
    filters: FilterOption = None,
    as_json: JsonOption = False,
) -> None:
    """Give a task back as a prompt with the memories that serve it written below; unchanged if there are none."""
    with report_errors():
        found = call_tool("augment_task", _arguments(text, limit, lambda_, filters))
        if as_json:
            show_json(found)
        else:
            typer.echo(found["augmented_task"])


def review_command(
    trace_id: Annotated[str, typer.Argument(metavar="ID", help="A trace, or the beginning of its id.")],
    result: Annotated[Literal["pass", "fail"], typer.Argument(help="How the run ended.")],
    feedback: Annotated[str, typer.Option(help="The evidence; - reads it from stdin.")] = "",
    helpful: Annotated[IdsOption, typer.Option(help="A memory that helped; repeat for more.")] = None,
    harmful: Annotated[IdsOption, typer.Option(help="A memory that misled; repeat for more.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Say whether a run passed or failed; again: replaces the earlier review."""
    (full,) = resolve_ids([(trace_id, "trace")])
    helped, misled = (
        resolve_ids([(each, "mem") for each in named], option) if named else []
        for named, option in ((helpful, "--helpful"), (harmful, "--harmful"))
    )
    with report_errors():
        arguments = {
            "trace_id": full,
            "result": result,
            "feedback": read_argument(feedback),
            "helpful_memory_ids": helped,
            "harmful_memory_ids": misled,
        }
        outcome = call_tool("review_trace", arguments)
        if as_json:
            show_json(outcome)
            return
        written = outcome["memory"]
        out.print(f"{outcome['trace_id']}: {result}", markup=False)
        for update in outcome["q_updates"]:
            if update["q_after"] == update["q_before"]:  # the same verdict once more
                continue
            out.print(f"q_value of {update['memory_id']}: {update['q_before']:.3f} → {update['q_after']:.3f}")
        told = (
            f"memory {written['id']}, by {written['author']}" if written else f"reflection {outcome['ingest_status']}"
        )
        out.print(told, markup=False)
