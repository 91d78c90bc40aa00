"""Many runs stored in few transactions leave the ledger as the same runs stored one by one."""

from __future__ import annotations

import json
import pickle
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from mcp_reflect.adapters.extractive_reflector import ExtractiveReflector
from mcp_reflect.application.intake.prepared_run import PreparedRun, RunPreparer
from mcp_reflect.application.intake.run_intake import CHUNK_RUNS
from mcp_reflect.application.maintenance.audit import audit_project
from mcp_reflect.application.outbox import WaitingRun, keep_run
from mcp_reflect.application.requests import NO_RETRIEVAL, Submission, Verdict
from mcp_reflect.application.review.review_outcome import ReviewOutcome
from mcp_reflect.domain.models import ErrorMemory, Memory
from mcp_reflect.errors import InvalidArgument, ModelUnavailable, TraceKeyConflict
from tests.support.composition import PROJECT, Parts, small_memory
from tests.support.ledgers import read
from tests.support.values import moment

RULE = "Set `JAVA_HOME=/opt/jdk17`, then run `./gradlew publish --offline` before the tag is pushed"
CAP = "We agreed that the retry cap of the export worker is 5 attempts with a delay of 30 seconds between them"
NEW_CAP = "Amended: the retry cap of the export worker is no longer 5 attempts but 8, with a delay of 30 seconds"
ERROR = "Traceback (most recent call last):\n  File \"export.py\", line {}, in export\nKeyError: 'price'"


@pytest.fixture
def both(tmp_path: Path) -> Iterator[tuple[Parts, Parts]]:
    with ExitStack() as stack:
        yield tuple(stack.enter_context(small_memory(tmp_path / name)) for name in ("singly", "together"))  # type: ignore[misc]


def taught(task: str, guidance: str, result: str = "pass", **more: Any) -> Submission:
    fields = {"task": task, "guidance": guidance, "review_result": result, "retrieval_id": NO_RETRIEVAL} | more
    return Submission.model_validate(fields)


def repaired(line: int) -> Submission:
    steps = [("python export.py", ERROR.format(line), True), ("pip install prices==2", "ok", False)]
    messages: list[dict[str, Any]] = []
    for number, (command, output, failed) in enumerate([*steps, ("python export.py", "3 rows written", False)]):
        use = {"type": "tool_use", "id": f"c{number}", "name": "Bash", "input": {"command": command}}
        result = {"type": "tool_result", "tool_use_id": f"c{number}", "content": output, "is_error": failed}
        messages += [{"role": "assistant", "content": [use]}, {"role": "user", "content": [result]}]
    run = {"task": f"export the prices, part {line}", "trajectory": json.dumps(messages)}
    return Submission.model_validate(run | {"review_result": "pass", "retrieval_id": NO_RETRIEVAL})


def runs() -> list[Submission]:
    return [
        taught("release the package", RULE),
        taught("release the package now", RULE.upper()),
        taught("retries of the export worker", CAP),
        taught("release the package today", RULE, "fail", claims=("JDK 17 - the build needs it",)),
        repaired(7),
        taught("retries of the export worker", NEW_CAP),
        repaired(19),
        Submission(task="a run that nobody has judged", trajectory="$ make\nok", trace_key="once"),
        Submission(task="a run that nobody has judged", trajectory="$ make\nok", trace_key="once"),
    ]


def contents(parts: Parts) -> list[tuple[Any, ...]]:
    def facts(memory: Memory) -> tuple[Any, ...]:
        met = (memory.recurrences, len(memory.seen_in)) if isinstance(memory, ErrorMemory) else ()
        successor = bool(memory.superseded_by) if memory.kind == "reflection" else False
        told = (memory.kind, memory.task, memory.reflection, memory.status, round(memory.q_value, 9), memory.trials)
        return (*told, memory.runs, memory.borne_out, successor, met)

    return sorted(facts(memory) for memory in read(parts.ledger, lambda s: s.memories.find(PROJECT)))


