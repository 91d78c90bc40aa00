"""What stood in a file before a run wrote it anew, as far as the run had read it: the difference is what it changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.lessons.run.step import Step
from mcp_reflect.domain.trajectory.tools import path_of
from mcp_reflect.domain.truncate import CUT

_SHOWN_BY = re.compile(
    r"(?:\w+_)*(?:read|view|open|cat|show|get|file|editor|based|edit|tool|contents?|text|str|replace)+(?:_\w+)*"
)
_PARTS = ("offset", "limit", "view_range", "start_line", "end_line", "start", "end", "lines", "pages")
"""Arguments by which a part of a file is asked for."""
_SHOWS = re.compile(r"(?:cd\s+\S+\s*&&\s*)?cat\s+(?P<path>[\w./~@-]+)\s*")
_SHOWS_SOME = re.compile(r"(?:^|[;&\n])[ \t]*cat\s+((?:[\w./~@-]+\s*)+)")
_LINE_NUMBER = re.compile(r"^[ \t]{0,12}\d{1,6}(?:\t|→|[:|] ?)", re.MULTILINE)
_MOST_CHARS = 20_000


def with_former_text(steps: Sequence[Step]) -> list[Step]:
    """Return the steps; of a file that the run had read and then wrote anew, the edit with what it replaced."""
    known: dict[str, str] = {}
    found: list[Step] = []
    for step in steps:
        if path := _file_shown(step):
            known[path] = _without_numbers(step.output)
        elif step.kind == "edit" and not step.failed:
            path, former = step.subject, next((known[each] for each in known if _is_same(each, step.subject)), "")
            if step.writes and len(step.change) == 1 and not step.change[0][0]:
                former = former or _lines_shown(step.change[0][1], [each for each in found if _shows_among(each, path)])
                step = replace(step, change=((former, step.change[0][1]),))  # noqa: PLW2901 - the step with more in it
            known = {each: text for each, text in known.items() if not _is_same(each, path)}
        found.append(step)
    return found


def _shows_among(step: Step, path: str) -> bool:
    """Return true for a command line that shows a file among others, or beside what else it does."""
    if step.kind != "command" or step.failed is None or len(step.output) > _MOST_CHARS:
        return False
    named = [each for shown in _SHOWS_SOME.findall(step.subject) for each in shown.split() if not each.startswith("-")]
    return any(_is_same(each, path) for each in named)


def _lines_shown(text: str, steps: Sequence[Step]) -> str:
    """The lines of a text that stand in what commands had shown: what else was there is not known."""
    shown = {line for step in steps for line in step.output.splitlines() if line.strip()}
    return "\n".join(line for line in text.splitlines() if line in shown)


def _file_shown(step: Step) -> str:
    """The path of the file that a call shows whole; empty for any other."""
    if step.failed or not step.output or len(step.output) > _MOST_CHARS or CUT in step.output:
        return ""
    if step.kind == "command":
        shown = _SHOWS.fullmatch(step.subject)
        return shown["path"] if shown else ""
    name = step.tool.lower().rpartition("__")[2]
    if step.kind != "call" or not _SHOWN_BY.fullmatch(name) or any(step.arguments.get(part) for part in _PARTS):
        return ""
    return path_of(step.arguments)


def _without_numbers(text: str) -> str:
    lines = text.splitlines()
    numbered = sum(_LINE_NUMBER.match(line) is not None for line in lines)
    return _LINE_NUMBER.sub("", text) if lines and 2 * numbered > len(lines) else text


def _is_same(one: str, other: str) -> bool:
    shorter, longer = sorted((one.removeprefix("./"), other.removeprefix("./")), key=len)
    return longer == shorter or longer.endswith(f"/{shorter}")
