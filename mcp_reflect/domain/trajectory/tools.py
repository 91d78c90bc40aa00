"""Tools of coding agents: names of shells and editors, their arguments and exit codes.

Hooks before a command import it, and wait for what it imports: nothing but in the functions that they do not call.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as typing's, whose import would take longer than this module

if TYPE_CHECKING:
    from typing import Any

SHELLS = frozenset(
    {
        *("bash", "powershell", "shell", "local_shell", "exec_command", "shell_command"),
        *("container.exec", "run_shell_command", "run_terminal_cmd", "run_terminal_command", "terminal"),
        *("execute_bash", "run_in_terminal"),
    }
)
"""Lower-case names of the tools that run a command."""

EDITORS = frozenset(
    {
        *("edit", "write", "multiedit", "notebookedit", "apply_patch", "replace", "write_file"),
        *("edit_file", "search_replace", "create_file", "delete_file", "strreplace"),
    }
)
"""Lower-case names of the tools that change a file."""

_ONLY_WITH = {"create": "file_text", "patch": "patchText"}
"""Editors of Copilot CLI and opencode, whose names mean other things elsewhere, with an argument that tells them."""
_MULTI_EDITORS = frozenset({"file_editor", "str_replace_editor", "str_replace_based_edit_tool"})
"""Editors whose argument `command` says what they do."""

_EXIT = r"(?m)^(?:Exit [Cc]ode|Process exited with code|Command failed with exit code|exit_code)\W{1,3}(-?\d{1,10})"
"""Not compiled here: hooks that have no output to read would wait for it."""
_NAME = r"(?=.{1,128}$)[A-Za-z][\w-]*(?:[.:/][A-Za-z0-9][\w-]*)*"
_MOST_WORDS = 6


def is_tool_name(name: str) -> bool:
    """Return true for what servers call a tool; false for a sentence in the place of a name."""
    import re  # noqa: PLC0415 - see above

    return (
        bool(re.fullmatch(_NAME, name, re.ASCII)) and len(re.split(r"[_-]+", name.rpartition("__")[2])) <= _MOST_WORDS
    )


def is_instrument(tool: str) -> bool:
    """Return true for shells and editors, by whatever server's prefix: every coding agent has them."""
    return tool.lower().rpartition("__")[2] in SHELLS | EDITORS | _MULTI_EDITORS


def is_edit(tool: str, arguments: dict[str, Any]) -> bool:
    """Return true for a call that changes a file."""
    name = tool.lower()
    if name in _MULTI_EDITORS:
        return arguments.get("command") != "view"
    return name in EDITORS or any(name == each and given in arguments for each, given in _ONLY_WITH.items())


def arguments_of(given: Any) -> dict[str, Any]:
    """Return the arguments of a call as an object; text that is no JSON object is put under `input`."""
    if isinstance(given, str):
        import json  # noqa: PLC0415 - see above

        try:
            read = json.loads(given)
        except (ValueError, RecursionError):
            return {"input": given}
        given = read if isinstance(read, dict) else {"input": given}
    return given if isinstance(given, dict) else {}


def command_of(arguments: dict[str, Any]) -> str:
    """Return the command line in the arguments of a shell tool; empty where there is none."""
    given = arguments.get("command", arguments.get("cmd", ""))
    if isinstance(given, list):
        words = [str(word) for word in given]
        # As in ["bash", "-lc", "make test"].
        return words[-1] if len(words) == 3 and words[1] in {"-c", "-lc"} else " ".join(words)  # noqa: PLR2004 - those three
    return given if isinstance(given, str) else ""


def exit_code(text: str, failed: bool | None) -> int | None:
    """Return the exit code that a command's output names in its first or last 300 characters.

    Without one, return 0 where `failed` is False and None otherwise.
    """
    import re  # noqa: PLC0415 - see above

    told = re.search(_EXIT, text[:300]) or re.search(_EXIT, text[-300:])
    if told:
        return int(told[1])
    return 0 if failed is False else None
