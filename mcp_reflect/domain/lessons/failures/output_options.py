"""Options that say how much a command prints, in which form, or how many of its tests it runs."""

from __future__ import annotations

from mcp_reflect.domain import lazy_re as re

_PRINTS = re.compile(
    r"-v+|-q+|-s|-v=?\d+|-j\d*|-ntp|--?(?:no-|non-)?(?:verbose|quiet|silent|info|stacktrace|trace|nologo|banner|ansi|colou?rs?"
    r"|progress|transfer-progress|pager|pretty|nocapture|interacti(?:on|ve)|batch-mode|daemon|audit|fund)(?:=.*)?"
    r"|--no-?input|--?input=(?:true|false)|--testdox"
)
"""Of most programs; also by how many processes they work, and whether they ask."""
_VALUED = re.compile(
    r"--(?:reporter|formatter|log-?level|verbosity|console|tb|test-show-details|durations|logger|max-warnings)"
)
_LEVEL = re.compile(r"\d")
_SELECTION = re.compile(
    r"(?:\s+(?:-k|--?run|--filter|--tests|-Dtest|--grep|--testNamePattern|--only)(?:=|\s+)(?:'[^']*'|\"[^\"]*\"|[^\s'\"]+))+$"
)
"""Options at the end of a command that name some of its tests; before the operands they may name a project."""


def output_option(word: str, following: str) -> int:
    """Return how many words an option of the output has: one or, with its value in `following`, two; else 0."""
    if _PRINTS.fullmatch(word):
        return 2 if word == "-v" and _LEVEL.fullmatch(following) else 1
    name, equals, _ = word.partition("=")
    if _VALUED.fullmatch(name) is None:
        return 0
    return 1 if equals or following.startswith("-") or not following else 2


def without_selection(command: str) -> str:
    """Return a command as it runs all of its tests."""
    return _SELECTION.sub("", command)
