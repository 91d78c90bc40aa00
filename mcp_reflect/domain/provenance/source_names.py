"""Names of what a run read, as a quotation tells them: a page's host, a file's path, a command, a tool."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import takewhile

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.lessons.run.file_names import shown_name
from mcp_reflect.domain.models.common import TextOrigin
from mcp_reflect.domain.provenance.command_outcomes import REDIRECTION
from mcp_reflect.domain.provenance.command_words import simple_commands
from mcp_reflect.domain.trajectory.here_documents import without_documents
from mcp_reflect.domain.trajectory.messages import ToolCall
from mcp_reflect.domain.trajectory.tools import arguments_of, is_tool_name, path_of

_LONGEST = 50
_HOST = re.compile(r"https?://([\w.-]+)")
_PLAIN = re.compile(r"[\w./@:=,+~*%-]+")
"""A word of a command without quotes, brackets and variables."""
_LISTED = re.compile(r"&&|;|\n")
_PREPARES = re.compile(r"\s*(?:(?:cd|source|\.|export|set|sleep|time\s+sleep|echo)\s|(?:done|fi|esac|[)}])\s*$)")
_KEYWORD = re.compile(r"^\s*(?:do|then|else|if|while|until|[{(!])\s+")
"""What stands before a command in a loop or a condition."""
_FILE = re.compile(r"[\w@~][\w@~.-]*(?:/[\w@~.-]+)+|[\w-]+\.\w{1,8}")


def name_of_call(call: ToolCall, source: TextOrigin, command: str) -> str:
    """Return the name of what a call reads; `command` is its command line where it is one of a shell."""
    if command:
        return name_of_command(command, source)
    given = arguments_of(call.arguments)
    texts = [value for value in given.values() if isinstance(value, str)]
    path = path_of(given)
    if source == "web" and (host := _host_in(" ".join(texts))):
        return host
    if source == "file" and path:
        return _cut([shown_name(path, "")])
    return call.name.rpartition("__")[2] if is_tool_name(call.name) else ""


def name_of_command(command: str, source: TextOrigin) -> str:
    """Return what a command reads: the host or the files that it names; else its words as far as they are plain.

    Of a list of commands it is the last but for those behind a pipe: what was printed last counts as all that was.
    """
    if source == "web":
        return _host_in(command)
    plain = REDIRECTION.sub("", without_documents(command))
    lists = [simple_commands(each) for each in _LISTED.split(plain) if each.strip()]
    parts = [part for each in lists if each and not _PREPARES.match(part := _KEYWORD.sub("", each[0]))]
    part = parts[0 if source == "file" else -1] if parts else ""
    words = list(takewhile(_PLAIN.fullmatch, part.split()))
    files = [word for word in words[1:] if _FILE.fullmatch(word)] if source == "file" else []
    return _cut(files or words)


def _host_in(text: str) -> str:
    found = _HOST.search(text)
    return _cut([found[1].lower()]) if found else ""


def _cut(words: Iterable[str]) -> str:
    """As many of these words as have room."""
    told = ""
    for word in words:
        if len(told) + len(word) >= _LONGEST:
            break
        told = f"{told} {word}".lstrip()
    return told
