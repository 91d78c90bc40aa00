"""Tools of coding agents: names of shells and editors, their arguments and exit codes.

Hooks before a command import it, and wait for what it imports: nothing but in the functions that they do not call.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as typing's, whose import would take longer than this module

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

SHELLS = frozenset(
    {
        *("bash", "powershell", "shell", "local_shell", "exec_command", "shell_command"),
        *("container.exec", "run_shell_command", "run_terminal_cmd", "run_terminal_command", "terminal"),
        *("execute_bash", "run_in_terminal", "bash_tool", "run_bash", "run_bash_command", "execute_shell"),
        *("run_command", "run_cmd", "execute_command", "execute_cmd", "exec_cmd", "execute_shell_command"),
        *("run_shell", "shell_exec", "shell_execute", "terminal_execute", "run_terminal", "exec", "execute", "run"),
        *("sh", "zsh", "cmd", "command", "console"),
    }
)
"""Lower-case names of the tools that run the command line in their argument `command`, `cmd` or one of _COMMANDS."""

_COMMANDS = ("script", "input", "command_line", "commandline", "shell_command", "bash_command", "commands")
"""Further names of the argument that holds the command line of a shell."""
_COMMON_VERBS = frozenset(("run", "exec", "execute", "command", "cmd", "console"))
"""Names of shells that other tools have as well: what they are given under another name need not be a command line."""
_RUN_COMMANDS = frozenset(("run", "exec", "execute", "ssh", "shell", "bash", "remote", "terminal", "console"))
"""Words in the names of further tools that run the command line in `command` or `cmd`, as `run_remote`."""

_SHELL_LANGUAGES = frozenset(("bash", "sh", "zsh", "shell"))
"""Languages of the script that some tools are given with it."""

_PROGRAMS = {
    **{name: name for name in ("kubectl", "git", "docker", "helm", "terraform", "aws", "gcloud", "az", "gh", "npm")},
    "kube": "kubectl",
    **{name: name.removesuffix("_cli") for name in ("aws_cli", "gcloud_cli", "az_cli", "kubectl_cli", "docker_cli")},
}
"""Tools that run one program, whose argument holds what stands behind its name."""

EDITORS = frozenset(
    {
        *("edit", "write", "multiedit", "notebookedit", "apply_patch", "replace", "write_file"),
        *("edit_file", "search_replace", "create_file", "delete_file", "strreplace", "str_replace", "write_to_file"),
        *("replace_in_file", "save_file", "update_file", "modify_file", "overwrite_file"),
        *("insert_edit_into_file", "replace_string_in_file", "multi_replace_string_in_file", "edit_notebook_file"),
        *("edit_existing_file", "create_new_file", "single_find_and_replace", "replace_file_content"),
        *("multi_replace_file_content", "apply_diff", "insert_content", "search_and_replace", "replace_text_in_file"),
        *("fswrite", "fsappend"),
    }
)
"""Lower-case names of the tools that change a file."""

_ONLY_WITH = {"create": "file_text", "patch": "patchText"}
"""Editors of Copilot CLI and opencode, whose names mean other things elsewhere, with an argument that tells them."""
_MULTI_EDITORS = frozenset(
    {"file_editor", "str_replace_editor", "str_replace_based_edit_tool", "text_editor", "fs_write"}
)
"""Editors whose argument `command` says what they do."""

REPLACED = ("oldstring", "oldstr", "oldtext", "old", "targetcontent", "search", "find", "before", "from")
REPLACING = ("newstring", "newstr", "newtext", "new", "replacementcontent", "replace", "replacement", "after", "to")
WHOLE_TEXTS = ("content", "contents", "filetext", "filecontent", "codecontent", "text")
"""Names of an editor's arguments, in small letters without underscores: what is replaced, by what, a file's text."""
_SURELY_REPLACED, _SURELY_REPLACING = set(REPLACED) - {"from"}, set(REPLACING) - {"to"}
"""Those that hold no place, as a tool that moves files is given."""
_REPLACING_WORDS = ("edit", "replace", "substitute")
_WRITING_WORDS = frozenset(
    ("write", "create", "save", "put", "edit", "update", "overwrite", "append", "insert", "patch")
)
_MOVING_WORDS = frozenset(("rename", "move", "copy", "mv", "cp", "grep", "search", "find"))
_PATHS = (
    *("file_path", "path", "filename", "file", "target_file", "uri", "filePath", "filepath", "TargetFile"),
    *("absolute_path", "absolutePath"),
)

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
    name = tool.lower().replace("-", "_")
    if name in _MULTI_EDITORS:
        return arguments.get("command") != "view"
    if name in EDITORS or any(name == each and given in arguments for each, given in _ONLY_WITH.items()):
        return True
    return _edits_by_its_arguments(name, arguments)


def _edits_by_its_arguments(name: str, arguments: dict[str, Any]) -> bool:
    """Whether a tool of any name is given a file, and what to replace in it by what, or the text to write there."""
    if not file_of(arguments):
        return False
    words = set(_words(name))
    given = {
        key.lower().replace("_", "").replace("-", "") for key, value in arguments.items() if isinstance(value, str)
    }
    replaces = any(word in name for word in _REPLACING_WORDS)
    old, new = (REPLACED, REPLACING) if replaces else (_SURELY_REPLACED, _SURELY_REPLACING)
    if not given.isdisjoint(old) and not given.isdisjoint(new):
        return replaces or words.isdisjoint(_MOVING_WORDS)
    return not given.isdisjoint(WHOLE_TEXTS) and not words.isdisjoint(_WRITING_WORDS)


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


def argument_values(arguments: Any) -> Iterator[str]:
    """Yield the values of a call's arguments as text, those inside of lists and objects as well, in order.

    No call is too deep: arguments may come as text, whose depth nobody has looked at.
    """
    waiting = [arguments]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict | list):
            waiting.extend(reversed(list(value.values()) if isinstance(value, dict) else value))
        elif value is not None:
            yield str(value)


def command_of(arguments: dict[str, Any]) -> str:
    """Return the command line in the arguments of a shell tool; empty where there is none."""
    given = arguments.get("command", arguments.get("cmd", ""))
    if isinstance(given, list):
        words = [str(word) for word in given]
        # As in ["bash", "-lc", "make test"].
        if len(words) == 3 and words[1] in {"-c", "-lc"}:  # noqa: PLR2004 - those three
            return words[-1]
        return " ".join(f'"{word}"' if " " in word and '"' not in word else word for word in words)
    return given if isinstance(given, str) else ""


def path_of(arguments: Mapping[str, Any]) -> str:
    """Return the file that the arguments of a call name; empty where they name none."""
    return next((value for name in _PATHS if isinstance(value := arguments.get(name), str) and value), "")


def file_of(arguments: Mapping[str, Any]) -> str:
    """Return the file that the arguments of a call name, also as `name` where that can only be a file's."""
    name = arguments.get("name")
    is_file = isinstance(name, str) and "." in name[1:-1] and not any(sign.isspace() for sign in name)
    return path_of(arguments) or (str(name) if is_file else "")


