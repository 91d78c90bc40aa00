"""Passages of a run that a lesson may quote: what was said, changed, run and called."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Literal, NamedTuple

from mcp_reflect.domain.lessons.run.commands.effects import prepares
from mcp_reflect.domain.lessons.run.net_changes import NetChanges
from mcp_reflect.domain.lessons.run.step import Step
from mcp_reflect.domain.lessons.run.utterances import find_said
from mcp_reflect.domain.lessons.sentences.candidates import USER
from mcp_reflect.domain.lessons.sentences.splitting import split_sentences
from mcp_reflect.domain.lessons.sentences.wording import is_courtesy
from mcp_reflect.domain.trajectory.parsing import Trajectory

PASSAGE_CHARS = 300
_SHORTEST = 8
_MOST_TURNS, _MOST_STEPS = 100, 100
"""The last turns and steps that are read: a run is decided at its end."""
_MOST_LINES = 200
"""Lines of one edit or command that are read, from the beginning."""
_MOST_PASSAGES = 400
"""Passages of a run, the last ones."""

PassageKind = Literal["user", "closing", "agent", "edit", "command", "call"]


class RunPassage(NamedTuple):
    """A sentence that was said, lines that an edit added, a line of a command, or a call; 8 to 300 characters.

    `closing` is what the agent said last. `place` is the number of steps before it, `step` the one that it belongs to,
    None for what was said.
    """

    kind: PassageKind
    text: str
    place: int
    step: Step | None = None


def find_passages(
    trajectory: Trajectory, steps: Sequence[Step], final_response: str, *, passed: bool
) -> list[RunPassage]:
    """Return the passages of a run, each once; of a failed run only what its user said.

    What the agent of a failed run did and said is what went wrong. The first turn, which is the task, questions and
    courtesies are left out, and so are added lines that a later edit took out again.
    """
    found = [*_said(trajectory, len(steps), final_response), *(_done(steps) if passed else ())]
    kept: dict[str, RunPassage] = {}
    for each in found:
        text = " ".join(each.text.split())
        if _SHORTEST <= len(text) <= PASSAGE_CHARS and (passed or each.kind == "user"):
            kept.setdefault(text, each._replace(text=text))
    return list(kept.values())[-_MOST_PASSAGES:]


def _said(trajectory: Trajectory, steps: int, final_response: str) -> Iterator[RunPassage]:
    turns = list(find_said(trajectory))
    first = next((number for number, turn in enumerate(turns) if turn.role == USER), None)
    last = max((number for number, turn in enumerate(turns) if turn.role != USER), default=None)
    for number, turn in list(enumerate(turns))[-_MOST_TURNS:]:
        if number != first:
            is_last = number == last and turn.place >= steps
            kind: PassageKind = "user" if turn.role == USER else "closing" if is_last else "agent"
            yield from _sentences(kind, turn.text, turn.place)
    if last is None or turns[last].text.strip() != final_response.strip():
        yield from _sentences("closing", final_response, steps)


def _sentences(kind: PassageKind, text: str, place: int) -> Iterator[RunPassage]:
    for said in split_sentences(text):
        if not said.rstrip().endswith("?") and not is_courtesy(said):
            yield RunPassage(kind, said, place)


def _done(steps: Sequence[Step]) -> Iterator[RunPassage]:
    net = NetChanges(steps)
    changed = next((place for place, step in enumerate(steps) if step.kind == "edit" and not step.failed), 0)
    for place, step in list(enumerate(steps))[-_MOST_STEPS:]:
        if step.kind == "command" and place < changed and not prepares(step.subject):
            continue  # it shows how things stood
        if step.kind == "edit" and net.of([step]):
            later = [each for each in steps[place + 1 :] if each.subject == step.subject and not each.failed]
            yield from (RunPassage("edit", text, place, step) for text in _added(step, later))
        elif step.kind == "command":
            yield from (
                RunPassage("command", line, place, step) for line in islice(step.subject.splitlines(), _MOST_LINES)
            )
        elif step.kind == "call":
            values = " ".join(f"{name}={value}" for name, value in step.arguments.items())
            yield RunPassage("call", f"{step.tool} {values}"[:PASSAGE_CHARS], place, step)


def _added(step: Step, later: Sequence[Step]) -> Iterator[str]:
    """The lines that an edit added and no later one took out again, those beside each other together."""
    for old, new in step.change:
        known = set(old.splitlines())
        told: list[str] = []
        for line in new.splitlines()[:_MOST_LINES]:
            is_gone = any(
                (each.writes or line in out or (out and out in line)) and line not in put
                for each in later
                for out, put in each.change
            )
            stays = line.strip() and line not in known and not is_gone
            quoted = f"`{' '.join(line.split())}`"
            if told and not (stays and len("; ".join((*told, quoted))) <= PASSAGE_CHARS):
                yield "; ".join(told)
                told = []
            if stays:
                told.append(quoted)
        if told:
            yield "; ".join(told)
