"""Shell commands in a plain log: lines behind a prompt."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mcp_reflect.domain import lazy_re as re

_PROMPT = re.compile(r"^(?:[\w.@~/:-]{0,40}[$#] |\$ |> \$ )(?P<command>\S.*)$")
_COMMENT = re.compile(r"# (?:[A-Z][\w'-]*(?:[:,]? |$)|[\w'-]+[:,] )(?![-/.])")
"""A heading or a sentence, where it could be a command behind root's prompt."""

_HERE_DOCUMENT = re.compile(r"<<-?\s*['\"]?(\w+)['\"]?\s*(?:>{1,2}\s*\S+)?$")
_LONGEST_DOCUMENT = 400
"""Lines of a here-document that are read."""


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
    """Yield each command of a log, with the here-document that it reads, and the lines between it and the next one."""
    command, output = "", list[str]()
    lines = list(lines_with_commands(log))
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
            until = _end_of_document(command, [each for each, _ in lines[number + 1 : number + _LONGEST_DOCUMENT]])
            until += number + 1
    if command:
        yield command, "\n".join(output)


def _end_of_document(command: str, lines: Sequence[str]) -> int:
    """The number of the lines behind a command that are its here-document; 0 where it has none, or the end is cut."""
    opening = _HERE_DOCUMENT.search(command)
    return lines.index(opening[1]) + 1 if opening and opening[1] in lines else 0
