"""Calls that set something to a value that a later call replaced: a field of a form, a cell, an option.

What stood there first did not stay, so it is not what worked.
"""

from __future__ import annotations

from collections.abc import Sequence

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.lessons.run.step import Step

_PLACE = re.compile(
    r"(?:\w+_)?(?:cells?|column|element|field|index|key|label|locator|option|property|range|ref|row|selector|setting|slot"
    r"|uid|xpath)|id|name|path",
    re.IGNORECASE,
)
"""Names of arguments that say where something is put."""

_ADDS = re.compile(
    r"(?:^|_|[a-z](?=[A-Z]))(?:[Aa]dd|[Aa]ppend|[Bb]ook|[Cc]omment|[Cc]reate|[Ii]nsert|[Ll]og|[Mm]essage|[Nn]ote|[Pp]ost"
    r"|[Pp]ublish|[Pp]ush|[Rr]eply|[Ss]end)(?:_|$|(?=[A-Z]))"
)
"""Tools that put something beside what is there."""


def is_set_again(step: Step, later: Sequence[Step]) -> bool:
    """Return true for a call that says where it puts what, where a later call that worked puts something else there."""
    places = {name: value for name, value in step.arguments.items() if _PLACE.fullmatch(name)}
    if step.kind != "call" or not places or len(places) == len(step.arguments) or _ADDS.search(step.tool):
        return False
    return any(
        each.tool == step.tool
        and each.failed is not True
        and each.arguments.keys() == step.arguments.keys()
        and each.arguments != step.arguments
        and all(each.arguments[name] == value for name, value in places.items())
        for each in later
    )
