"""Commands for people. What a command shows goes to stdout, what went wrong to stderr with exit code 1 or 2."""

from __future__ import annotations

import gc
import importlib
import io
import os
import sys
from dataclasses import dataclass
from typing import Annotated

import typer

from mcp_reflect.cli.common_options import PlainGroup, register
from mcp_reflect.cli.console import err, give_up_output, out
from mcp_reflect.wire.version import __version__

_START, _LOOK, _CHANGE, _KEEP, _MAINTAIN = "Start", "Look", "Change", "Move and save", "Maintain"


@dataclass(frozen=True)
class _Entry:
    """A command of the list. `where` is `module:name` below `mcp_reflect.cli`, of a function or of a group's app."""

    panel: str
    where: str
    examples: tuple[str, ...] = ()
    of_project: bool = True


_COMMANDS = {
    "demo": _Entry(_START, "demo.command:demo_command", ("demo",), of_project=False),
    "install": _Entry(_START, "install.commands:install_command", ("install claude-code --dry-run",), of_project=False),
    "learn": _Entry(_START, "learn:learn_command", ("learn --dry-run", "learn --since 30d"), of_project=False),
    "doctor": _Entry(_START, "doctor.commands:doctor_command", ("doctor",), of_project=False),
    "query": _Entry(_LOOK, "tool_commands:query_command", ("query change my flight", "query deploy --limit 3")),
    "augment": _Entry(_LOOK, "tool_commands:augment_command", ("augment change my flight",)),
    "traces": _Entry(_LOOK, "records.browse:traces_command", ("traces --status pending",)),
    "memories": _Entry(_LOOK, "records.browse:memories_command", ("memories --kind error --sort age",)),
    "show": _Entry(_LOOK, "records.show:show_command", ("show trace_46d", "show mem_phk4")),
    "why": _Entry(_LOOK, "records.why:why_command", ("why mem_phk4", "why trace_46d")),
    "stats": _Entry(_LOOK, "records.stats:stats_command"),
    "projects": _Entry(_LOOK, "records.browse:projects_command"),
    "guide": _Entry(_LOOK, "guide:guide_command", ("guide --output GUIDE.md",)),
    "review": _Entry(_CHANGE, "tool_commands:review_command", ("review trace_46d pass --feedback 'tests green'",)),
    "memory": _Entry(_CHANGE, "maintenance.memory:memory_app"),
    "rewrite": _Entry(_CHANGE, "maintenance.rewrite:rewrite_command", ("rewrite --dry-run",)),
    "mirror": _Entry(_CHANGE, "maintenance.mirror:mirror_app"),
    "prune": _Entry(_CHANGE, "maintenance.prune:prune_command", ("prune", "prune --apply")),
    "merge": _Entry(_CHANGE, "maintenance.prune:merge_command", ("merge", "merge --apply")),
    "purge": _Entry(_CHANGE, "maintenance.prune:purge_command", ("purge --older-than 30 --apply",)),
    "forget": _Entry(_CHANGE, "maintenance.forget:forget_command", ("forget trace_46d",)),
    "export": _Entry(_KEEP, "maintenance.export:export_command", ("export airline.jsonl",)),
    "import": _Entry(_KEEP, "maintenance.export:import_command", ("import airline.jsonl --here",)),
    "backup": _Entry(_KEEP, "maintenance.backup:backup_command", ("backup reflect.tar",), of_project=False),
    "restore": _Entry(_KEEP, "maintenance.backup:restore_command", ("restore reflect.tar",), of_project=False),
    "verify": _Entry(_MAINTAIN, "maintenance.verify:verify_command", ("verify --all",)),
    "reindex": _Entry(_MAINTAIN, "maintenance.verify:reindex_command"),
    "hub": _Entry(_MAINTAIN, "hub:hub_app"),
    "hook": _Entry("For programs", "hook:hook_command", of_project=False),
}


def build_app(only: str = "") -> typer.Typer:
    """Return the command line with all commands, or with one alone: a person who calls it waits for its imports."""
    app = typer.Typer(
        name="mcp-reflect",
        cls=PlainGroup,
        help="A memory of reflections for agents that learn from their own runs. Without a command: the MCP server.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_options)
    for name, entry in _COMMANDS.items():
        if not only or name == only:
            module, _, member = entry.where.partition(":")
            command = getattr(importlib.import_module(f"mcp_reflect.cli.{module}"), member)
            if isinstance(command, typer.Typer):
                app.add_typer(command, name=name, rich_help_panel=entry.panel)
            else:
                register(app, name, command, *entry.examples, panel=entry.panel, of_project=entry.of_project)
    return app


def _version(wanted: bool) -> None:
    if wanted:
        out.print(f"mcp-reflect {__version__}")
        raise typer.Exit


def _options(
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")] = (
        False
    ),
) -> None:
    pass


def run_command_line() -> None:
    """Run the command line, on whatever stdout is: a terminal, a pipe of any encoding, a full disk."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    first = _first_argument()
    try:
        try:
            app = build_app(first if first in _COMMANDS else "")
            gc.freeze()  # what the imports made, so that nobody looks for garbage in it
            gc.enable()
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


def _first_argument() -> str:
    """Return the first argument, also that of a command line that a shell completes; empty where there is none."""
    words = sys.argv
    if len(words) == 1:
        words = (os.environ.get("COMP_WORDS") or os.environ.get("_TYPER_COMPLETE_ARGS", "")).split()
    return words[1] if len(words) > 1 else ""
