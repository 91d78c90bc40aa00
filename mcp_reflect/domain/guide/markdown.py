"""A project guide as Markdown in which the words of memories can be read and do nothing."""

from __future__ import annotations

from collections.abc import Sequence

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.guide.composition import GuideLine, ProjectGuide
from mcp_reflect.domain.text.inert import inert
from mcp_reflect.domain.truncate import in_one_line

_SECTIONS = (
    ("works", "What works here"),
    ("fails", "What fails here"),
    ("errors", "Known errors and their fixes"),
    ("decisions", "Decisions in force"),
    ("insights", "What runs have in common"),
)
_SHOWN_TRACES = 3

_CODE = re.compile(r"(`[^`]+`)")
_FENCE = re.compile("`{2,}")
_ACTIVE = re.compile(r"[\\<>\[\]*|~]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])")
"""What makes tags, links, images, emphasis and tables outside of code; an underscore inside a word makes nothing."""
_OPENING = re.compile(r"(?:[#+=-]|\d{1,9}[.)])(?=\s|$|-|=)")
"""What makes a heading, a list or a rule at the beginning of a line."""


def render_guide(guide: ProjectGuide, project: str, passed: int, failed: int) -> str:
    """Return the guide of a project of which so many reviewed runs passed and failed; ends with a line feed."""
    runs = "1 reviewed run" if passed + failed == 1 else f"{passed + failed} reviewed runs"
    head = (
        f"Lessons of {runs}: {passed} passed, {failed} failed. Each line names the runs that it comes from, and "
        "how later ones fared that followed or repeated it; q, from 0 to 1, is how often they passed. Check that a "
        "line fits before you follow it."
    )
    parts = [f"# What earlier runs say about {markdown_text(project)}", head]
    for name, title in _SECTIONS:
        lines: Sequence[GuideLine] = getattr(guide, name)
        if lines:
            parts.append("\n".join([f"## {title}", "", *(_item(line) for line in lines)]))
    if len(parts) == 2:  # noqa: PLR2004 - the title and the line below it
        parts.append("There is no lesson yet.")
    return "\n\n".join(parts) + "\n"


def _item(line: GuideLine) -> str:
    task = f"**{markdown_text(line.task)}** — " if line.task else ""
    return f"- {task}{markdown_text(line.text)}\n  ({describe_evidence(line)})"


def describe_evidence(line: GuideLine) -> str:
    """Return the evidence of a line in words: runs with their results and ids, and how the line fared since."""
    told = [f"{count} {result}" for count, result in ((line.passed, "passed"), (line.failed, "failed")) if count]
    runs = ", ".join(line.trace_ids[:_SHOWN_TRACES])
    more = len(line.trace_ids) - _SHOWN_TRACES
    ids = f"{runs} and {more} more" if more > 0 else runs
    later = f"{line.reviews} later run{'s' * (line.reviews != 1)}"
    since = f"borne out by {line.passes} of {later}, q {line.q_value:.2f}"
    return "; ".join([f"{' and '.join(told)}: {ids}" if told else ids, *([since] if line.reviews else [])])


def markdown_text(text: str) -> str:
    """Return the text in one line that shows as it is: code in backticks stays code, markup is escaped."""
    line = in_one_line(inert(text))
    line = _FENCE.sub(lambda found: "'" * len(found[0]), line)
    if line.count("`") % 2:
        line = line.replace("`", "'")
    parts = _CODE.split(line)
    shown = "".join(part if number % 2 else _ACTIVE.sub(r"\\\g<0>", part) for number, part in enumerate(parts))
    return (
        _OPENING.sub(lambda found: f"{found[0][:-1]}\\{found[0][-1]}", shown, count=1)
        if _OPENING.match(shown)
        else shown
    )
