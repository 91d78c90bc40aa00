"""Each call reads the trajectory of its run once, and before the ledger is locked."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mcp_reflect.adapters.extractive_reflector import ExtractiveReflector
from mcp_reflect.application.jobs.leases import JobLeases
from mcp_reflect.application.jobs.reflection_writer import ReflectionWriter
from mcp_reflect.application.jobs.reflections import ReflectionJobs
from mcp_reflect.application.jobs.worker import JobWorker
from mcp_reflect.application.requests import ErrorQuery, Query, Submission, Verdict
from mcp_reflect.application.review import latest_run
from mcp_reflect.domain.defaults import INITIAL_Q
from mcp_reflect.domain.models import Author
from mcp_reflect.domain.provenance import lazy_reading
from mcp_reflect.domain.provenance.run_reading import texts_of_run
from mcp_reflect.domain.provenance.run_texts import RunTexts
from mcp_reflect.domain.trajectory import parsing
from mcp_reflect.domain.trajectory.run import ParsedRun
from tests.support.composition import Parts, small_memory
from tests.support.values import moment

RUN = json.dumps(
    [
        {"role": "user", "content": "Mend the clock"},
        {"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "wind", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "1", "content": "error: the spring is broken"},
    ]
)


def _call(number: str, command: str) -> dict[str, Any]:
    return {"id": number, "function": {"name": "bash", "arguments": json.dumps({"command": command})}}


class Model(ExtractiveReflector):
    """Writes as the extractive reflector does, in the name of a model."""

    @property
    def author(self) -> Author:
        return "llm"


class Watch:
    """Counts the parses of trajectories since it was last asked, and those made under the ledger's lock."""

    def __init__(self, parts: Parts, monkeypatch: pytest.MonkeyPatch) -> None:
        self._count = self.under_lock = 0
        self._locked = False
        load, writing = parsing._loads, parts.ledger.writing

        def counted(*arguments: Any) -> Any:
            self._count += 1
            self.under_lock += self._locked
            return load(*arguments)

        @contextmanager
        def watched(**options: Any) -> Iterator[Any]:
            with writing(**options) as session:
                self._locked = True
                try:
                    yield session
                finally:
                    self._locked = False

        monkeypatch.setattr(parsing, "_loads", counted)
        monkeypatch.setattr(parts.ledger, "writing", watched)

    def parses(self) -> int:
        count, self._count = self._count, 0
        return count


@pytest.fixture
def parts(tmp_path: Path) -> Iterator[Parts]:
    with small_memory(tmp_path) as made:
        for lesson in ("Wind the spring slowly", "Ask for the key", "Oil the wheel"):
            made.memory.submit(Submission(task="Mend the clock", review_result="pass", guidance=lesson))
        yield made


@pytest.mark.parametrize("result", ["pass", "fail"])
@pytest.mark.parametrize("own_words", ["", "Buy a spring first"])
def test_a_run_is_parsed_once_by_each_call(
    parts: Parts, monkeypatch: pytest.MonkeyPatch, result: str, own_words: str
) -> None:
    words = {"feedback": "It stands still.", "guidance": own_words}
    watch = Watch(parts, monkeypatch)
    for review in ({}, {"review_result": result, **words}):
        shown = parts.memory.query(Query(task="Mend the clock", similarity_threshold=0.0))
        assert len(shown.matches) > 1
        run: dict[str, Any] = {"task": "Mend the clock", "trajectory": RUN, **review}
        submitted = parts.memory.submit(Submission(**run))
        assert watch.parses() == 1
    parts.memory.review(submitted.trace_id, Verdict.model_validate({"result": result, **words}))
    assert watch.parses() == 1
    assert watch.under_lock == 0


FIXED = json.dumps(
    [
        {"role": "user", "content": "Mend the clock"},
        {"role": "assistant", "tool_calls": [_call("1", "make clock")]},
        {"role": "tool", "tool_call_id": "1", "is_error": True, "content": "error: no rule for spring.o"},
        {"role": "assistant", "tool_calls": [_call("2", "touch spring.c")]},
        {"role": "tool", "tool_call_id": "2", "content": "", "is_error": False},
        {"role": "assistant", "tool_calls": [_call("3", "make clock")]},
        {"role": "tool", "tool_call_id": "3", "content": "done", "is_error": False},
    ]
)


@pytest.mark.parametrize(("feedback", "readings"), [("", 1), ("Run `touch wheel.c` as well.", 2)])
def test_what_a_run_read_is_read_once_for_its_lesson_and_its_errors(
    parts: Parts, monkeypatch: pytest.MonkeyPatch, feedback: str, readings: int
) -> None:
    read: list[ParsedRun] = []

    def counted(run: ParsedRun) -> RunTexts:
        read.append(run)
        return texts_of_run(run)

    monkeypatch.setattr(lazy_reading, "texts_of_run", counted)
    run = Submission(task="Mend the clock", trajectory=FIXED, review_result="pass", feedback=feedback)
    outcome = parts.memory.submit(run)
    assert outcome.memory is not None
    assert "touch spring.c" in outcome.memory.reflection
    assert parts.memory.errors.find(ErrorQuery(error="error: no rule for spring.o")).fixes
    assert len(read) == readings  # a reviewer's words are a text of their own, and vouch for no fix


