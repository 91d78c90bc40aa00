"""Any course of events that a memory can see, drawn by hypothesis and played on a small memory."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from mcp_reflect.application.requests import ErrorFix, Query, Submission, Verdict
from mcp_reflect.domain.models import InsightDraft
from tests.support.composition import Parts

TASKS = ("cancel the flight", "book a hotel", "rename the module", "cancel the hotel", "naïve ☃ 𝄞")

Step = tuple[str, int, int, Any]

_numbers = st.integers(0, 30)
_words = st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"]), max_size=20)

steps: st.SearchStrategy[list[Step]] = st.lists(
    st.one_of(
        st.tuples(st.just("run"), _numbers, _numbers, _words),
        st.tuples(st.just("review"), _numbers, _numbers, st.sampled_from(["pass", "fail"])),
        st.tuples(st.just("verdict"), _numbers, _numbers, st.sampled_from(["pass", "fail"])),
        st.tuples(st.just("error"), _numbers, _numbers, st.sampled_from(["", "Clean the cache"])),
        st.tuples(st.just("insight"), _numbers, _numbers, st.sampled_from(["Ask first", "Read the help", "Wait"])),
        st.tuples(st.just("manage"), _numbers, _numbers, st.sampled_from(["adopt", "archive", "deprecate"])),
    ),
    max_size=20,
)


def memories(parts: Parts) -> list[str]:
    with parts.ledger.reading() as session:
        return [memory.id for memory in session.memories.find("alpha")]


def traces(parts: Parts) -> list[str]:
    """Submitted runs, newest first."""
    return [trace.id for trace in parts.memory.traces(None, 100)]


def play(parts: Parts, history: list[Step]) -> None:
    for what, first, second, more in history:
        _play(parts, what, first, second, more)


def _play(parts: Parts, what: str, first: int, second: int, more: Any) -> None:
    memory, task = parts.memory, TASKS[first % len(TASKS)]
    if what == "run":
        shown = memory.query(Query(task=task, limit=1 + second % 4))
        review = {"review_result": "pass", "feedback": more, "claims": ("a fact",)} if second % 2 else {}
        own = {"metadata": {"n": first, "words": more or "-", "list": [1.5, True]}, "trajectory": f"$ run\n{more}"}
        memory.submit(Submission(task=task, retrieval_id=shown.retrieval_id, **review, **own))
    elif what == "error":
        memory.record_error(ErrorFix(task=task, mistake=f"disk {task} exceeded", fix=more, evidence=f"E{second}"))
    elif what == "manage":
        known = memories(parts)
        if known:
            memory.manage(known[first % len(known)], more, "because")
    elif runs := traces(parts):
        run = runs[first % len(runs)]
        if what == "insight":
            evidence = tuple({run, runs[second % len(runs)]})
            memory.insights.store([InsightDraft(text=more, importance=0.5, evidence=evidence)], "agent")
        else:
            known = parts.memory.trace(run).retrieved_memory_ids if what == "verdict" else ()
            known = tuple(each for each in known if each.startswith("mem_"))  # others were forgotten
            named = tuple({known[n % len(known)] for n in (first, second)}) if known else ()
            cut = second % (len(named) + 1)
            lists = {"helpful_memory_ids": named[:cut], "harmful_memory_ids": named[cut:]}
            memory.review(run, Verdict(result=more, alpha=0.3, **lists))
