"""The tables that follow from the code: settings, tools with their arguments, commands with their options."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import typer.main
from typer.core import TyperArgument, TyperCommand, TyperGroup

from mcp_reflect.cli.app import build_app
from mcp_reflect.config.load import setting_rows
from mcp_reflect.server.tools.all_tools import TOOLS


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table; `|` in cells is escaped."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines)


def settings() -> str:
    rows = [
        (
            f"`{row.key}`" if row.key else "–",
            ", ".join(f"`{name}`" for name in row.environment),
            row.default,
            row.meaning,
            row.allowed,
        )
        for row in setting_rows()
    ]
    return table(("config.toml", "environment", "default", "meaning", "allowed"), rows)


def tools() -> str:
    return "\n\n".join(part for tool in TOOLS for part in _tool(tool.name, tool.description, tool.parameters))


def _tool(name: str, description: str, schema: dict[str, Any]) -> Iterator[str]:
    yield f"### `{name}`"
    yield " ".join(description.split())
    if schema["properties"]:
        required = schema.get("required", ())
        meanings = _meanings()
        rows = [
            _argument(key, meanings.get(key, {}) | value, required=key in required)
            for key, value in schema["properties"].items()
        ]
        yield table(("argument", "type", "default", "meaning"), rows)
    else:
        yield "No arguments."


def _meanings() -> dict[str, dict[str, str]]:
    """What the first tool with an argument says of it; later ones save a model those tokens."""
    found: dict[str, dict[str, str]] = {}
    for tool in TOOLS:
        for name, schema in tool.parameters["properties"].items():
            if "description" in schema:
                found.setdefault(name, {"description": schema["description"]})
    return found


def _argument(name: str, schema: dict[str, Any], *, required: bool) -> tuple[str, str, str, str]:
    kind = schema["type"]
    if "enum" in schema:
        kind = " or ".join(f"`{value}`" if value else "empty" for value in schema["enum"])
    elif kind == "array":
        kind = f"list of {schema['items']['type']}s"
    default = "required" if required else f"`{json.dumps(schema['default'])}`"
    return f"`{name}`", kind, default, schema.get("description", "")


def commands() -> str:
    return "\n\n".join(part for name, command in command_list() for part in _command(name, command))


def command_list() -> list[tuple[str, TyperCommand]]:
    """Every command with its full name, those of groups included, in the order of the help."""
    return list(_below("mcp-reflect", typer.main.get_command(build_app())))


def _below(name: str, command: object) -> Iterator[tuple[str, TyperCommand]]:
    if isinstance(command, TyperGroup):
        for inner, found in command.commands.items():
            yield from _below(f"{name} {inner}", found)
    elif isinstance(command, TyperCommand):
        yield name, command


def _command(name: str, command: TyperCommand) -> Iterator[str]:
    arguments = [_metavar(each) for each in command.params if isinstance(each, TyperArgument)]
    yield f"### `{' '.join([name, *arguments])}`"
    yield " ".join((command.help or "").split())
    own = [each for each in command.params if not _is_common(each)]
    if own:
        yield "\n".join(map(_parameter, own))


def _is_common(parameter: Any) -> bool:
    """Options that every command has are described once, above the list."""
    return "--quiet" in parameter.opts or ("--project" in parameter.opts and not parameter.is_flag)


def _metavar(argument: TyperArgument) -> str:
    name = (argument.metavar or argument.name or "").upper()
    return name if argument.required else f"[{name}]"


def _parameter(parameter: Any) -> str:
    """One line of a list. `type_descriptor` holds the annotation of the function's argument."""
    names = ", ".join(f"`{each}`" for each in (*parameter.opts, *parameter.secondary_opts))
    if isinstance(parameter, TyperArgument):
        names = f"`{_metavar(parameter)}`"
    choices = parameter.type_descriptor.choices or ()
    offered = f" One of {', '.join(f'`{each}`' for each in choices)}." if choices else ""
    plain = isinstance(parameter.default, str | int | float | Path) and parameter.default not in (False, "")
    default = f" Default: `{_shown(parameter)}`." if plain else ""
    return f"- {names}: {' '.join((parameter.help or '').split())}{offered}{default}"


def _shown(parameter: Any) -> str:
    """The default as it is typed: that of a pair of flags is the flag's name."""
    return str(parameter.opts[0] if parameter.default is True else parameter.default)
