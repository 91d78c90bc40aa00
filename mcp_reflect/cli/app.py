"""Commands for people. What a command shows goes to stdout, what went wrong to stderr with exit code 1 or 2."""

from __future__ import annotations

import io
import sys
from typing import Annotated, Any

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from mcp_reflect import __version__
from mcp_reflect.cli import backup, browse, export, forget, mirror, prune, rewrite, tool_commands
from mcp_reflect.cli.console import err, format_count, give_up_output, out, print_warnings, report_errors
from mcp_reflect.cli.doctor.commands import doctor_command
from mcp_reflect.cli.guide import guide_command
from mcp_reflect.cli.hook import hook_command
from mcp_reflect.cli.hub import hub_app
from mcp_reflect.cli.install.commands import install_command
from mcp_reflect.cli.learn import learn_command

app = typer.Typer(
    name="mcp-reflect",
    help="A memory of reflections for agents that learn from their own runs. Without a command: the MCP server.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
app.add_typer(hub_app, name="hub")
app.add_typer(mirror.mirror_app, name="mirror")
app.command("install")(install_command)
app.command("learn")(learn_command)
app.command("doctor")(doctor_command)
app.command("hook")(hook_command)
app.command("query")(tool_commands.query_command)
app.command("augment")(tool_commands.augment_command)
app.command("traces")(browse.traces_command)
app.command("show")(browse.show_command)
app.command("review")(tool_commands.review_command)
app.command("memories")(browse.memories_command)
app.command("why")(browse.why_command)
app.command("stats")(browse.stats_command)
app.command("guide")(guide_command)
app.command("forget")(forget.forget_command)
app.command("rewrite")(rewrite.rewrite_command)
app.command("backup")(backup.backup_command)
app.command("restore")(backup.restore_command)
app.command("export")(export.export_command)
app.command("import")(export.import_command)
app.command("prune")(prune.prune_command)
app.command("purge")(prune.purge_command)

AllOption = Annotated[bool, typer.Option("--all", help="Every project of the home, not only the present one.")]


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


def _maintain(command: str, *, everything: bool) -> list[dict[str, Any]]:
    """Have the owner of the home carry out a command, show its progress and lines, and return the events of lines."""
    from mcp_reflect.config.load import load_settings  # noqa: PLC0415 - heavy
    from mcp_reflect.hub.maintenance import MaintenanceEvent, request_maintenance  # noqa: PLC0415 - heavy

    lines: list[dict[str, Any]] = []
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with report_errors(), Progress(*columns, console=err, transient=True, disable=not err.is_terminal) as bar:
        task = bar.add_task(command, total=None)

        def show(event: MaintenanceEvent) -> None:
            if "line" in event:
                lines.append(event)
                out.print(event["line"], markup=False, soft_wrap=True)
            elif "doing" in event:
                bar.update(task, description=event["doing"], completed=event["done"], total=event["total"])
            elif "warning" in event:
                print_warnings([event["warning"]])

        request_maintenance(command, load_settings(), show, everything=everything)
    return lines


@app.command("verify")
def verify_command(everything: AllOption = False) -> None:
    """Check the ledger against the index and every q_value against its replay; exit code 1 if something differs."""
    findings = _maintain("verify", everything=everything)
    if findings:
        of_index = any(finding.get("store") == "index" for finding in findings)
        remedy = "mcp-reflect reindex` mends the index" if of_index else "mcp-reflect restore` puts a backup back"
        err.print(f"{format_count(len(findings), 'finding')}; `{remedy}")
        raise typer.Exit(1)
    out.print("Everything agrees.")


@app.command("reindex")
def reindex_command(everything: AllOption = False) -> None:
    """Embed what the present model has not embedded and fill the index anew from the ledger."""
    _maintain("reindex", everything=everything)


@app.command("demo")
def demo_command() -> None:
    """Show the whole loop in a temporary home: a scripted agent works, fails, learns, and does better."""
    import anyio  # noqa: PLC0415 - heavy

    from mcp_reflect.cli.demo import run_demo  # noqa: PLC0415 - heavy

    sys.exit(anyio.run(run_demo, out))


def run_command_line() -> None:
    """Run the command line, on whatever stdout is: a terminal, a pipe of any encoding, a full disk."""
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
