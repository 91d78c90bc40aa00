"""Shell commands in a plain log: lines behind a prompt."""

from __future__ import annotations

from collections.abc import Iterator

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.trajectory.command_text import looks_like_command
from mcp_reflect.domain.trajectory.log_parts import LogParts
from mcp_reflect.domain.trajectory.named_blocks import names_changed_file

_PROMPT = re.compile(r"^(?:[\w.@~/:-]{0,40}\$ |[\w.@~/:-]{0,40}# (?=[\x21-\x7e])|\$ |> \$ )(?P<command>\S.*)$")
_COMMENT = re.compile(r"# (?:[A-Z][\w'-]*(?:[:,]? |$)|[\w'-]+[:,] )(?![-/.])")
"""A heading or a sentence, where it could be a command behind root's prompt."""


def lines_with_commands(log: str, *, has_comments: bool = False) -> Iterator[tuple[str, str]]:
    """Yield each line of a log with the command behind its shell prompt, an empty one where it has none.

    `# …` is a comment or a heading rather than root's prompt where the log shows a user's prompt (`$ …`) or a script,
    too, is in a language with such comments (`has_comments`), or the line reads like words, names a changed file or
    calls no known program.
    """
    lines = log.splitlines()
    has_comments = has_comments or any(line.startswith(("$ ", "#!")) for line in lines)
    for line in lines:
        prompt = _PROMPT.match(line)
        is_hashed = prompt and line.startswith("# ")
        is_said = has_comments or _COMMENT.match(line) or names_changed_file(line)
        if prompt and is_hashed and (is_said or not looks_like_command(prompt["command"])):
            prompt = None
        yield line, prompt["command"].strip() if prompt else ""


def commands_with_output(log: str, *, has_comments: bool = False) -> Iterator[tuple[str, str]]:
    """Yield each command of a log with the lines between it and the next one.

    The lines that a command goes on in and its here-document belong to it.
    """
    command, output = "", list[str]()
    lines = list(lines_with_commands(log, has_comments=has_comments))
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
