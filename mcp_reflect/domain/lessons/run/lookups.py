"""Calls that only ask for something, told by the name of their tool."""

from __future__ import annotations

from collections.abc import Sequence

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.lessons.run.steps import Step

_ASKS = r"get|list|search|find|read|fetch|query|lookup|look_up|show|view|describe|retrieve|browse"
_LOOKUP = re.compile(
    rf"(?:{_ASKS}|think|calculate|glob|grep)"
    rf"|[a-z]+_(?:{_ASKS})_"
    r"|(?:browser|web|page)_(?:back|click_link|find|goto|navigate|open|scroll|visit)$"
    r"|(?:open|visit|load|goto|go_to|navigate)(?:_(?:to_)?(?:page|url|link|site|website))?$"
    rf"|\w*(?:search|fetch|look_?up|query)$|[a-z]+(?:_[a-z]+)*_(?:{_ASKS})$"
    r"|[a-z]+(?:_[a-z]+)*_(?:details?|history|info|status)$"
)
_ASKS_FIRST = re.compile(rf"(?:{_ASKS}|think|calculate|glob|grep)")
_ACTS = re.compile(
    r"(?:add|append|apply|approve|archive|assign|book|buy|cancel|change|charge|clear|close|comment|commit|confirm|copy"
    r"|create|cut|delete|deploy|disable|discard|drop|edit|enable|execute|file|fill|finish|fix|forward|generate|grant|hold"
    r"|import|insert|install|issue|lock|log|make|mark|merge|modify|move|notify|order|patch|pay|place|post|publish|push"
    r"|put|rebook|record|refund|register|release|remove|rename|reply|request|reserve|reset|restart|restore|resume"
    r"|return|revoke|run|save|schedule|send|set|share|sign|start|stop|submit|subscribe|swap|sync|tag|toggle|transfer"
    r"|trigger|unlock|unsubscribe|update|upgrade|upload|verify|withdraw|write)_"
)
"""Verbs with which a name begins that does something, whatever it does that to."""
_WEB = re.compile(r"web|browser|wiki")
_SEARCH = re.compile(r"search|look_?up|query|brows|fetch")


def is_lookup(step: Step) -> bool:
    """Return true for a call that only asks for something, by the verb in its tool's name."""
    return step.kind == "call" and only_asks(step.tool)


def only_asks(tool: str) -> bool:
    """Return true for the name of a tool that begins with a verb of asking or ends with one, as `web_fetch`."""
    name = tool.lower().rpartition("__")[2]
    return bool(_LOOKUP.match(name)) and not (_ACTS.match(name) and not _ASKS_FIRST.match(name))


def is_research(steps: Sequence[Step]) -> bool:
    """Return true where all that a run did was to read pages of the web: what it found out is its answer in words."""
    asked = bool(steps) and all(map(is_lookup, steps))
    return asked and any(_WEB.search(step.tool.lower()) or "url" in step.arguments for step in steps)


def is_search(step: Step) -> bool:
    """Return true for a call that asks for something in words of its own: a search with one argument."""
    return is_lookup(step) and len(step.arguments) == 1 and bool(_SEARCH.search(step.tool.lower()))
