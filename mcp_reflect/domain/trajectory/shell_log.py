"""Shell commands in a plain log: lines behind a prompt."""

from __future__ import annotations

import re
from collections.abc import Iterator

_PROMPT = re.compile(r"^(?:[\w.@~/:-]{0,40}[$#] |\$ |> \$ )(?P<command>\S.*)$")
_HEADING = re.compile(r"# [A-Z](?:\w* ){0,6}\w*$")
"""What a printed document begins with, where it could be a command behind root's prompt."""


def lines_with_commands(log: str) -> Iterator[tuple[str, str]]:
    """Yield each line of a log with the command behind its shell prompt, an empty one where it has none.

    `# …` is a comment or a heading rather than root's prompt where the log shows a user's prompt (`$ …`), too, or the
    line reads like a heading.
    """
    lines = log.splitlines()
    is_users = any(line.startswith("$ ") for line in lines)
    for line in lines:
        prompt = _PROMPT.match(line)
        if prompt and line.startswith("# ") and (is_users or _HEADING.match(line)):
            prompt = None
        yield line, prompt["command"].strip() if prompt else ""


def commands_with_output(log: str) -> Iterator[tuple[str, str]]:
    """Yield each command of a log with the lines between it and the next one."""
    command, output = "", list[str]()
    for line, next_command in lines_with_commands(log):
        if not next_command:
            output.append(line)
            continue
        if command:
            yield command, "\n".join(output)
        command = next_command
        output.clear()
    if command:
        yield command, "\n".join(output)
