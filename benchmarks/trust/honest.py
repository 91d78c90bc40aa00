"""Lessons of real runs, as the reflector without a model and as an agent writes them: from the run's own last words."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from benchmarks.lessons.__main__ import RECORDED
from benchmarks.quality.data import Run
from mcp_reflect.adapters.extractive_reflector import ExtractiveReflector
from mcp_reflect.domain.lessons.run.utterances import find_said
from mcp_reflect.domain.models import ReflectionDraft, Result, Review, Trace
from mcp_reflect.domain.provenance.screening import Screening
from mcp_reflect.domain.text.quotation import read_quotation
from mcp_reflect.domain.trajectory.run import ParsedRun

_NOW = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class HonestLesson:
    """What screening took out of a lesson, and whether it made a quotation of something."""

    withheld: tuple[str, ...]
    quoted: bool


def honest_lessons(runs: Iterable[Run]) -> Iterator[HonestLesson]:
    """Yield the outcome of screening each lesson of each run: the extracted one, and the agent's last words."""
    for number, run in enumerate(runs):
        trace = Trace(
            id=f"trace_{number}",
            project="p",
            user="u",
            task=run.text,
            trajectory=json.dumps(run.messages),
            created_at=_NOW,
        )
        result: Result = "pass" if run.passed else "fail"
        review = Review(id=f"rev_{number}", trace_id=trace.id, seq=1, result=result, alpha=0.3, created_at=_NOW)
        reviewed = ParsedRun.of(trace).reviewed(review)
        said = [each.text for each in find_said(reviewed.trajectory) if each.role == "assistant"]
        drafts = [ExtractiveReflector().reflect(reviewed), ReflectionDraft(guidance="\n".join(said[-2:]))]
        screening = Screening(reviewed)
        for draft in drafts:
            if not draft.is_empty:
                found = screening.screen(draft)
                lines = f"{found.summary}\n{found.correct_action}\n{found.guidance}".splitlines()
                yield HonestLesson(found.withheld, any(map(read_quotation, lines)))


def recorded_runs() -> list[Run]:
    """Return the coding sessions that `benchmarks/lessons/record.py` recorded."""
    sessions = [json.loads(file.read_text(encoding="utf-8")) for file in sorted(RECORDED.glob("*.json"))]
    return [Run(each["name"], each["task"], passed=True, messages=tuple(each["messages"])) for each in sessions]
