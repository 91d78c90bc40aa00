"""Chat messages whose agent has no tools: it writes code or `Action: …`, and the user answers with the output.

They are read as the text that their programs print, by the readers of that; those of Cline and Roo Code, in which
elements tell the calls, have a reader of their own.
"""

from __future__ import annotations

from collections.abc import Sequence

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.trajectory.messages import AGENT_ROLE, Message, Utterance
from mcp_reflect.domain.trajectory.parsing import Trajectory
from mcp_reflect.domain.trajectory.transcripts.layouts.labelled import read_labelled
from mcp_reflect.domain.trajectory.transcripts.programs.autogen import read_autogen
from mcp_reflect.domain.trajectory.transcripts.programs.cline_messages import read_cline_messages

_EXECUTED = re.compile(r"\s{0,9}exitcode: -?\d{1,10}\b")
_OBSERVED = re.compile(r"\s{0,9}(?:Observation|OBSERVATION|Observed|Output|Result|Tool (?:output|result))s?:")
_OBSERVED_WITHIN = re.compile(r"^Observation:", re.MULTILINE)
_ACTION = re.compile(r"^(?:\*\*)?(?:Action|ACTION)(?:\*\*)?:", re.MULTILINE)
_RULE = f"\n\n{80 * '-'}\n"
_LEAST = 2


def read_acts_in_words(trajectory: Trajectory) -> list[Message] | None:
    """Return the messages with the calls that they tell in words; None where they tell none, or have calls already."""
    said = [event for event in trajectory.events if isinstance(event, Utterance)]
    if len(said) < len(trajectory.events) or len(said) <= _LEAST:
        return None
    if told := read_cline_messages(trajectory.messages or ()):
        return told
    answers = [each for each in said if each.role != AGENT_ROLE]
    if any(_EXECUTED.match(each.text) for each in answers):
        return read_autogen(_RULE.join(map(_as_autogen, said)) + _RULE)
    acted = [each for each in said if each.role == AGENT_ROLE and _ACTION.search(each.text)]
    is_within = any(_OBSERVED_WITHIN.search(each.text) for each in acted)
    if acted and (is_within or any(_OBSERVED.match(each.text) for each in answers)):
        return read_labelled(_as_react(said))
    return None


def _as_autogen(said: Utterance) -> str:
    name, other = ("agent", "user_proxy") if said.role == AGENT_ROLE else ("user_proxy", "agent")
    return f"{name} (to {other}):\n\n{said.text.strip()}"


def _as_react(said: Sequence[Utterance]) -> str:
    return "\n\n".join(
        each.text.strip() if each.role == AGENT_ROLE or _OBSERVED.match(each.text) else f"Question: {each.text.strip()}"
        for each in said
        if each.role in {AGENT_ROLE, "user"}
    )
