"""The options that commands share, and the classes by which commands show their help."""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

import typer
from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption
from typer.exceptions import TyperException

from mcp_reflect.cli import console
from mcp_reflect.cli.project import set_project

ProjectOption = Annotated[
    str, typer.Option("--project", metavar="NAME", help="Of this project, not that of the working directory.")
]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="No progress and no hints; errors are shown.")]
JsonOption = Annotated[bool, typer.Option("--json", help="One JSON document, for programs.")]
YesOption = Annotated[bool, typer.Option("--yes", "-y", help="Do it without asking.")]


class _UsualValues:
    """Takes the values that people usually type as they are, and leaves all others to typer.

    Typer checks values by pydantic, whose import takes longer than all else that a command for reading does.
    """

    def __init__(self, parameter: Any) -> None:
        self._by_typer = parameter.get_runtime_param
        self._type = parameter.type_descriptor

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return a value as the command takes it. Raises BadParameter."""
        several = param.multiple or param.nargs == -1
        if value is None:
            return () if several else None
        wanted = self._type.annotation
        if several and wanted == list[str]:
            return list(value)
        if not several and (wanted is str or (get_origin(wanted) is Literal and value in get_args(wanted))):
            return value
        if wanted is int and (number := _whole_number(value)) is not None and self._allows(number):
            return number
        return self._by_typer().coerce(value, param=param, ctx=ctx)

    def _allows(self, number: int) -> bool:
        allowed = self._type.parameter_info
        return (allowed.min is None or number >= allowed.min) and (allowed.max is None or number <= allowed.max)


def _whole_number(value: Any) -> int | None:
    if isinstance(value, str) and value.isascii() and value.isdigit():
        return int(value)
    return value if type(value) is int else None


def _with_light_checks(parameter: Any) -> None:
    """Have a parameter's values checked by `_UsualValues` first."""
    if "get_runtime_param" not in vars(parameter):
        usual = _UsualValues(parameter)
        parameter.get_runtime_param = lambda: usual


def _prepared(parameters: list[Any]) -> list[Any]:
    """Parameters with light checks, and with types in their help that a person knows.

    Arguments are written in capitals, as the documents have them.
    """
    for each in parameters:
        if isinstance(each, TyperArgument | TyperOption):
            _with_light_checks(each)
            _with_plain_type(each)
    return parameters


def _with_plain_type(parameter: Any) -> None:
    """Have the help show a parameter's choices, or what its value is; nothing for a flag and for a named argument.

    Choices that are too long for a column stand behind the help's text.
    """
    is_argument = isinstance(parameter, TyperArgument)
    if is_argument and parameter.metavar is None:
        parameter.metavar = parameter.name.upper()
    if getattr(parameter, "is_flag", False):
        parameter.metavar = ""
    elif "display_type_rich" not in vars(parameter) and (is_argument or parameter.metavar is None):
        wanted = parameter.type_descriptor.annotation
        if get_origin(wanted) is list:
            wanted = get_args(wanted)[0]
        choices = parameter.type_descriptor.choices or ()
        shown = "|".join(choices) if choices else "" if is_argument else _NAMES_OF_TYPES.get(wanted, "TEXT")
        if len(shown) > _LONGEST_TYPE:
            shown = "" if is_argument else "NAME"
            parameter.help = f"{parameter.help} One of {', '.join(choices)}."
        parameter.display_type_rich = lambda ctx: shown  # noqa: ARG005 - typer asks with it


_NAMES_OF_TYPES = {int: "N", float: "X", Path: "FILE"}
_LONGEST_TYPE = 24
"""Characters of choices that a help of 80 columns has room for beside its text."""


_WORDINGS = (
    ("a valid integer", "a whole number"),
    ("a valid number", "a number"),
    ("greater than or equal to", "at least"),
    ("less than or equal to", "at most"),
)


def _plain(message: str) -> str:
    """A message of pydantic, by which typer checks values, in words for people."""
    message = message.removeprefix("Value error, ")
    if not message.startswith("Input should be "):
        return message
    wanted = message.removeprefix("Input should be ").partition(", unable to")[0]
    for theirs, ours in _WORDINGS:
        wanted = wanted.replace(theirs, ours)
    return f"must be {wanted}"


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
        return _prepared(super().get_params(ctx))

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return the parts of the line of usage, what is required without braces."""
        return [piece.replace("{", "").replace("}", "") for piece in super().collect_usage_pieces(ctx)]


_OF_COMMANDS = {"--project", "--quiet", "-q", "--json"}


def _show_usage_error(error: TyperException) -> None:
    """Print what is wrong with a command line and its usage, in one line; nothing where help was shown instead."""
    # Without a parameter, `format_message` only puts "Invalid value: " in front.
    of_no_parameter = isinstance(error, typer.BadParameter) and error.param is None and error.param_hint is None
    message = " ".join((error.message if of_no_parameter else error.format_message()).split())
    if message:
        stop = "" if message.endswith((".", "?")) else "."
        context = getattr(error, "ctx", None)
        usage = "" if context is None else f"{stop} {' '.join(context.get_usage().split())}"
        console.err.print(f"mcp-reflect: {message}{usage}", markup=False, soft_wrap=True)


class PlainGroup(TyperGroup):
    """A group of commands whose help shows no needless type, and whose errors are one line."""

    def main(self, *args: Any, standalone_mode: bool = True, **options: Any) -> Any:
        """Run the command that the arguments name, and end with its exit code; `standalone_mode` is typer's."""
        run = functools.partial(super().main, *args, **options | {"standalone_mode": False})
        if not standalone_mode:
            return run()
        try:
            code = run()
        except TyperException as error:
            _show_usage_error(error)
            code = error.exit_code
        except typer.Abort:
            console.err.print("Aborted.")
            code = 1
        sys.exit(code or 0)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse what stands before the command. Raises BadParameter, which says where an option of commands belongs."""
        try:
            return super().parse_args(ctx, args)
        except TyperException as error:
            option = getattr(error, "option_name", "")
            if option in _OF_COMMANDS:
                example = f"mcp-reflect stats {option}{' NAME' if option == '--project' else ''}"
                raise typer.BadParameter(f"{option} stands behind the command, as in: {example}") from error
            raise

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters with that of --help."""
        return _prepared(super().get_params(ctx))


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
        if of_project:
            set_project(arguments.pop("project"))
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
