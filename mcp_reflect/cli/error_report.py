"""Errors as people read them: one line, the argument as one types it, and where to look for what is allowed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer

from mcp_reflect.cli.console import give_up_output, print_error
from mcp_reflect.cli.settings import current_settings
from mcp_reflect.errors import ReflectError, UnknownId

if TYPE_CHECKING:
    from mcp_reflect.wire.caller import RemoteError


_EXIT_USAGE = 2


@contextmanager
def report_errors(typed: Mapping[str, str] | None = None) -> Iterator[None]:
    """Report an error in one line and end the command; exit code 2, or 1 where no server could be had.

    `typed` says what a person types for an argument where this command calls it otherwise than the others.
    """
    from mcp_reflect.wire import caller, hub_errors  # noqa: PLC0415 - most commands start without them

    try:
        yield
    except (ReflectError, caller.RemoteError) as error:
        raise print_error(_for_people(error, typed or {}), _EXIT_USAGE) from error
    except caller.ConnectionLost as error:
        raise print_error(str(error), 1) from error
    except hub_errors.HubUnavailable as error:
        raise print_error(str(error), error.exit_code) from error
    except BrokenPipeError:
        give_up_output()  # The reader has seen enough.
        raise typer.Exit(1) from None
    except OSError as error:
        if error.filename is None:
            give_up_output()
        problem = f"{error.filename or 'the output'}: {error.strerror}"
        raise print_error(problem, _EXIT_USAGE) from error


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
