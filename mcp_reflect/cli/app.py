"""Commands for people. What a command shows goes to stdout, what went wrong to stderr with exit code 1 or 2."""

from __future__ import annotations

import io
import sys
from typing import Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from mcp_reflect import __version__
from mcp_reflect.cli import backup, browse, export, forget, prune, rewrite, tool_commands
from mcp_reflect.cli.console import counted, err, errors_told, give_up_output, out, warn
from mcp_reflect.cli.doctor.commands import doctor_command
from mcp_reflect.cli.hook import hook_command
from mcp_reflect.cli.hub import hub_app
from mcp_reflect.cli.install.commands import install_command

app = typer.Typer(
    name="mcp-reflect",
    help="A memory of reflections for agents that learn from their own runs. Without a command: the MCP server.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
app.add_typer(hub_app, name="hub")
app.command("install")(install_command)
app.command("doctor")(doctor_command)
app.command("hook")(hook_command)
app.command()(tool_commands.query)
app.command()(tool_commands.augment)
app.command()(browse.traces)
app.command()(browse.show)
app.command()(tool_commands.review)
app.command()(browse.memories)
app.command()(browse.why)
app.command()(browse.stats)
app.command()(forget.forget)
app.command()(rewrite.rewrite)
app.command()(backup.backup)
app.command()(backup.restore)
app.command("export")(export.export_command)
app.command("import")(export.import_command)
app.command("prune")(prune.prune_command)
app.command("purge")(prune.purge_command)

Everything = Annotated[bool, typer.Option("--all", help="Every project of the home, not only the present one.")]


def _version(wanted: bool) -> None:
    if wanted:
        out.print(f"mcp-reflect {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")] = (
        False
    ),
) -> None:
    pass


def _maintain(command: str, *, everything: bool) -> list[str]:
    """Have the owner of the home do it and show what it tells, line by line; what that was."""
    from mcp_reflect.config.load import load_settings  # noqa: PLC0415 - heavy
    from mcp_reflect.hub.maintenance import Event, maintain  # noqa: PLC0415 - heavy

    lines: list[str] = []
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with errors_told(), Progress(*columns, console=err, transient=True, disable=not err.is_terminal) as bar:
        task = bar.add_task(command, total=None)

        def show(event: Event) -> None:
            if "line" in event:
                lines.append(event["line"])
                out.print(event["line"], markup=False, soft_wrap=True)
            elif "doing" in event:
                bar.update(task, description=event["doing"], completed=event["done"], total=event["total"])
            elif "warning" in event:
                warn([event["warning"]])

        maintain(command, load_settings(), show, everything=everything)
    return lines


@app.command()
def verify(everything: Everything = False) -> None:
    """Check the ledger against the index and every q_value against its replay; exit code 1 if something differs."""
    findings = _maintain("verify", everything=everything)
    if findings:
        of_index = any("reindex" in finding or "the index" in finding for finding in findings)
        remedy = "mcp-reflect reindex` mends the index" if of_index else "mcp-reflect restore` puts a backup back"
        err.print(f"{counted(len(findings), 'finding')}; `{remedy}")
        raise typer.Exit(1)
    out.print("Everything agrees.")


@app.command()
def reindex(everything: Everything = False) -> None:
    """Embed what the present model has not embedded and fill the index anew from the ledger."""
    _maintain("reindex", everything=everything)


@app.command()
def demo() -> None:
    """Show the whole loop in a temporary home: a scripted agent works, fails, learns, and does better."""
    import anyio  # noqa: PLC0415 - heavy

    from mcp_reflect.cli.demo import run  # noqa: PLC0415 - heavy

    sys.exit(anyio.run(run, out))


def run() -> None:
    """The command line, on whatever stdout is: a terminal, a pipe of any encoding, a full disk."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        try:
            app()
        finally:
            sys.stdout.flush()
    except BrokenPipeError:
        give_up_output()
        sys.exit(1)
    except OSError as error:
        give_up_output()
        err.print(f"mcp-reflect: {error.filename or 'stdout'}: cannot be written ({error.strerror})", markup=False)
        sys.exit(2)
