"""The turns of a run, with what the run shows of them: which were refuted, and which of the user corrected it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import islice

from mcp_reflect.domain.lessons.drafting.last_words import MOST_TURNS
from mcp_reflect.domain.lessons.drafting.mistakes import STATUS_TOKEN
from mcp_reflect.domain.lessons.run.step import Step
from mcp_reflect.domain.lessons.run.steps import steps_before
from mcp_reflect.domain.lessons.run.utterances import find_said
from mcp_reflect.domain.lessons.sentences.candidates import AGENT, USER, Turn
from mcp_reflect.domain.lessons.sentences.splitting import split_sentences
from mcp_reflect.domain.trajectory.parsing import Trajectory
from mcp_reflect.domain.truncate import truncate_line

_SENTENCES = 2
_REASON_CHARS = 160
"""Of what an agent said before it did something."""


def said_turns(
    trajectory: Trajectory, final_response: str, refuted: Sequence[range] = (), corrections: Collection[int] = ()
) -> list[Turn]:
    """Return what was said in a run: the first turn and at most 400 of the last, with the final response at the end.

    `refuted` are the places in which the agent's words are, `corrections` those of the user's turns after which the run
    did something over again. A place is the number of steps before it.
    """
    found = find_said(trajectory)
    turns = [
        Turn(
            said.role,
            STATUS_TOKEN.sub("", said.text),
            refuted=any(said.place in places for places in refuted),
            corrects=said.role == USER and said.place in corrections,
            acted=said.place > before,
        )
        for said, before in zip(found, [0, *(said.place for said in found)], strict=False)
    ]
    final = final_response.strip()
    if final and (not turns or turns[-1].text.strip() != final):
        turns.append(Turn(AGENT, final))
    return turns[:1] + turns[1:][-MOST_TURNS:]


def reasons_before(trajectory: Trajectory, steps: Sequence[Step]) -> dict[int, str]:
    """Return what the agent said first right before each of these steps, as one sentence, by the step's place.

    What it answered to its user is no reason of its own.
    """
    before = steps_before(trajectory, steps)
    found = find_said(trajectory)
    answered = {each.place for each in found if each.role == USER}
    said = {each.place - before: each.text for each in found if each.role == AGENT and each.place not in answered}
    return {place: _as_one_sentence(text) for place, text in said.items() if place >= 0}


def _as_one_sentence(text: str) -> str:
    told = list(islice(split_sentences(text), _SENTENCES))
    return truncate_line("; ".join(each.rstrip(".") for each in told), _REASON_CHARS)


def closing_words(trajectory: Trajectory, final_response: str) -> str:
    """Return what the agent said last in a run."""
    said = [each.text for each in find_said(trajectory) if each.role == AGENT]
    return final_response.strip() or (said[-1] if said else "")
