"""Chooses what a project's memories say about it, with the evidence for each line. No model, no chance, no clock."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.guide.promotion import promotable
from mcp_reflect.domain.lessons.comparison.disagreement import stated_rules
from mcp_reflect.domain.lessons.failures.failure_text import decisive_error
from mcp_reflect.domain.lessons.failures.fix_wording import INSTEAD_OF
from mcp_reflect.domain.lessons.run.call_text import names_calls_only
from mcp_reflect.domain.lessons.run.commands.lines import without_noise
from mcp_reflect.domain.lessons.sentences.wording import wording_factor
from mcp_reflect.domain.models import ClaimMemory, ErrorMemory, InsightMemory, Memory, ReflectionMemory
from mcp_reflect.domain.provenance.carried_orders import tells_calls
from mcp_reflect.domain.text.quotation import without_quotations
from mcp_reflect.domain.text.rendering import join_lines
from mcp_reflect.domain.trajectory.error_lines import errors_in_text
from mcp_reflect.domain.truncate import in_one_line, truncate, truncate_line

SECTION_LINES = 20
"""Most lines of a section: whoever reads more than that at the start reads none of it."""

_TEXT_CHARS = 400
_TASK_CHARS = 120
_STATES_A_RULE = 1.3
"""The least factor of a sentence's wording at which it may be a decision: one strong wording, or two weak ones."""
_FAILED = " failed"
_FAILED_COMMAND = re.compile(rf"`[^`]+`{_FAILED}")
_NARRATES = re.compile(r"\b(?:I|my|me)\b")
"""What somebody did, saw or plans is no decision of the project, however it is worded."""
_COMMAND = "$ "
_TEST_OUTPUT = "Reviewer: $ "
"""How the words of a review by tests begin: the command, and below it its output."""
_PER_WITNESS = 0.1
_MOST_WITNESSES = 3
_OWN_WORDS = 0.05
"""A lesson in somebody's own words stands before an extracted one of the same record."""
_PER_STRENGTH = 0.1
"""Among decisions with the same record the one in the stronger words goes first."""

_DISAGREES = "(another lesson disagrees: check which holds)"

_UNSOLVED = 0.2
"""An error without a fix helps least."""


@dataclass(frozen=True)
class GuideLine:
    """A statement with its evidence: the runs that it comes from, and how it fared where it was recalled.

    `passed` and `failed` count those runs, `reviews` the later ones that moved its q_value, `passes` those of them that
    raised it. `task` is empty where the text stands alone. `weight` orders lines: expected success rate, more for
    further witnesses.
    """

    text: str
    task: str
    memory_ids: tuple[str, ...]
    trace_ids: tuple[str, ...]
    passed: int
    failed: int
    q_value: float
    reviews: int
    passes: int
    at: datetime
    weight: float


@dataclass(frozen=True)
class ProjectGuide:
    """The lines of each section, those that matter most first."""

    works: tuple[GuideLine, ...] = ()
    fails: tuple[GuideLine, ...] = ()
    errors: tuple[GuideLine, ...] = ()
    decisions: tuple[GuideLine, ...] = ()
    insights: tuple[GuideLine, ...] = ()

    @property
    def lessons(self) -> tuple[GuideLine, ...]:
        """Return the lines of `works` and `fails`, highest weight first, the first of each task only."""
        found: dict[str, GuideLine] = {}
        for line in _ordered((*self.works, *self.fails)):
            found.setdefault(line.task.casefold(), line)
        return tuple(found.values())


def compose_guide(
    memories: Iterable[Memory], most: int = SECTION_LINES, borne_out: Collection[str] = ()
) -> ProjectGuide:
    """Return the guide of these memories, which are in use; at most `most` lines in a section.

    `borne_out` are the ids of those that reviews promote (`promotion.py`).
    """
    sections: dict[str, list[GuideLine]] = {}
    for memory in memories:
        promoted = promotable(memory, borne_out=memory.id in borne_out)
        for name, line in _lines_of(promoted) if promoted is not None else ():
            sections.setdefault(name, []).append(line)
    chosen = {name: _ordered(_pooled(lines))[:most] for name, lines in sections.items()}
    if "decisions" in chosen:
        chosen["decisions"] = _with_disagreements(chosen["decisions"])
    return ProjectGuide(**{name: tuple(lines) for name, lines in chosen.items()})


def _with_disagreements(lines: list[GuideLine]) -> list[GuideLine]:
    """Say of each line that contradicts another one that it does: neither is known to have been given up."""
    stated = [stated_rules(line.task, line.text, quoted=False) for line in lines]
    return [
        replace(line, text=f"{line.text} {_DISAGREES}") if any(mine.contradict(other) for other in stated) else line
        for line, mine in zip(lines, stated, strict=True)
    ]


def _lines_of(memory: Memory) -> Iterator[tuple[str, GuideLine]]:
    """The lines of a memory, each with the name of its section."""
    match memory:
        case InsightMemory():
            yield "insights", replace(_line(memory, memory.reflection, ""), weight=1.0 + memory.importance)
        case ClaimMemory():
            yield "decisions", _line(memory, memory.reflection, "")
        case ErrorMemory() if memory.correct_action.strip():
            yield "errors", _line(memory, _labelled(memory.headline, _fix(memory)), "")
        case ErrorMemory():
            line = _line(memory, f"{_sentence(memory.headline)} No fix is known.", memory.task)
            yield "fails", replace(line, weight=line.weight - _UNSOLVED)
        case ReflectionMemory():
            yield from _lines_of_run(memory)


