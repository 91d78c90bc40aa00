"""`mcp-reflect rewrite`: what was written without a model, by the model that is configured now."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Annotated

import typer

from mcp_reflect.cli.common_options import JsonOption, YesOption
from mcp_reflect.cli.console import confirm, err, note, out, show_json, show_progress
from mcp_reflect.cli.formats import format_count
from mcp_reflect.cli.memory_access import ledger_access
from mcp_reflect.cli.settings import current_settings

if TYPE_CHECKING:
    from mcp_reflect.application.ports import Reflector
    from mcp_reflect.bootstrap.ledger import LedgerAccess
    from mcp_reflect.domain.models import Memory


def rewrite_command(
    limit: Annotated[int | None, typer.Option(min=1, help="Most reflections to rewrite.")] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only show how many there are and what they cost.")
    ] = False,
    yes: YesOption = False,
    as_json: JsonOption = False,
) -> None:
    """Have reflections that were written without a model written anew by it; q_values and reviews stay."""
    from mcp_reflect.application.maintenance.rewrite import (  # noqa: PLC0415 - heavy
        estimate_cost,
        find_memories_to_rewrite,
    )
    from mcp_reflect.bootstrap.use_cases import open_reflector  # noqa: PLC0415 - heavy

    with ledger_access() as access:
        wanted = current_settings()
        prompts, reflector = open_reflector(wanted, access)
        found = find_memories_to_rewrite(access.ledger, access.profile, limit)
        if not found:
            show_json({"found": 0, "rewritten": 0}) if as_json else out.print("Nothing to rewrite.")
            return
        cost = estimate_cost(access.ledger, prompts, found)
        say = note if as_json else functools.partial(out.print, markup=False, soft_wrap=True)
        say(
            f"{format_count(cost.memories, 'reflection')} by {wanted.reflection.model}: about {cost.prompt_tokens:,} "
            f"tokens of prompts and {cost.answer_tokens:,} of answers"
        )
        if dry_run:
            if as_json:
                show_json({"found": cost.memories, "prompt_tokens": cost.prompt_tokens, "rewritten": 0})
            return
        confirm("Go on?", yes=yes)
        _rewrite(access, reflector, found, wanted.reflection.max_tokens_per_day, as_json=as_json)


def _rewrite(
    access: LedgerAccess,
    reflector: Reflector,
    found: list[Memory],
    tokens_per_day: int,
    *,
    as_json: bool,
) -> None:
    """Rewrite what was found, name what was left as it was, and say how many were done, also after an interrupt."""
    from mcp_reflect.application.maintenance.rewrite import rewrite_reflections  # noqa: PLC0415 - heavy

    done = left = 0
    try:
        with show_progress("rewriting") as told:
            for each in rewrite_reflections(
                access.ledger, access.embedder, reflector, access.clock, found, tokens_per_day
            ):
                if each.problem:
                    left += 1
                    err.print(f"{each.memory.id}: {each.problem}", markup=False, soft_wrap=True)
                else:
                    done += 1
                told(done + left, len(found))
    finally:
        more = f", {len(found) - done:,} left; run it again to go on" if done < len(found) else ""
        if as_json:
            show_json({"found": len(found), "rewritten": done})
        else:
            out.print(f"{done:,} rewritten{more}")
