"""`mcp-reflect import`, `export` and `prune`: for people, beside whoever owns the home."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Column, Table
from rich.text import Text

from mcp_reflect.errors import ConfigurationError, ReflectError

if TYPE_CHECKING:
    from mcp_reflect.bootstrap import Books

_out = Console(highlight=False)
_err = Console(stderr=True, highlight=False)

_SHOWN_TASK = 60


@contextmanager
def opened_books() -> Iterator[Books]:
    """The ledger of the settings in force; what goes wrong is told, and the exit code is 2."""
    from mcp_reflect.bootstrap import open_books  # noqa: PLC0415 - heavy
    from mcp_reflect.settings import load_settings  # noqa: PLC0415 - heavy

    try:
        with open_books(load_settings()) as books:
            yield books
    except ReflectError as error:
        _err.print(f"mcp-reflect: {error}", markup=False, soft_wrap=True)
        raise typer.Exit(2) from error


def _warn(warnings: list[str]) -> None:
    for warning in warnings:
        _err.print(f"mcp-reflect: {warning}", markup=False, soft_wrap=True)


def import_command(
    file: Annotated[Path, typer.Argument(help="A reflexion.jsonl: one error with its fix per line.")],
) -> None:
    """Take in errors and fixes from a reflexion.jsonl; lines that cannot be read are named and skipped."""
    from mcp_reflect.error_import import import_errors  # noqa: PLC0415 - heavy

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with opened_books() as books:
        text = _text_of(file)
        _warn(books.mirror.read())
        with Progress(*columns, console=_err, transient=True, disable=not _err.is_terminal) as bar:
            task = bar.add_task("embedding", total=None)
            done = import_errors(
                text,
                books.ledger,
                books.embedder,
                books.profile,
                books.clock,
                lambda done, total: bar.update(task, completed=done, total=total),
            )
        _warn(books.mirror.write())
    for broken in done.broken:
        _err.print(f"line {broken.number}: {broken.problem}; skipped", markup=False, soft_wrap=True)
    _out.print(
        f"{done.added} new, {done.changed} changed, {done.unchanged} as they were, {len(done.broken)} lines skipped"
    )


def _text_of(file: Path) -> str:
    try:
        return file.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise ConfigurationError(f"{file}: cannot be read ({error.strerror})") from error
    except UnicodeDecodeError as error:
        raise ConfigurationError(f"{file}: must be UTF-8 text") from error


def export_command(
    file: Annotated[Path, typer.Argument(help="Where to; - is the terminal.")] = Path("-"),
) -> None:
    """Write the project's errors and fixes as a reflexion.jsonl, oldest first; archived ones are left out."""
    from mcp_reflect.error_import import export_errors  # noqa: PLC0415 - heavy
    from mcp_reflect.error_mirror import replace_file  # noqa: PLC0415 - heavy

    with opened_books() as books:
        _warn(books.mirror.read())
        text = export_errors(books.ledger, books.profile)
        if file == Path("-"):
            typer.echo(text, nl=False)
            return
        try:
            replace_file(file, text)
        except OSError as error:
            raise ConfigurationError(f"{file}: cannot be written ({error.strerror})") from error
    _out.print(f"{len(text.splitlines())} errors written to {file}", markup=False)


def prune_command(
    apply: Annotated[bool, typer.Option("--apply", help="Archive them; without it they are only shown.")] = False,
) -> None:
    """Archive memories that reviews have shown to be useless; restorable, logged, and only shown without --apply."""
    from mcp_reflect.lifecycle import prune, to_prune  # noqa: PLC0415 - heavy

    with opened_books() as books:
        found = (prune if apply else to_prune)(books.ledger, books.profile, books.clock)
        if apply and found:
            _warn(books.mirror.write())
    table = Table(Column("memory", no_wrap=True), "kind", "task", "q_value", "reviews", "last used", "reason", box=None)
    for each in found:
        memory = each.memory
        used = memory.last_used_at.date().isoformat() if memory.last_used_at else "never"
        task = " ".join(memory.task.split())
        shown = task if len(task) <= _SHOWN_TASK else f"{task[: _SHOWN_TASK - 1]}…"
        figures = (f"{memory.q_value:.3f}", str(memory.reviews), used)
        table.add_row(memory.id, memory.kind, Text(shown), *figures, each.reason)
    if found:
        _out.print(table)
    _out.print(_summary(len(found), applied=apply))


def _summary(count: int, *, applied: bool) -> str:
    if not count:
        return "Nothing to prune."
    memories = "1 memory" if count == 1 else f"{count} memories"
    if applied:
        return f"{memories} archived; manage_memory with restore brings one back."
    return f"{memories} would be archived; mcp-reflect prune --apply does it."
