"""Where the results of calls come from, and what they may hold: prose of somebody, code, or names of files."""

from __future__ import annotations

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.models.common import TextOrigin
from mcp_reflect.domain.provenance.command_words import quoted_commands
from mcp_reflect.domain.provenance.observed import Contents
from mcp_reflect.domain.trajectory.messages import ToolCall
from mcp_reflect.domain.trajectory.tools import arguments_of, command_line

_WEB_TOOL = re.compile(
    r"fetch|brows|web|http|url|crawl|scrape|navigate|goto|internet|google|bing|wikipedia", re.IGNORECASE
)
_WEB_COMMAND = re.compile(r"\b(?:curl|wget|lynx|http|iwr)\b|https?://", re.IGNORECASE)
_LOCAL = re.compile(r"(?<![\w.-])(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1?\])(?![\w.-])", re.IGNORECASE)
_REMOTE = re.compile(r"https?://(?!(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1?\])(?:[:/\s'\"]|$))", re.IGNORECASE)
_FILE_TOOL = re.compile(
    r"(?:read|view|open|cat|grep|glob|ls|list_?(?:dir|files)|read_\w+|notebookread|search_files|search_(?:code|repo)"
    r"|code_search|get_file|show_file|git_(?:show|diff|blame|grep))(?![a-z])",
    re.IGNORECASE,
)
_EDITOR = re.compile(r"str_replace_(?:based_)?edit(?:or|_tool)", re.IGNORECASE)
"""An editor that shows files as well."""
_FILE_COMMAND = re.compile(
    r"\s*(?:cd\s+\S+\s*&&\s*)?(?:cat|head|tail|less|sed(?!\s+(?:-\S+\s+)*-i)|grep|rg|awk|nl|ls|find|git\s+(?:show|log|diff|blame))\b"
)
_SHOWS_LITTLE = re.compile(
    r"\s*(?:cd\s|echo\b|true\b|pwd\b|sleep\s|(?:\S+/)?[\w.+-]+\s+(?:-V|-v|--version|version)\s*$)"
)
"""Commands that show nothing of files, or a version."""
_WRAPPED = re.compile(
    r"\s*(?:ssh(?:\s+-\w+(?:\s+[\w.@-]+)?)*\s+[\w.@-]+(?:\s+-l\s+[\w.-]+)?"
    r"|(?:docker|podman)(?:\s+compose)?\s+exec(?:\s+-\w+)*\s+[\w.-]+|(?:ba)?sh\s+-l?c)\s+"
    r"(?P<quote>['\"]?)(?P<inner>.+?)(?P=quote)\s*$",
    re.DOTALL,
)
_FOUND_IN_DOCUMENT = re.compile(
    r"^(?:\S{0,200}/)?(?:docs?/\S{1,200}|[\w.-]{1,100}\.(?:md|mdx|rst|adoc|txt))[:-]\d{1,7}[:-]",
    re.MULTILINE | re.IGNORECASE,
)
"""A line of a search that was found in a document."""
_DOCUMENT = re.compile(
    r"\.(?:md|mdx|markdown|rst|adoc|html?|ipynb|log|rej|patch|diff)\b|(?<!CMakeLists)(?<!requirements)(?<!constraints)\.txt\b|\b(?:readme|contributing|changelog|licen[sc]e|notes|todo|authors)\b"
    r"|\bgit\s+log\b",
    re.IGNORECASE,
)
"""Calls that read prose, be it in the repository, or what somebody proposes as code."""
LISTING_TOOL = re.compile(r"ls|glob|list_?(?:dir|dirs|directory|files)", re.IGNORECASE)
LISTING = re.compile(r"\s*(?:cd\s+\S+\s*&&\s*)?(?:ls|git\s+ls-files|find|fd|dir)\b(?!.*-exec|.*-printf)[^|;&$`<>\n]*")
_MEMORY_TOOLS = ("query_memories", "augment_task", "find_error_fixes", "project_context")


def source_of_call(call: ToolCall) -> TextOrigin:
    """Return where the result of a call comes from, by the name of its tool or by its command line."""
    name = call.name.rpartition("__")[2]
    if name.endswith(_MEMORY_TOOLS):
        return "memory"
    if command := command_line(name, arguments_of(call.arguments)):
        return source_of_command(command)
    if _WEB_TOOL.search(name):
        return "web"
    shows = _FILE_TOOL.match(name) or (_EDITOR.match(name) and arguments_of(call.arguments).get("command") == "view")
    return "file" if shows else "tool"


def contents_of(call: str, source: TextOrigin, *, is_listing: bool) -> Contents:
    """Return what the result of a call from a source may hold; `call` is its command line, else its arguments."""
    if source in {"web", "memory"} or _WEB_COMMAND.search(call) or (not is_listing and _DOCUMENT.search(call)):
        return "prose"
    return "code" if not is_listing and (source == "file" or _shows_code(call)) else "names"


def shown_contents(output: str, holds: Contents) -> Contents:
    """Return what an output holds: prose where a search found a line of it in a document."""
    return "prose" if _FOUND_IN_DOCUMENT.search(output) else holds


def source_of_command(command: str) -> TextOrigin:
    """Return where the output of a command line comes from; what runs on this machine is no page of the web.

    It is that of files where all of its commands look at some, or only show a version besides.
    """
    if _WEB_COMMAND.search(command):
        return "web" if _REMOTE.search(command) or not _LOCAL.search(command) else "tool"
    parts = [_unwrapped(part) for part in quoted_commands(command) if not _SHOWS_LITTLE.match(part)]
    return "file" if parts and all(map(_FILE_COMMAND.match, parts)) else "tool"


def _shows_code(command: str) -> bool:
    """Return true for a command line a part of which shows a file that is no document."""
    parts = (_unwrapped(part) for part in quoted_commands(command))
    return any(_FILE_COMMAND.match(part) and not _DOCUMENT.search(part) for part in parts)


def _unwrapped(command: str) -> str:
    """The command that another machine, a container or a shell is given to run; any other as it is."""
    found = _WRAPPED.match(command)
    return found["inner"] if found else command