def is_sound(parts: Parts) -> bool:
    parts.indexer.sync(PROJECT)
    return audit_project(parts.ledger, parts.index, parts.embedder, PROJECT) == []


def test_runs_taken_in_together_are_stored_as_one_by_one(both: tuple[Parts, Parts]) -> None:
    singly, together = both
    for run in runs():
        singly.memory.submit(run)
    results = list(together.memory.submit_all(runs()))
    assert all(isinstance(result, ReviewOutcome) for result in results)
    assert len({result.trace_id for result in results if isinstance(result, ReviewOutcome)}) == len(runs()) - 1
    assert contents(together) == contents(singly)
    statuses = [(memory.kind, memory.status) for memory in read(together.ledger, lambda s: s.memories.find(PROJECT))]
    assert ("reflection", "superseded") in statuses
    assert [kind for kind, _ in statuses].count("error") == 1
    assert is_sound(together)


def test_runs_that_were_prepared_elsewhere_are_stored_alike(both: tuple[Parts, Parts]) -> None:
    singly, prepared = both
    profile = prepared.memory.profile
    preparer = RunPreparer(profile, ExtractiveReflector(), lambda: moment(0))
    ended = [run.model_copy(update={"ended_at": moment(60 * number)}) for number, run in enumerate(runs())]
    for run in ended:
        singly.memory.submit(run)
    elsewhere: list[Submission | PreparedRun] = [
        pickle.loads(pickle.dumps(preparer.prepare(run))) or run for run in ended
    ]
    assert [isinstance(each, PreparedRun) for each in elsewhere] == [run.retrieval_id == NO_RETRIEVAL for run in ended]
    assert all(isinstance(result, ReviewOutcome) for result in prepared.memory.submit_all(elsewhere))
    assert contents(prepared) == contents(singly)
    assert prepared.memory.traces(None, 100)[0].created_at == ended[-2].ended_at
    shown, stored = prepared.memory.trace(prepared.memory.traces(None, 100)[-1].id), ended[0]
    assert (shown.task, shown.created_at) == (stored.task, stored.ended_at)
    assert is_sound(prepared)


def test_a_refused_run_keeps_none_of_the_others_out(both: tuple[Parts, Parts]) -> None:
    memory = both[0].memory
    wrong = taught("release it", RULE, trajectory='[{"role": "user", "content": "cut off"')
    unknown = taught("release it", RULE, helpful_memory_ids=("mem_000000000000",))
    first, other = (Submission(task=task, trace_key="key") for task in ("one task", "another task"))
    results = list(memory.submit_all([first, wrong, unknown, other, taught("release it", RULE)]))
    kinds = [type(result) for result in results]
    assert kinds[0] is kinds[4] is ReviewOutcome
    assert issubclass(kinds[1], InvalidArgument)
    assert kinds[3] is TraceKeyConflict
    assert "helpful_memory_ids" in str(results[2])
    assert len(memory.traces(None, 100)) == 2


def test_what_was_yielded_is_stored_and_the_rest_is_stored_by_the_next_call(both: tuple[Parts, Parts]) -> None:
    parts = both[0]
    many = [taught(f"job {n}", f"Pass `--seed={n}` to the job", trace_key=f"k{n}") for n in range(2 * CHUNK_RUNS + 5)]
    results = parts.memory.submit_all(iter(many))
    first = next(results)
    results.close()  # type: ignore[attr-defined] - a generator
    stored = parts.memory.traces(None, 100)
    assert len(stored) == CHUNK_RUNS
    assert isinstance(first, ReviewOutcome)
    assert first.trace_id in {summary.id for summary in stored}
    again = list(parts.memory.submit_all(many))
    assert next(result.trace_id for result in again if isinstance(result, ReviewOutcome)) == first.trace_id
    assert parts.memory.counts().memories["active"] == len(many)
    assert is_sound(parts)


