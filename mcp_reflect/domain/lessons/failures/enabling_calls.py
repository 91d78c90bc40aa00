"""Calls that made a refused one possible: an approval, a code that was sent, what had to be created first.

A tool that refuses a call says what is missing, and the run makes up for it by another tool before it calls again. That
call had its part where the refusal names its tool, or where the call that worked was given what it returned.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.lessons.run.lookups import is_lookup
from mcp_reflect.domain.lessons.run.step import Step

_IDENTIFIES = re.compile(r"(?=\S*\d)\S+\Z|[A-Z][A-Z_-]+\Z")
_LEAST_VALUE = 3
"""Characters of a value from which it is no number that stands in any result."""


def find_enabling_calls(refused: Sequence[Step], between: Sequence[Step], worked: Step) -> Iterator[Step]:
    """Yield the calls of other tools that worked between refused calls and the one that worked, and made it possible.

    Of each tool the first is yielded.
    """
    outputs = "\n".join(step.output for step in refused)
    known = {str(value) for step in refused[:1] for value in step.arguments.values()}
    given = [value for value in map(str, worked.arguments.values()) if len(value) >= _LEAST_VALUE]
    new = [value for value in given if _IDENTIFIES.match(value) and value not in known and value not in outputs]
    seen = {worked.tool}
    for step in between:
        if step.kind != "call" or step.failed is not False or is_lookup(step) or step.tool in seen:
            continue
        if _is_named(step.tool, outputs) or any(_is_named(value, step.output) for value in new):
            seen.add(step.tool)
            yield step


def _is_named(name: str, text: str) -> bool:
    return name in text and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None
