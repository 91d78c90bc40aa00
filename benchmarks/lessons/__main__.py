"""Information content of memories, measured without a model: `python -m benchmarks.lessons [--only PART]`.

- `decisions`: developer conversations that settle a rule, and bug reports that need it. Printed are the shares of the
  decision's words (without those of the report) and numbers that the first three memories say within 800 tokens.
- `sessions`: coding sessions recorded with real tools (`record.py`). A reworded task must bring back the command or
  change that worked, verbatim, in the first memory. With `--held-out` those that no rule was made for.
- `told`: the same sessions in words, as models without hooks hand them in (`told.py`).
- `specific`: the runs of an airline agent and of a question answering agent. A memory is specific where its lesson
  holds a value, a command, an error text or a sentence of which a third is not in its task.
- `growing`: a memory that grew over 500 runs of the question answering agent. A duplicate is a lesson among the first
  five with the words of an earlier one of them, whatever their case and punctuation.
- `disagreements`: labelled pairs of lessons that contradict each other, and look-alikes; and the pairs of lessons from
  the runs and conversations above that are said to disagree, none of which does.
- `amendments`: pairs of lessons of which the later one amends the earlier in everyday words, and decoys.
- `storing`: what a reviewed run costs, in bulk and against one embedding plus one raw Chroma add.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

from benchmarks.lessons.amendments import recognise_amendments
from benchmarks.lessons.answers import (
    copies_among,
    is_newer_first,
    is_specific,
    mean,
    numbers_said,
    plain,
    sources,
    told_in_list,
    within_budget,
    words_said,
)
from benchmarks.lessons.disagreements import false_alarms, recognise
from benchmarks.lessons.storing import measure_singly, measure_together
from benchmarks.lessons.submitting import messages_of, read_talks, submission, submit
from benchmarks.lessons.told import STYLES, tell
from benchmarks.quality.banks import Laboratory, laboratory
from benchmarks.quality.data import HOTPOT, TAU, Run, read_runs
from mcp_reflect.application.memory_service import MemoryService
from mcp_reflect.application.requests import Query, Submission
from mcp_reflect.domain.trajectory.parsing import parse
from mcp_reflect.server.views.concise import concise_memories

RECORDED = Path(__file__).parent / "recorded"
HELD_OUT = Path(__file__).parent / "held_out"
SEED, GROWN = 17, 500

console = Console(width=120)


class Figure(NamedTuple):
    name: str
    value: float
    goal: str
    before: str = "–"


def decisions() -> Iterator[Figure]:
    conversations, questions = read_talks()
    with laboratory() as lab, lab.memory("decisions") as memory:
        for name, turns in conversations.items():
            submit(memory, turns[0]["text"], messages_of(turns), source=name)
        answers = [memory.query(Query(task=row["text"], limit=10)).matches for row in questions]
        ten = [memory.query(Query(task=row["text"], limit=10, similarity_threshold=0.0)) for row in questions]
        superseded = supersessions(lab, memory)
    said = [within_budget(matches[:3]) for matches in answers]
    yield Figure("decision words in the first 3", mean(map(words_said, questions, said)), ">= .85", ".50")
    numbers = [numbers_said(row, text) for row, text in zip(questions, said, strict=True)]
    yield Figure("decision numbers in the first 3", mean(n for n in numbers if n is not None), ">= .90", ".30-.50")
    listed = [told_in_list(retrieved) for retrieved in ten]
    yield Figure("… words, of ten memories in a concise list", mean(map(words_said, questions, listed)), "")
    whole = [" ".join(turn["text"] for turn in conversations[row["conversations"][-1]]) for row in questions]
    yield Figure("… words the conversation says", mean(map(words_said, questions, whole)), "")
    hits = [row["conversations"][-1] in sources(matches[:3]) for row, matches in zip(questions, answers, strict=True)]
    yield Figure("right conversation in the first 3", mean(hits), ">= .95", "1.0")
    amended = [(row, sources(m)) for row, m in zip(questions, answers, strict=True) if len(row["conversations"]) > 1]
    yield Figure(
        "newer decision above the older",
        mean(is_newer_first(row, names) for row, names in amended),
        ">= .95",
        ".17-.33",
    )
    true = {tuple(row["conversations"]) for row in questions if len(row["conversations"]) > 1}
    yield Figure(f"amendments recognised of {len(true)}", len(true & superseded), str(len(true)), "0")
    yield Figure(f"wrong supersessions among {len(conversations)}", len(superseded - true), "0", "0")


def sessions() -> Iterator[Figure]:
    yield from recalled(RECORDED)


def held_out() -> Iterator[Figure]:
    yield from recalled(HELD_OUT / "recorded")


def held_out_later() -> Iterator[Figure]:
    yield from recalled(HELD_OUT / "later_recorded")


def held_out_fresh() -> Iterator[Figure]:
    yield from recalled(HELD_OUT / "fresh_recorded")


def told() -> Iterator[Figure]:
    for style in STYLES:
        yield from islice(recalled(RECORDED, style), 1)


def recalled(folder: Path, style: str = "") -> Iterator[Figure]:
    """Figures of the sessions recorded in a folder, all of them in one memory; in words where a `style` is given."""
    recorded = [json.loads(file.read_text(encoding="utf-8")) for file in sorted(folder.glob("*.json"))]
    for session in recorded if style else ():
        session["log"] = tell(parse(session.get("log") or session["messages"]), style)
    with laboratory() as lab, lab.memory("sessions") as memory:
        lessons = [submit(memory, s["task"], s.get("log") or s["messages"], source=s["name"]) for s in recorded]
        first = [memory.query(Query(task=s["reworded"], limit=1)).matches for s in recorded]
        ten = [memory.query(Query(task=s["reworded"], limit=10, similarity_threshold=0.0)) for s in recorded]
    found = [bool(m) and s["decisive"] in m[0].memory.reflection for s, m in zip(recorded, first, strict=True)]
    for session, hit in zip(recorded, found, strict=True):
        if not hit:
            console.print(f"  missed: {session['name']}", markup=False)
    yield Figure(
        f"decisive text in the first of {len(recorded)} sessions{f', {style}' if style else ''}", mean(found), ">= .90"
    )
    listed = [concise_memories(retrieved)["memories"][0]["reflection"] for retrieved in ten]
    in_list = mean(s["decisive"] in lesson for s, lesson in zip(recorded, listed, strict=True))
    yield Figure("… of ten memories in a concise list", in_list, "")
    yield Figure("ecosystems", len({s["ecosystem"] for s in recorded}), ">= 6")
    texts = [lesson.reflection for lesson in lessons if lesson is not None]
    yield Figure("identical texts", len(texts) - len(set(texts)), "0")


def specific() -> Iterator[Figure]:
    for name in (TAU, HOTPOT):
        runs = read_runs(name)
        with laboratory() as lab, lab.memory(name) as memory:
            stored = [
                submit(memory, run.text, list(run.messages), result="pass" if run.passed else "fail") for run in runs
            ]
            kept = memory.memories(tuple(dict.fromkeys(lesson.id for lesson in stored if lesson is not None)))
        yield Figure(f"{name}: runs with something to learn", mean(lesson is not None for lesson in stored), "")
        yield Figure(f"{name}: memories", len(kept), "")
        yield Figure(f"{name}: memories without it", sum(not is_specific(lesson) for lesson in kept), "0")
        yield Figure(f"{name}: identical texts", len(kept) - len({lesson.reflection for lesson in kept}), "")


def supersessions(lab: Laboratory, memory: MemoryService) -> set[tuple[str, ...]]:
    """Return the sources of every superseded memory and of its successor."""
    with lab.store.ledger.reading() as session:
        found = session.memories.find(memory.profile.project)
    source = {each.id: str(each.metadata["source"]) for each in found}
    return {(source[each.id], source[each.superseded_by]) for each in found if each.status == "superseded"}


def growing() -> Iterator[Figure]:
    runs = random.Random(SEED).sample(read_runs(HOTPOT), GROWN)
    with laboratory() as lab, lab.memory("growing") as memory:
        for run in runs:
            submit(memory, run.text, list(run.messages), result="pass" if run.passed else "fail")
        questions = list(dict.fromkeys(run.text for run in runs))
        answers = [memory.query(Query(task=question, limit=5)).matches for question in questions]
        stored = memory.counts().memories.get("active", 0)
    copies = [copies_among([plain(match.memory) for match in matches]) for matches in answers]
    yield Figure(f"memories of {GROWN} runs", stored, "")
    yield Figure(f"duplicates among the first 5, {len(questions)} questions", sum(copies), "0", "73")


def disagreements() -> Iterator[Figure]:
    for name, kept_aside in (("all pairs", False), ("pairs kept aside", True)):
        told = recognise(kept_aside=kept_aside)
        yield Figure(f"{name}: contradictions found of {told.contradictions}", told.found / told.contradictions, "")
        yield Figure(f"{name}: look-alikes taken for one of {told.look_alikes}", told.false / told.look_alikes, "")
    talks, _ = read_talks()
    sets = {name: [(run.text, list(run.messages), run.passed) for run in read_runs(name)] for name in (TAU, HOTPOT)}
    sets["sde_dev"] = [(turns[0]["text"], messages_of(turns), True) for turns in talks.values()]
    for name, runs in sets.items():
        with laboratory() as lab, lab.memory(name) as memory:
            stored = [submit(memory, task, said, result="pass" if passed else "fail") for task, said, passed in runs]
        lessons = {lesson.id: lesson for lesson in stored if lesson is not None}
        yield Figure(f"{name}: false pairs among {len(lessons)} memories", false_alarms(lessons.values()), "0")


def amendments() -> Iterator[Figure]:
    for file in ("amendments.json", "amendments_later.json"):
        for name, true in (("amendments", True), ("decoys", False)):
            superseded, changed, pairs = recognise_amendments(true=true, name=file)
            yield Figure(f"{file}: {name} superseded, of {pairs}", superseded, "" if true else "0")
            yield Figure(f"{file}: {name} with the later first", changed, "" if true else "0")


def storing() -> Iterator[Figure]:
    runs = random.Random(SEED).sample([*read_runs(HOTPOT), *read_runs(TAU)], GROWN)

    def made(task: str, run: Run) -> Submission:
        return submission(task, list(run.messages), result="pass" if run.passed else "fail")

    with laboratory() as lab, lab.memory("together") as memory:
        together = measure_together(lab, memory, [made(run.text, run) for run in runs])
    with laboratory() as lab, lab.memory("singly") as memory:
        singly, one = measure_singly(lab, memory, runs, made)
    yield Figure(f"reviewed runs a second, {GROWN} calls of submit", singly.a_second, ">= 40", "16.4")
    yield Figure("… CPU time of each in ms, lessons embedded", singly.cpu_ms, "")
    yield Figure("… in one call of submit_all", together.a_second, ">= 100")
    yield Figure("… CPU time of each in ms", together.cpu_ms, "<= 25")
    yield Figure("one run / (one embedding + one raw Chroma add), paired", one.ratio, "<= 2")
    yield Figure("… its median in ms", one.ours * 1e3, "")
    yield Figure("… theirs in ms", one.theirs * 1e3, "")


PARTS: dict[str, Callable[[], Iterator[Figure]]] = {
    "decisions": decisions,
    "sessions": sessions,
    "told": told,
    "specific": specific,
    "growing": growing,
    "disagreements": disagreements,
    "amendments": amendments,
    "storing": storing,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--only", choices=PARTS, action="append")
    parser.add_argument("--held-out", action="store_true", help="the sessions that no rule was made for, alone")
    given = parser.parse_args()
    unseen = {"held-out sessions": held_out, "… recorded later": held_out_later, "… fresh": held_out_fresh}
    parts = unseen if given.held_out else {each: PARTS[each] for each in given.only or PARTS}
    for name, measure in parts.items():
        table = Table("figure", "value", "goal", "before", title=name)
        for figure in measure():
            table.add_row(figure.name, f"{figure.value:.3g}", figure.goal, figure.before)
        console.print(table)


if __name__ == "__main__":
    main()
