"""Commands for people. What a command shows goes to stdout, what went wrong to stderr with exit code 1 or 2."""

from __future__ import annotations

import io
import sys
from typing import Annotated

import typer

from mcp_reflect import __version__
from mcp_reflect.cli import backup, browse, export, forget, maintain, mirror, prune, rewrite, show, tool_commands, why
from mcp_reflect.cli.common_options import PlainGroup, register
from mcp_reflect.cli.console import err, give_up_output, out
from mcp_reflect.cli.doctor.commands import doctor_command
from mcp_reflect.cli.guide import guide_command
from mcp_reflect.cli.hook import hook_command
from mcp_reflect.cli.hub import hub_app
from mcp_reflect.cli.install.commands import install_command
from mcp_reflect.cli.learn import learn_command
from mcp_reflect.cli.memory import memory_app

app = typer.Typer(
    name="mcp-reflect",
    cls=PlainGroup,
    help="A memory of reflections for agents that learn from their own runs. Without a command: the MCP server.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


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


def demo_command() -> None:
    """Show the whole loop in a temporary home: a scripted agent works, fails, learns, and does better."""
    import anyio  # noqa: PLC0415 - heavy

    from mcp_reflect.cli.demo import run_demo  # noqa: PLC0415 - heavy

    sys.exit(anyio.run(run_demo, out))


_START, _LOOK, _CHANGE, _KEEP, _MAINTAIN = "Start", "Look", "Change", "Move and save", "Maintain"

register(app, "demo", demo_command, "demo", panel=_START, of_project=False)
register(app, "install", install_command, "install claude-code --dry-run", panel=_START, of_project=False)
register(app, "learn", learn_command, "learn --dry-run", "learn --since 30d", panel=_START, of_project=False)
register(app, "doctor", doctor_command, "doctor", panel=_START, of_project=False)
register(app, "query", tool_commands.query_command, "query change my flight", "query deploy --limit 3", panel=_LOOK)
register(app, "augment", tool_commands.augment_command, "augment change my flight", panel=_LOOK)
register(app, "traces", browse.traces_command, "traces --status pending", panel=_LOOK)
register(app, "memories", browse.memories_command, "memories --kind error --sort age", panel=_LOOK)
register(app, "show", show.show_command, "show trace_46d", "show mem_phk4", panel=_LOOK)
register(app, "why", why.why_command, "why mem_phk4", "why trace_46d", panel=_LOOK)
register(app, "stats", browse.stats_command, panel=_LOOK)
register(app, "projects", browse.projects_command, panel=_LOOK)
register(app, "guide", guide_command, "guide --output GUIDE.md", panel=_LOOK)
register(app, "review", tool_commands.review_command, "review trace_46d pass --feedback 'tests green'", panel=_CHANGE)
app.add_typer(memory_app, name="memory", rich_help_panel=_CHANGE)
register(app, "rewrite", rewrite.rewrite_command, "rewrite --dry-run", panel=_CHANGE)
app.add_typer(mirror.mirror_app, name="mirror", rich_help_panel=_CHANGE)
register(app, "prune", prune.prune_command, "prune", "prune --apply", panel=_CHANGE)
register(app, "purge", prune.purge_command, "purge --older-than 30 --apply", panel=_CHANGE)
register(app, "forget", forget.forget_command, "forget trace_46d", panel=_CHANGE)
register(app, "export", export.export_command, "export airline.jsonl", panel=_KEEP)
register(app, "import", export.import_command, "import airline.jsonl --here", panel=_KEEP)
register(app, "backup", backup.backup_command, "backup reflect.tar", panel=_KEEP, of_project=False)
register(app, "restore", backup.restore_command, "restore reflect.tar", panel=_KEEP, of_project=False)
register(app, "verify", maintain.verify_command, "verify --all", panel=_MAINTAIN)
register(app, "reindex", maintain.reindex_command, panel=_MAINTAIN)
app.add_typer(hub_app, name="hub", rich_help_panel=_MAINTAIN)
register(app, "hook", hook_command, panel="For programs", of_project=False)


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
