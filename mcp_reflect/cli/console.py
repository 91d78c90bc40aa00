"""What commands print and ask by: the two streams, hints, warnings, JSON, questions, progress."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import typer
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from mcp_reflect.domain.text.inert import escaped_json, visible
from mcp_reflect.errors import ConfigurationError

if TYPE_CHECKING:
    from mcp_reflect.application.ports import Progress as Told


class PlainConsole(Console):
    """A console on which no text can act: what is not seen is taken out of all that is printed.

    Styles are added after this, so only what came with the text goes. Where it is no terminal, lines are whole.
    """

    def print(self, *objects: Any, soft_wrap: bool | None = None, **options: Any) -> None:
        """Print as rich does; by default lines are wrapped on a terminal only."""
        super().print(*objects, soft_wrap=not self.is_terminal if soft_wrap is None else soft_wrap, **options)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Yield the segments of a renderable, the text of each cleaned by `visible`; control segments stay."""
        for segment in super().render(renderable, options):
            if segment.control:
                yield segment
            else:
                yield Segment(visible(segment.text), segment.style)


out = PlainConsole(highlight=False)
err = PlainConsole(stderr=True, highlight=False)
_notes = PlainConsole(stderr=True, highlight=False)


def set_quiet(quiet: bool) -> None:
    """Leave out progress and hints from here on; errors and warnings are still printed."""
    _notes.quiet = quiet


def note(text: str) -> None:
    """Print a hint to stderr where that is a terminal, unless the person wants none."""
    if _notes.is_terminal:
        _notes.print(text, markup=False, soft_wrap=True, style="dim")


def give_up_output() -> None:
    """Discard what Python still holds for stdout, so that ending does not fail again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def print_error(line: str, code: int) -> typer.Exit:
    """Print an error to stderr, and return what ends the command with this code."""
    err.print(f"mcp-reflect: {line}", markup=False, soft_wrap=True)
    return typer.Exit(code)


def read_argument(argument: str) -> str:
    """Return the argument itself, or all of stdin for `-`."""
    if argument != "-":
        return argument
    try:
        return sys.stdin.buffer.read().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ConfigurationError("stdin: must be UTF-8 text") from error


def show_json(document: object) -> None:
    """Write one document to stdout, unwrapped and in UTF-8."""
    text = escaped_json(json.dumps(document, ensure_ascii=False, indent=2))
    typer.echo(text.encode("utf-8", "backslashreplace"))


def print_warnings(warnings: list[str]) -> None:
    """Print warnings of the hub to stderr."""
    for warning in warnings:
        err.print(f"mcp-reflect: {warning}", markup=False, soft_wrap=True)


def confirm(question: str, *, yes: bool) -> None:
    """Ask, unless the answer came with the command; ends it where the answer is no, or nobody is there to give one."""
    answer = "y" if yes else ""
    while answer not in {"y", "yes"}:
        err.print(f"{question} [y/N]: ", end="", markup=False, soft_wrap=True)
        line = sys.stdin.readline()
        if not line:
            err.print()
            raise print_error("nobody is there to answer; --yes does it without asking", 1)
        answer = line.strip().lower()
        if answer in {"", "n", "no"}:
            raise typer.Abort


@contextmanager
def show_progress(doing: str) -> Iterator[Told]:
    """Show a bar on stderr while something takes its time; nothing where that is no terminal."""
    from rich.progress import (  # noqa: PLC0415 - few commands take long
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=_notes, transient=True, disable=not _notes.is_terminal) as bar:
        task = bar.add_task(doing, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
