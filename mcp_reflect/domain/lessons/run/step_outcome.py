"""Whether a call of a run failed, and with which errors: by its client's flag, its exit code, or what it printed."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.lessons.run.commands.effects import begins_with_log, hides_status, shows_text
from mcp_reflect.domain.lessons.run.printed_codes import KILLED, printed_codes
from mcp_reflect.domain.lessons.run.step import Step
from mcp_reflect.domain.trajectory.error_lines import MAX_ERROR_CHARS, error_line, errors_in_text
from mcp_reflect.domain.trajectory.messages import ToolCall, ToolResult
from mcp_reflect.domain.trajectory.parsing import Trajectory
from mcp_reflect.domain.trajectory.rejected_calls import was_stopped
from mcp_reflect.domain.trajectory.tools import arguments_of, command_line, exit_code, path_of

_MOST_ERRORS = 6
_MOST_LINES_OF_FAILED_READING = 2
"""What shows a file or a log and prints more did so: the errors in it are those of others."""
_NOT_RUN = re.compile(
    r"\b(?:permission to use|doesn't want|been denied|rejected by (?:the )?user|not allowed to)\b", re.IGNORECASE
)
"""What a client says of a command that it did not run, which flags no failure of one."""
_MOST_LOOKED_AT = 500
_LAST_LINES = 3
_SHOWS_FILE = re.compile(r"(?:read|view|open|cat|show)(?:_(?:file|text|lines|code|source|range)\w*)?$|get_file\w*$")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_LETTERS = re.compile(r"[^\W\d_]{3}")


class Outcome(NamedTuple):
    """Whether a call failed, None where nothing tells, and the lines that say what went wrong, at most six."""

    failed: bool | None
    errors: tuple[str, ...]


def flags_failures(trajectory: Trajectory) -> bool:
    """Return true where the client flags commands that failed: those that it did not flag ended well."""
    shells = {event.id for event in trajectory.events if isinstance(event, ToolCall) and _runs_command(event)}
    results = (event for event in trajectory.events if isinstance(event, ToolResult) and event.failed is True)
    return any(each.call_id in shells and not _NOT_RUN.search(each.text[:_MOST_LOOKED_AT]) for each in results)


def read_outcome(command: str, result: ToolResult, *, flags: bool, shows_file: bool = False) -> Outcome:
    """Return what came of a call; `command` is empty for one that ran none.

    `flags` says that the client flags failures (`flags_failures`), `shows_file` that the call shows a file.
    """
    if was_stopped(result.text):
        return Outcome(failed=True, errors=())
    code = exit_code(result.text, result.failed)
    found = tuple(dict.fromkeys(result.errors))
    failed: bool | None
    if result.failed is True or (code is not None and code != 0):
        failed = True
    elif command and any(codes := printed_codes(command, result.text)):
        found = tuple(dict.fromkeys(errors_in_text(result.text)))
        failed = bool(found) or max(codes) >= KILLED
    elif command and hides_status(command):
        found = tuple(dict.fromkeys(errors_in_text(result.text)))
        failed = bool(found)
    elif code == 0 or result.failed is False:
        failed = False
    elif flags and command:
        failed = None if _ends_in_error(result.text) else False
    elif shows_file or (command and shows_text(command)):
        failed = bool(found) and len(result.text.strip().splitlines()) <= _MOST_LINES_OF_FAILED_READING
    elif command and begins_with_log(command):  # whose errors these are is not known
        failed = None if found else False
    else:
        failed = bool(found)
    if failed and len(found) < _MOST_ERRORS:
        found += tuple(_first_lines(result.text, _MOST_ERRORS - len(found)))
    return Outcome(failed, found[:_MOST_ERRORS])


def shows_file(step: Step) -> bool:
    """Return true for a call that shows a file: what looks like an error in there is a line of that file."""
    if step.kind != "call" or not path_of(step.arguments):
        return False
    name = _CAMEL.sub("_", step.tool).lower().rpartition("__")[2]
    return step.arguments.get("command") == "view" or _SHOWS_FILE.match(name) is not None


def _ends_in_error(output: str) -> bool:
    return any(errors_in_text("\n".join(output.strip().splitlines()[-_LAST_LINES:])))


def _runs_command(call: ToolCall) -> bool:
    return bool(command_line(call.name, arguments_of(call.arguments)))


def _first_lines(output: str, most: int) -> Iterator[str]:
    """The first lines of an output: what went wrong where no line has the look of an error."""
    lines = (line.strip() for line in output[: most * 2 * MAX_ERROR_CHARS].splitlines())
    yield from islice((error_line(line) for line in lines if _LETTERS.search(line)), most)