def test_without_a_model_runs_are_stored_and_their_lessons_wait(
    both: tuple[Parts, Parts], monkeypatch: pytest.MonkeyPatch
) -> None:
    parts = both[0]

    def refuse(_texts: object) -> None:
        raise ModelUnavailable("no model here")

    monkeypatch.setattr(parts.embedder, "embed", refuse)
    results = list(parts.memory.submit_all([taught("release the package", RULE), repaired(7)]))
    assert [result.ingest_status for result in results if isinstance(result, ReviewOutcome)] == ["queued", "queued"]


def test_a_run_that_teaches_nothing_asks_no_model(both: tuple[Parts, Parts], monkeypatch: pytest.MonkeyPatch) -> None:
    parts = both[0]

    def refuse(_texts: object) -> None:
        raise ModelUnavailable("no model here")

    monkeypatch.setattr(parts.embedder, "embed", refuse)
    task = "Count the clocks"
    at_once = parts.memory.submit(Submission(task=task, review_result="pass"))
    later = parts.memory.review(parts.memory.submit(Submission(task=task)).trace_id, Verdict(result="pass"))
    for outcome in (at_once, later):
        assert (outcome.ingest_status, outcome.memory) == ("completed", None)


def test_the_memory_that_a_review_tells_is_the_one_that_is_stored(both: tuple[Parts, Parts]) -> None:
    parts = both[0]
    metadata = {"part": 3, "tags": ["a", "é"], "half": 0.5, "open": True}
    more = {"metadata": metadata, "key_mistake": "Forgot the étiquette", "applicable_tools": ["Bash(git log)"]}
    at_once = parts.memory.submit(taught("release the package", RULE, "fail", claims=[CAP], **more))
    pending = parts.memory.submit(taught("close the books", CAP, "", metadata=metadata))
    later = parts.memory.review(pending.trace_id, Verdict(result="pass", feedback="Ship it."))
    for told in (at_once.memory, later.memory):
        assert told is not None
        assert told == parts.memory.memory(told.id)


SECRET = "hM4_vCz9-rTq7"


def test_a_secret_that_only_the_run_shows_to_be_one_goes_from_its_other_words(tmp_path: Path) -> None:
    """What `op read` printed is told again where nothing beside it says what it is."""
    use = {"type": "tool_use", "id": "c", "name": "Bash", "input": {"command": "op read op://prod/db/password"}}
    messages = [
        {"role": "assistant", "content": [use]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c", "content": SECRET}]},
    ]
    told = f"Start the importer with {SECRET}."
    words = {"task": told, "final_response": told, "feedback": told, "guidance": told, "claims": (told,)}
    run = Submission.model_validate(words | {"trajectory": json.dumps(messages), "metadata": {"note": told}})
    for name, more in {"reviewed": {"review_result": "pass"}, "open": {}}.items():
        with small_memory(tmp_path / name) as parts:
            parts.memory.submit(run.model_copy(update=more))
        home = b"".join(file.read_bytes() for file in (tmp_path / name).rglob("*") if file.is_file())
        assert b"Start the importer" in home
        assert SECRET.encode() not in home
    kept = keep_run(tmp_path / "outbox", WaitingRun("p", "ann", run.model_dump(mode="json") | {"trace_key": "k"}))
    assert SECRET.encode() not in kept.read_bytes()


@pytest.mark.parametrize(
    "broken",
    [
        "mcp_reflect.adapters.extractive_reflector.extract_lesson",
        "mcp_reflect.application.known_errors.from_runs.find_fixed_errors",
    ],
)
def test_a_mistake_in_reading_a_run_loses_neither_the_run_nor_its_verdict(
    both: tuple[Parts, Parts], monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    def fail(*_: object) -> None:
        raise RecursionError

    monkeypatch.setattr(broken, fail)
    parts = both[0]
    outcome = parts.memory.submit(repaired(1))
    with parts.ledger.reading() as session:
        review = session.reviews.current(outcome.trace_id)
        assert review is not None
        assert review.result == "pass"
        trace = session.traces.get(outcome.trace_id)
        assert trace is not None
        assert trace.task == "export the prices, part 1"
