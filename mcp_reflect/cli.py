"""Commands for people. What a command shows goes to stdout, what went wrong to stderr with exit code 1 or 2."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from mcp_reflect import __version__
from mcp_reflect.doctor.commands import doctor_command
from mcp_reflect.error_commands import export_command, import_command, prune_command
from mcp_reflect.errors import ReflectError
from mcp_reflect.hooks.command import hook_command
from mcp_reflect.hub.commands import hub_app
from mcp_reflect.insight_commands import purge_command
from mcp_reflect.install.commands import install_command

app = typer.Typer(
    name="mcp-reflect",
    help="A memory of reflections for agents that learn from their own runs. Without a command: the MCP server.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
app.add_typer(hub_app, name="hub")
app.command("hook")(hook_command)
app.command("import")(import_command)
app.command("export")(export_command)
app.command("prune")(prune_command)
app.command("purge")(purge_command)
app.command("install")(install_command)
app.command("doctor")(doctor_command)
_out = Console(highlight=False)
_err = Console(stderr=True, highlight=False)

Everything = Annotated[bool, typer.Option("--all", help="Every project of the home, not only the present one.")]


def _version(wanted: bool) -> None:
    if wanted:
        _out.print(f"mcp-reflect {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")] = (
        False
    ),
) -> None:
    pass


@contextmanager
def _errors_told() -> Iterator[None]:
    try:
        yield
    except ReflectError as error:
        _err.print(f"mcp-reflect: {error}", markup=False, soft_wrap=True)
        raise typer.Exit(2) from error


def _maintain(command: str, *, everything: bool) -> int:
    """Have the owner of the home do it and show what it tells; how much differed."""
    from mcp_reflect.hub.maintenance import Event, maintain  # noqa: PLC0415 - heavy
    from mcp_reflect.settings import load_settings  # noqa: PLC0415 - heavy

    findings = 0
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with _errors_told(), Progress(*columns, console=_err, transient=True, disable=not _err.is_terminal) as bar:
        task = bar.add_task(command, total=None)

        def show(event: Event) -> None:
            nonlocal findings
            if "line" in event:
                _out.print(event["line"], markup=False, soft_wrap=True)
            elif "doing" in event:
                bar.update(task, description=event["doing"], completed=event["done"], total=event["total"])
            findings = event.get("findings", findings)

        maintain(command, load_settings(), show, everything=everything)
    return findings


@app.command()
def verify(everything: Everything = False) -> None:
    """Check the ledger against the index and every q_value against its replay; exit code 1 if something differs."""
    differing = _maintain("verify", everything=everything)
    if differing:
        _err.print(f"{differing} findings; `mcp-reflect reindex` mends the index")
        raise typer.Exit(1)
    _out.print("Everything agrees.")


@app.command()
def reindex(everything: Everything = False) -> None:
    """Embed what the present model has not embedded and fill the index anew from the ledger."""
    _maintain("reindex", everything=everything)


@app.command()
def demo() -> None:
    """Show the whole loop in a temporary home: a scripted agent works, fails, learns, and does better."""
    import anyio  # noqa: PLC0415 - heavy

    from mcp_reflect.demo import run  # noqa: PLC0415 - heavy

    sys.exit(anyio.run(run, _out))
