"""Shared parts of the commands: the two streams, errors as one line, progress, JSON, access to the memory."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from mcp_reflect.domain.text.inert import escaped_json, visible
from mcp_reflect.errors import ConfigurationError, ReflectError, UnknownId

if TYPE_CHECKING:
    from mcp_reflect.application.ports import Progress as Told
    from mcp_reflect.bootstrap.ledger import LedgerAccess
    from mcp_reflect.config.load import Settings
    from mcp_reflect.wire.caller import RemoteError


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


_PROJECT_VARIABLE = "MCP_REFLECT_PROJECT"
_typed = {"project": ""}


def set_project(project: str) -> None:
    """Work on the project of `--project`, also where a hub is asked; an empty one leaves that of the settings.

    One that no project can have is reported, and ends the command.
    """
    _typed["project"] = project
    if project:
        from mcp_reflect.config.project import check_project_id  # noqa: PLC0415 - only where one is named

        with report_errors():
            try:
                check_project_id(project)
            except ValueError as error:
                raise ConfigurationError(f"--project: got {project!r}, {error}") from None
        os.environ[_PROJECT_VARIABLE] = project  # one process runs one command


def origin_of_project(told: str) -> str:
    """Return what the project was taken from, as the person sees it; `told` is what the settings say."""
    return "--project" if _typed["project"] and told == _PROJECT_VARIABLE else told


JsonOption = Annotated[bool, typer.Option("--json", help="One JSON document, for programs.")]
YesOption = Annotated[bool, typer.Option("--yes", "-y", help="Do it without asking.")]

_EXIT_USAGE = 2
_CLIENT = "mcp-reflect command"


@contextmanager
def report_errors(typed: Mapping[str, str] | None = None) -> Iterator[None]:
    """Report an error in one line and end the command; exit code 2, or 1 where no server could be had.

    `typed` says what a person types for an argument where this command calls it otherwise than the others.
    """
    from mcp_reflect.wire import caller, hub_errors  # noqa: PLC0415 - most commands start without them

    try:
        yield
    except (ReflectError, caller.RemoteError) as error:
        raise _print_error(_for_people(error, typed or {}), _EXIT_USAGE) from error
    except caller.ConnectionLost as error:
        raise _print_error(str(error), 1) from error
    except hub_errors.HubUnavailable as error:
        raise _print_error(str(error), error.exit_code) from error
    except BrokenPipeError:
        give_up_output()  # The reader has seen enough.
        raise typer.Exit(1) from None
    except OSError as error:
        if error.filename is None:
            give_up_output()
        problem = f"{error.filename or 'the output'}: {error.strerror}"
        raise _print_error(problem, _EXIT_USAGE) from error


def give_up_output() -> None:
    """Discard what Python still holds for stdout, so that ending does not fail again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _print_error(line: str, code: int) -> typer.Exit:
    err.print(f"mcp-reflect: {line}", markup=False, soft_wrap=True)
    return typer.Exit(code)


_TYPED = {
    "task": "TEXT",
    "lambda_": "--lambda",
    "metadata_filter": "--filter",
    "helpful_memory_ids": "--helpful",
    "harmful_memory_ids": "--harmful",
    "trace_id": "ID",
    "memory_id": "ID",
    "record_id": "ID",
}
"""Arguments by what a person types for them; others are typed as an option of their name."""


def _for_people(error: ReflectError | RemoteError, typed: Mapping[str, str]) -> str:
    """Return an error in words for a person: its argument as one types it, and which commands list ids."""
    if not error.argument:
        return error.message
    told = f"{typed.get(error.argument) or typed_name(error.argument)}: {error.message}."
    if error.code == UnknownId.code:
        known = f"ids of project {current_settings().project}"
        told += f" Allowed: {known}, as issued by `mcp-reflect traces` and `mcp-reflect memories`."
    return told


def typed_name(argument: str) -> str:
    """Return what a person types for an argument of a tool: `--key-mistake` for key_mistake, `ID` for trace_id."""
    return _TYPED.get(argument, "--" + argument.replace("_", "-"))


@contextmanager
def ledger_access() -> Iterator[LedgerAccess]:
    """Open the ledger of the settings in force, beside whoever owns the home."""
    from mcp_reflect.bootstrap.ledger import open_ledger_access  # noqa: PLC0415 - heavy

    with report_errors(), open_ledger_access(current_settings()) as access:
        yield access


def current_settings() -> Settings:
    """Return the settings in force. Raises ConfigurationError."""
    from mcp_reflect.config.load import load_settings  # noqa: PLC0415 - heavy

    return load_settings()


def call_tool(tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the structured result of a tool, from the home's hub."""
    from mcp_reflect.wire.caller import Caller  # noqa: PLC0415 - as above

    with Caller(client=_CLIENT, starting=say_hub_starts) as caller:
        result: dict[str, Any] = caller.call(tool, arguments)
        print_warnings(caller.warnings)
        return result


def say_hub_starts(*_: object) -> None:
    """Tell a person at a terminal what they wait for."""
    note("starting the hub …")


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


def refuse_own_file(file: Path, wanted: Settings) -> None:
    """Raise ConfigurationError for a file that the home lives by; nothing else is written over it."""
    from mcp_reflect.config.home import is_own  # noqa: PLC0415 - heavy

    if is_own(wanted.home, file):
        raise ConfigurationError(f"{file}: belongs to the memory itself and would be lost; name another file")


def confirm(question: str, *, yes: bool) -> None:
    """Ask, unless the answer came with the command; ends it where the answer is no, or nobody is there to give one."""
    answer = "y" if yes else ""
    while answer not in {"y", "yes"}:
        err.print(f"{question} [y/N]: ", end="", markup=False, soft_wrap=True)
        line = sys.stdin.readline()
        if not line:
            err.print()
            raise _print_error("nobody is there to answer; --yes does it without asking", 1)
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


def format_day(moment: str | None) -> str:
    """Return the local date of a time in ISO 8601; `never` for None."""
    return "never" if moment is None else datetime.fromisoformat(moment).astimezone().strftime("%Y-%m-%d")


def format_minute(moment: str) -> str:
    """Return a time in ISO 8601 to the minute, local, with its offset from UTC: `2026-11-22 18:35+01:00`."""
    return datetime.fromisoformat(moment).astimezone().isoformat(" ", "minutes")


def format_count(number: int, thing: str, things: str = "") -> str:
    """Return a number with its noun: `1 memory`, `2 memories`."""
    return f"{number:,} {thing if number == 1 else things or thing + 's'}"