def command_line(tool: str, arguments: dict[str, Any]) -> str:
    """Return the command line that a call of a tool runs; empty for a tool that runs none."""
    name = tool.lower().rpartition("__")[2]
    language = arguments.get("lang", arguments.get("language"))
    if isinstance(language, str) and language.lower() in _SHELL_LANGUAGES and not path_of(arguments):
        script = command_of({"command": arguments.get("script", arguments.get("code", ""))})
        if script:
            return script
    lines = arguments.get("commands")
    if name in SHELLS and isinstance(lines, list):
        return "\n".join(line for line in lines if isinstance(line, str))
    if name in SHELLS:
        given = next((arguments[each] for each in _COMMANDS if arguments.get(each)), "")
        if not given and len(arguments) == 1 and name not in _COMMON_VERBS and not path_of(arguments):
            given = next(iter(arguments.values()))  # under a name in another language
        return command_of(arguments) or command_of({"command": given})
    if name not in _PROGRAMS and not _RUN_COMMANDS.isdisjoint(_words(name)):
        return command_of(arguments)
    program = _PROGRAMS.get(name)
    if program is None:
        return ""
    alone = next(iter(arguments.values())) if len(arguments) == 1 else ""
    given = command_of(arguments) or command_of({"command": arguments.get("args", alone)})
    return given if not given or given.split()[0] == program else f"{program} {given}"


def _words(name: str) -> list[str]:
    return "".join(letter if letter.isalnum() else "_" for letter in name).split("_")


def exit_code(text: str, failed: bool | None) -> int | None:
    """Return the exit code that a command's output names in its first or last 300 characters.

    Without one, return 0 where `failed` is False and None otherwise.
    """
    import re  # noqa: PLC0415 - see above

    told = re.search(_EXIT, text[:300]) or re.search(_EXIT, text[-300:])
    if told:
        return int(told[1])
    return 0 if failed is False else None