def test_the_run_handed_in_last_is_reviewed_as_it_was_parsed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    taught = []
    for folder, runs_after_it in ((tmp_path / "kept", 0), (tmp_path / "read", 1)):
        folder.mkdir()
        with small_memory(folder) as parts:
            trace_id = parts.memory.submit(Submission(task="Mend the clock", trajectory=FIXED)).trace_id
            for _ in range(runs_after_it):
                parts.memory.submit(Submission(task="Oil the wheel", trajectory=RUN))
            watch = Watch(parts, monkeypatch)
            memory = parts.memory.review(trace_id, Verdict(result="pass")).memory
            assert watch.parses() == runs_after_it
            assert memory is not None
            taught.append(memory.reflection)
            parts.memory.review(trace_id, Verdict(result="fail", feedback="It stands still."))
            assert watch.parses() == 1  # it was let go with its first review
    assert "touch spring.c" in taught[0]
    assert taught[0] == taught[1]


def test_a_run_that_was_changed_since_is_read_again_for_its_review(
    parts: Parts, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = parts.memory.query(Query(task="Mend the clock", similarity_threshold=0.0))
    gone = shown.matches[0].memory.id
    trace_id = parts.memory.submit(Submission(task="Mend the clock", trajectory=RUN)).trace_id
    with parts.ledger.writing() as session:
        session.memories.delete(gone, "gone_1")
    watch = Watch(parts, monkeypatch)
    outcome = parts.memory.review(trace_id, Verdict(result="pass"))
    assert watch.parses() == 1
    assert gone not in {update.memory_id for update in outcome.q_updates}


def test_a_long_run_is_not_kept_for_its_review(parts: Parts, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(latest_run, "_MOST_CHARS", 20)
    trace_id = parts.memory.submit(Submission(task="Mend the clock", trajectory=RUN)).trace_id
    watch = Watch(parts, monkeypatch)
    parts.memory.review(trace_id, Verdict(result="pass"))
    assert watch.parses() == 1


def test_a_reflection_that_is_written_later_parses_its_run_once(parts: Parts, monkeypatch: pytest.MonkeyPatch) -> None:
    memory: Any = parts.memory
    memory.profile = replace(memory.profile, uses_model=True)
    memory.reviews._profile = memory.reviews.preparer._profile = memory.profile
    run = Submission(task="Mend the clock", trajectory=RUN, review_result="fail", feedback="It stands still.")
    trace_id = memory.submit(run).trace_id
    watch = Watch(parts, monkeypatch)
    arguments = (parts.ledger, parts.embedder, Model(), ExtractiveReflector(), parts.lesson_search)
    writer = ReflectionWriter(*arguments, clock=lambda: moment(10**6), on_saved=lambda _: None, initial_q=INITIAL_Q)
    jobs = ReflectionJobs("alpha", writer.write, uses_model=True)
    assert JobWorker(jobs, parts.ledger, lambda: moment(10**6), JobLeases()).work_off() == 1
    assert memory.reviews.outcome(trace_id).memory.author == "llm"
    assert watch.parses() == 1
    assert watch.under_lock == 0


def test_a_reflection_by_the_clients_model_parses_its_run_once(parts: Parts, monkeypatch: pytest.MonkeyPatch) -> None:
    run = Submission(task="Mend the clock", trajectory=RUN, review_result="fail", feedback="It stands still.")
    outcome = parts.memory.submit(run, client_can_sample=True)
    assert outcome.ask_client is not None
    watch = Watch(parts, monkeypatch)
    written = parts.memory.reviews.accept_sampled(outcome, '{"guidance": "Buy a spring first."}')
    assert written.memory is not None
    assert written.memory.author == "sampling"
    assert watch.parses() == 1
    assert watch.under_lock == 0


def test_a_review_follows_a_memory_that_was_forgotten_while_the_run_was_read(
    parts: Parts, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = parts.memory.query(Query(task="Mend the clock", similarity_threshold=0.0))
    gone = shown.matches[0].memory.id
    trace_id = parts.memory.submit(Submission(task="Mend the clock", trajectory=RUN)).trace_id
    embed = parts.embedder.embed
    reads = 0

    def forgetting(texts: Any) -> Any:
        nonlocal reads
        reads += 1
        if reads == 1:
            with parts.ledger.writing() as session:
                session.memories.delete(gone, "gone_1")
        return embed(texts)

    monkeypatch.setattr(parts.embedder, "embed", forgetting)
    outcome = parts.memory.review(trace_id, Verdict(result="pass", feedback="Buy a spring first."))
    assert reads == 2
    assert gone not in {update.memory_id for update in outcome.q_updates}
    assert "gone_1" in parts.memory.trace(trace_id).retrieved_memory_ids