def _fix(memory: ErrorMemory) -> dict[str, str]:
    """The parts of a fix by their labels, without a command that the error or the fix names already."""
    steps = join_lines(memory.correct_action)
    if found := _FAILED_COMMAND.fullmatch(memory.headline):
        steps = steps.replace(f"{INSTEAD_OF}{found[0].removesuffix(_FAILED)}", "")
    tests = [f"`{each}`" for each in memory.tests if without_noise(each) not in f"{steps}\n{memory.headline}"]
    return {"Fix": steps, "Rule": memory.guidance, "Check": "; ".join(tests)}


def _lines_of_run(memory: ReflectionMemory) -> Iterator[tuple[str, GuideLine]]:
    summary, guidance, acted = (
        [line.strip() for line in without_quotations(text).splitlines() if line.strip() and not _is_stub(memory, line)]
        for text in (memory.summary, memory.guidance, memory.correct_action)
    )
    ruled = summary if _is_ruling(memory) else []
    rules = [each for each in (*summary, *guidance) if each in ruled or _is_decision(each)]
    if rules:
        strongest_first = sorted(rules, key=wording_factor, reverse=True)
        line = _line(memory, " ".join(map(_sentence, strongest_first)), memory.task)
        yield "decisions", replace(line, weight=line.weight + _PER_STRENGTH * wording_factor(strongest_first[0]))
    # Of a review by tests the output says nothing beyond its result.
    tested = memory.guidance.startswith(_TEST_OUTPUT)
    others = "" if tested else " ".join(_sentence(each) for each in (*summary, *guidance) if each not in rules)
    steps = join_lines("\n".join(acted))
    if memory.success is False:
        mistake = "" if _is_stub(memory, memory.key_mistake) else _mistake(memory.key_mistake)
        vouched = others if mistake and memory.author != "extractive" else ""  # what a failed run did is no advice
        if mistake or others:
            yield "fails", _line(memory, _labelled(mistake or others, {"Instead": steps or vouched}), memory.task)
        return
    prose = "" if any(memory.passages) else without_quotations(memory.reflection)
    if advice := f"{steps}. {others}" if steps and others else steps or others or prose:
        yield "works", _line(memory, advice, memory.task)


def _is_stub(memory: ReflectionMemory, statement: str) -> bool:
    """True where a run that served one case tells only which tools it called: their task does not say what for."""
    return memory.author == "extractive" and names_calls_only(statement.strip(), memory.tools_used)


def _is_decision(sentence: str) -> bool:
    if tells_calls(sentence) or _FAILED_COMMAND.match(sentence):
        return False
    return wording_factor(sentence) >= _STATES_A_RULE and not _NARRATES.search(sentence)


def _is_ruling(memory: ReflectionMemory) -> bool:
    """True where the summary is what the user ruled: nothing else goes before what a run did (`choose_headline`)."""
    return memory.author == "extractive" and memory.success is True and bool(memory.correct_action)


def _mistake(text: str) -> str:
    """The mistake in words; of a test command with its output the command and its decisive error."""
    if not text.startswith(_COMMAND):
        return text
    command, _, output = text.removeprefix(_COMMAND).partition("\n")
    error = decisive_error(list(errors_in_text(output)))
    return f"`{command}` failed{f': {error}' if error else ''}"


def _line(memory: Memory, text: str, task: str) -> GuideLine:
    quality = (memory.successes + memory.initial_q) / (memory.trials + 1.0)  # the mean in `learning/confidence.py`
    own = _OWN_WORDS if memory.author != "extractive" else 0.0
    runs = memory.source_trace_ids
    return GuideLine(
        text=truncate(in_one_line(text), _TEXT_CHARS),
        task=truncate_line(task, _TASK_CHARS),
        memory_ids=(memory.id,),
        trace_ids=runs,
        passed=len(runs) if memory.success is True else 0,
        failed=len(runs) if memory.success is False else 0,
        q_value=memory.q_value,
        reviews=memory.reviews,
        passes=memory.passes,
        at=memory.created_at,
        weight=quality + own + _PER_WITNESS * min(len(runs) - 1, _MOST_WITNESSES),
    )


def _pooled(lines: Iterable[GuideLine]) -> list[GuideLine]:
    """Lines of the same text as one, with the evidence of all."""
    found: dict[str, GuideLine] = {}
    for line in lines:
        key = line.text.casefold()
        found[key] = _joined(found[key], line) if key in found else line
    return [line for line in found.values() if line.text]


def _joined(one: GuideLine, other: GuideLine) -> GuideLine:
    traces = tuple(dict.fromkeys((*one.trace_ids, *other.trace_ids)))
    further = len(traces) > max(len(one.trace_ids), len(other.trace_ids))
    best = max(one, other, key=lambda line: line.weight)
    return replace(
        best,
        memory_ids=tuple(dict.fromkeys((*one.memory_ids, *other.memory_ids))),
        trace_ids=traces,
        passed=one.passed + other.passed if further else best.passed,
        failed=one.failed + other.failed if further else best.failed,
        reviews=one.reviews + other.reviews,
        passes=one.passes + other.passes,
        at=max(one.at, other.at),
        weight=best.weight + (_PER_WITNESS if further and len(traces) <= _MOST_WITNESSES + 1 else 0.0),
    )


def _ordered(lines: Iterable[GuideLine]) -> list[GuideLine]:
    newest_first = sorted(lines, key=lambda line: (line.at, line.memory_ids), reverse=True)
    return sorted(newest_first, key=lambda line: -line.weight)


def _labelled(text: str, more: dict[str, str]) -> str:
    *parts, last = [_sentence(text), *(f"{label}: {_sentence(value)}" for label, value in more.items() if value)]
    return " ".join([*(f"{part}." if part.endswith("`") else part for part in parts), last])


def _sentence(text: str) -> str:
    text = in_one_line(text)
    return text if not text or text.endswith((".", "!", "?", "…", ":", "`", '."', '!"', '?"')) else f"{text}."
