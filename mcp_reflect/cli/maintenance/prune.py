"""`mcp-reflect prune`, `merge` and `purge`: what is of no use any more, or there twice."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Annotated

import typer

from mcp_reflect.cli.common_options import JsonOption
from mcp_reflect.cli.console import out, print_warnings, show_json
from mcp_reflect.cli.formats import format_count, format_day
from mcp_reflect.cli.layout import head, lesson_line, show_entry
from mcp_reflect.cli.memory_access import ledger_access

if TYPE_CHECKING:
    from mcp_reflect.bootstrap.ledger import LedgerAccess

_OLDEST_DAYS = 36_500


def prune_command(
    apply: Annotated[bool, typer.Option("--apply", help="Archive them; without it they are only shown.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Archive memories that reviews have shown to be useless; restorable, logged, and only shown without --apply."""
    from mcp_reflect.application.lifecycle import find_memories_to_prune, prune_memories  # noqa: PLC0415 - heavy

    with ledger_access() as access:
        found = (prune_memories if apply else find_memories_to_prune)(access.ledger, access.profile, access.clock)
        if apply and found:
            print_warnings(access.mirror.write())
    if as_json:
        listed = [{"id": each.memory.id, "q_value": each.memory.q_value, "reason": each.reason} for each in found]
        show_json({"applied": apply, "memories": listed})
        return
    for each in found:
        memory = each.memory
        facts = (
            memory.kind,
            f"q_value {memory.q_value:.3f}",
            f"used {format_day(memory.last_used_at.isoformat() if memory.last_used_at else None)}",
            each.reason,
        )
        show_entry(head(memory.id, *facts), lesson_line(memory.reflection))
    if found:
        out.print(_summary(len(found), applied=apply))
    else:
        _say_nothing_found("Nothing to prune", access)


def _say_nothing_found(nothing: str, access: LedgerAccess) -> None:
    out.print(f"{nothing} in project {access.profile.project}.", markup=False, soft_wrap=True)


def _summary(count: int, *, applied: bool) -> str:
    memories = format_count(count, "memory", "memories")
    if applied:
        return f"{memories} archived; mcp-reflect memory restore brings one back."
    return f"{memories} would be archived; mcp-reflect prune --apply does it."


def merge_command(
    apply: Annotated[bool, typer.Option("--apply", help="Merge them; without it they are only shown.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Merge lessons and claims that say the same into the earliest, with their runs and records; shown without --apply.

    New runs join the lesson that they bear out by themselves; this is for what was stored before they did.
    """
    from mcp_reflect.application.maintenance.merge import find_copies, merge_copies  # noqa: PLC0415 - heavy

    with ledger_access() as access:
        if apply:
            found = merge_copies(access.ledger, access.profile, access.embedder, access.clock)
        else:
            found = find_copies(access.ledger, access.profile, access.embedder)
        if apply and found:
            print_warnings(access.mirror.write())
    if as_json:
        pairs = [{"id": each.copy.id, "kept": each.kept.id, "reflection": each.copy.reflection} for each in found]
        show_json({"applied": apply, "copies": pairs})
        return
    for each in found:
        facts = (each.copy.kind, f"says the same as {each.kept.id}")
        show_entry(head(each.copy.id, *facts), lesson_line(each.copy.reflection))
    if not found:
        _say_nothing_found("No copies", access)
        return
    copies = format_count(len(found), "copy", "copies")
    out.print(f"{copies} merged." if apply else f"{copies} would be merged; mcp-reflect merge --apply does it.")


def purge_command(
    older_than: Annotated[
        int, typer.Option("--older-than", min=0, max=_OLDEST_DAYS, help="Only insights of at least so many days.")
    ] = 0,
    apply: Annotated[bool, typer.Option("--apply", help="Forget them; without it they are only shown.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Forget the project's insights for good; runs, reviews and other memories stay. Only shown without --apply."""
    from mcp_reflect.application.insights.purge import find_insights_to_purge, purge_insights  # noqa: PLC0415 - heavy

    with ledger_access() as access:
        before = access.clock() - timedelta(days=older_than) if older_than else None
        if apply:
            found = purge_insights(access.ledger, access.embedder, access.profile, access.clock, before)
        else:
            found = find_insights_to_purge(access.ledger, access.profile, before)
    if as_json:
        show_json({"applied": apply, "insights": [{"id": each.id, "insight": each.reflection} for each in found]})
        return
    for memory in found:
        show_entry(head(memory.id, memory.status), lesson_line(memory.reflection))
    if not found:
        _say_nothing_found("No insights to forget", access)
        return
    insights = format_count(len(found), "insight")
    out.print(
        f"{insights} forgotten." if apply else f"{insights} would be forgotten; mcp-reflect purge --apply does it."
    )
