"""`mcp-reflect purge`: for people, beside whoever owns the home."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated

import typer
from rich.console import Console

from mcp_reflect.error_commands import opened_books

_out = Console(highlight=False)


def purge_command(
    older_than: Annotated[int, typer.Option("--older-than", min=0, help="Only insights of at least so many days.")] = 0,
    apply: Annotated[bool, typer.Option("--apply", help="Forget them; without it they are only shown.")] = False,
) -> None:
    """Forget the project's insights for good; runs, reviews and other memories stay. Only shown without --apply."""
    from mcp_reflect.purging import purge, to_purge  # noqa: PLC0415 - heavy

    with opened_books() as books:
        before = books.clock() - timedelta(days=older_than) if older_than else None
        if apply:
            found = purge(books.ledger, books.embedder, books.profile, books.clock, before)
        else:
            found = to_purge(books.ledger, books.profile, before)
    for memory in found:
        _out.print(f"{memory.id}  {memory.status}  {memory.reflection}", markup=False, soft_wrap=True)
    _out.print(f"{len(found)} insights forgotten" if apply else f"{len(found)} insights; --apply forgets them")
