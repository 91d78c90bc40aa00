"""Calls of a run that take back what an earlier one did, as an install, a setting or a booking.

Such a command is a step back and not what worked: a word of it says so, and it names nothing that the earlier lacks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.lessons.run.commands.variants import parts_of
from mcp_reflect.domain.lessons.run.commands.words import commands_of
from mcp_reflect.domain.lessons.run.lookups import only_asks
from mcp_reflect.domain.lessons.run.step import Step
from mcp_reflect.domain.lessons.run.undone_files import files_undone_by

_UNDOES = re.compile(
    r"-{0,2}(?:un(?:do|hold|install|link|load|lock|mask|mount|pin|register|set|stage|track)"
    r"|remove|rm|delete|del|drop|disable|down|stop|reset|revert|rollback)",
    re.IGNORECASE,
)
_CANCELS = re.compile(r"(?:^|_)(?:cancel|delete|discard|remove|revert|revoke|rollback|undo|void|withdraw)(?:_|$)")
"""Tools that take back what another one made."""
_DATABASES = frozenset({"duckdb", "mariadb", "mysql", "psql", "sqlite3"})
_VERB = re.compile(
    r"add|book|cancel|create|delete|discard|file|get|make|new|open|order|place|post|put|remove|request|revert|revoke"
    r"|rollback|schedule|send|submit|undo|void|withdraw"
)
_LEAST_ID = 3
_MOST_CANCELLED = 10
_MOST_VALUES = 4
"""The last of such calls that are looked at, and values of each that are looked for."""


def only_takes_back(command: str) -> bool:
    """Return true where a command line does nothing but to take something back, apart from what only reads."""
    return all(any(map(_takes_back, commands_of(part))) for part in parts_of(command))


def find_undone(steps: Sequence[Step]) -> Iterator[tuple[Step, Step]]:
    """Yield the commands that a later one took back, as `npm uninstall x` an install, each with that one."""
    commands = [(step, commands_of(step.subject)) for step in steps if step.kind == "command"]
    for place, (later, parts) in enumerate(commands):
        undoing = [] if later.failed else [words for words in parts if _is_undoing(words)]
        for earlier, before in commands[:place] if undoing else ():
            if any(_undoes(words, each) for words in undoing for each in before):
                yield earlier, later


def find_cancelled(steps: Sequence[Step]) -> Iterator[tuple[Step, Step]]:
    """Yield the calls that made something which a later call cancelled or deleted, each with that one.

    It is known by a value that the later call is given, and that nothing named before the earlier one returned it.
    """
    cancelling = [place for place, step in enumerate(steps) if _cancels(step) and not step.failed]
    for place in cancelling[-_MOST_CANCELLED:]:
        later = steps[place]
        values = map(str, later.arguments.values())
        named = [value for value in values if len(value) >= _LEAST_ID and any(map(str.isdigit, value))][:_MOST_VALUES]
        for value in named:
            first = next((step for step in steps[:place] if value in step.subject or value in step.output), None)
            if first is None or value in first.subject or first.kind != "call" or first.failed:
                continue
            if not (_cancels(first) or only_asks(first.tool)) and _is_same_thing(first.tool, later.tool):
                yield first, later


def _is_same_thing(one: str, other: str) -> bool:
    """Return true for two tools that are named after the same thing, apart from what they do with it."""
    return _nouns_of(one) == _nouns_of(other)


def _nouns_of(tool: str) -> set[str]:
    return {word for word in tool.lower().rpartition("__")[2].split("_") if not _VERB.fullmatch(word)}


def _cancels(step: Step) -> bool:
    return step.kind == "call" and _CANCELS.search(step.tool) is not None


def _takes_back(words: tuple[str, ...]) -> bool:
    return bool(files_undone_by(words)) or _is_undoing(words)


def _is_undoing(words: tuple[str, ...]) -> bool:
    return any(map(_UNDOES.fullmatch, _statement(words)[1:]))


def _undoes(later: tuple[str, ...], earlier: tuple[str, ...]) -> bool:
    left = {word for word in _statement(later) if not (word.startswith("-") or _UNDOES.fullmatch(word))}
    return len(left) > 1 and left <= set(_statement(earlier)) and not _is_undoing(earlier)


def _statement(words: tuple[str, ...]) -> tuple[str, ...]:
    """The words of a command, for a database those of its statement too: `psql -c "drop index a"`."""
    if words[0].rpartition("/")[2] not in _DATABASES:
        return words
    return tuple(part.strip(";") for word in words for part in word.split())
