"""The options that every command has, and the classes by which commands show their help."""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable
from typing import Annotated, Any, get_type_hints

import typer
from typer.core import TyperArgument, TyperCommand, TyperGroup

from mcp_reflect.cli import console

ProjectOption = Annotated[
    str, typer.Option("--project", metavar="NAME", help="Of this project, not that of the working directory.")
]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="No progress and no hints; errors are shown.")]


def _without_needless_types(parameters: list[Any]) -> list[Any]:
    """Flags take no value, and arguments that are no choice take text: their help names no type."""
    for each in parameters:
        if getattr(each, "is_flag", False):
            each.metavar = ""
        elif isinstance(each, TyperArgument) and not each.type_descriptor.is_choice:
            each.display_type_rich = lambda ctx: ""  # type: ignore[method-assign] # noqa: ARG005 - typer asks with it
    return parameters


def _plain(message: str) -> str:
    """A message of pydantic, by which typer checks values, in words for people."""
    message = message.removeprefix("Value error, ")
    if not message.startswith("Input should be "):
        return message
    wanted = message.removeprefix("Input should be ").partition(", unable to")[0]
    return f"must be {wanted.replace('a valid integer', 'a whole number').replace('a valid number', 'a number')}"


class PlainCommand(TyperCommand):
    """A command whose help shows no needless type, and whose errors are worded for people."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments. Raises BadParameter for a value that is not allowed."""
        try:
            return super().parse_args(ctx, args)
        except typer.BadParameter as error:
            error.message = _plain(error.message)
            raise

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters with that of --help."""
        return _without_needless_types(super().get_params(ctx))


class PlainGroup(TyperGroup):
    """A group of commands whose help shows no needless type."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters with that of --help."""
        return _without_needless_types(super().get_params(ctx))


def register(
    app: typer.Typer, name: str, command: Callable[..., Any], *examples: str, panel: str = "", of_project: bool = True
) -> None:
    """Add a command with the common options; `of_project` means that it works on one project.

    `examples` are command lines without the program's name, shown below the help; `panel` is the heading under which
    the list of commands shows it.
    """
    shown = "\n\n".join(f"mcp-reflect {each}" for each in examples)
    app.command(
        name, cls=PlainCommand, epilog=f"Examples:\n\n{shown}" if examples else None, rich_help_panel=panel or None
    )(_with_common_options(command, of_project=of_project))


def _with_common_options(command: Callable[..., Any], *, of_project: bool) -> Callable[..., Any]:
    @functools.wraps(command)
    def run(*, quiet: bool = False, **arguments: Any) -> Any:
        console.set_quiet(quiet)
        if of_project and (project := arguments.pop("project")):
            # One process runs one command: from here on this is the project of the settings, also for a hub asked.
            os.environ["MCP_REFLECT_PROJECT"] = project
        return command(**arguments)

    hints = get_type_hints(command, include_extras=True)
    own = [each.replace(annotation=hints[each.name]) for each in inspect.signature(command).parameters.values()]
    more = [inspect.Parameter("quiet", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=QuietOption)]
    if of_project:
        more.insert(
            0, inspect.Parameter("project", inspect.Parameter.KEYWORD_ONLY, default="", annotation=ProjectOption)
        )
    run.__annotations__ = {each.name: each.annotation for each in (*own, *more)}
    run.__signature__ = inspect.Signature([*own, *more])  # type: ignore[attr-defined]
    return run
