"""`mcp-reflect prune` and `purge`: what is of no use any more."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated

import typer

from mcp_reflect.cli.console import format_count, format_day, ledger_access, make_table, one_line, out, print_warnings


def prune_command(
    apply: Annotated[bool, typer.Option("--apply", help="Archive them; without it they are only shown.")] = False,
) -> None:
    """Archive memories that reviews have shown to be useless; restorable, logged, and only shown without --apply."""
    from mcp_reflect.application.lifecycle import find_memories_to_prune, prune_memories  # noqa: PLC0415 - heavy

    with ledger_access() as access:
        found = (prune_memories if apply else find_memories_to_prune)(access.ledger, access.profile, access.clock)
        if apply and found:
            print_warnings(access.mirror.write())
    table = make_table("memory", "kind", ">q_value", ">reviews", "used", "reason", "task")
    for each in found:
        memory = each.memory
        figures = (f"{memory.q_value:.3f}", str(memory.reviews), format_day(memory.last_used_at))
        table.add_row(memory.id, memory.kind, *figures, each.reason, one_line(memory.task))
    if found:
        out.print(table)
    out.print(_summary(len(found), applied=apply))


def _summary(count: int, *, applied: bool) -> str:
    if not count:
        return "Nothing to prune."
    memories = format_count(count, "memory", "memories")
    if applied:
        return f"{memories} archived; manage_memory with restore brings one back."
    return f"{memories} would be archived; mcp-reflect prune --apply does it."


def purge_command(
    older_than: Annotated[int, typer.Option("--older-than", min=0, help="Only insights of at least so many days.")] = 0,
    apply: Annotated[bool, typer.Option("--apply", help="Forget them; without it they are only shown.")] = False,
) -> None:
    """Forget the project's insights for good; runs, reviews and other memories stay. Only shown without --apply."""
    from mcp_reflect.application.insights.purge import find_insights_to_purge, purge_insights  # noqa: PLC0415 - heavy

    with ledger_access() as access:
        before = access.clock() - timedelta(days=older_than) if older_than else None
        if apply:
            found = purge_insights(access.ledger, access.embedder, access.profile, access.clock, before)
        else:
            found = find_insights_to_purge(access.ledger, access.profile, before)
    for memory in found:
        out.print(f"{memory.id}  {memory.status}  {memory.reflection}", markup=False, soft_wrap=True)
    out.print(f"{len(found)} insights forgotten" if apply else f"{len(found)} insights; --apply forgets them")
