"""Shell commands in a plain log: lines behind a prompt."""

from __future__ import annotations

from collections.abc import Iterator

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.trajectory.log_parts import LogParts

_PROMPT = re.compile(r"^(?:[\w.@~/:-]{0,40}\$ |[\w.@~/:-]{0,40}# (?=[\x21-\x7e])|\$ |> \$ )(?P<command>\S.*)$")
_COMMENT = re.compile(r"# (?:[A-Z][\w'-]*(?:[:,]? |$)|[\w'-]+[:,] )(?![-/.])")
"""A heading or a sentence, where it could be a command behind root's prompt."""


def lines_with_commands(log: str) -> Iterator[tuple[str, str]]:
    """Yield each line of a log with the command behind its shell prompt, an empty one where it has none.

    `# …` is a comment or a heading rather than root's prompt where the log shows a user's prompt (`$ …`) or a script,
    too, or the line reads like words.
    """
    lines = log.splitlines()
    has_comments = any(line.startswith(("$ ", "#!")) for line in lines)
    for line in lines:
        prompt = _PROMPT.match(line)
        if prompt and line.startswith("# ") and (has_comments or _COMMENT.match(line)):
            prompt = None
        yield line, prompt["command"].strip() if prompt else ""


def commands_with_output(log: str) -> Iterator[tuple[str, str]]:
    """Yield each command of a log with the lines between it and the next one.

    The lines that a command goes on in and its here-document belong to it.
    """
    command, output = "", list[str]()
    lines = list(lines_with_commands(log))
    parts = LogParts([line for line, _ in lines])
    until = 0
    for number, (line, next_command) in enumerate(lines):
        if number < until:
            command += f"\n{line}"
        elif not next_command:
            output.append(line)
        else:
            if command:
                yield command, "\n".join(output)
            command = next_command
            output.clear()
            until = parts.end_of_command(number, line.find(next_command))
    if command:
        yield command, "\n".join(output)
