"""A review that is given later withdraws a fix that it rejects, and one that takes its place brings it back."""

from __future__ import annotations

import json

import pytest

from mcp_reflect.application.maintenance.erase import erase_record
from mcp_reflect.application.requests import ErrorFix, PlannedCall, Submission, Verdict
from mcp_reflect.domain.models import ErrorMemory, of_kind
from tests.application.known_errors.test_errors_from_runs import (
    ELSEWHERE,
    FAILED,
    NEW,
    called,
    fixes,
    known,
    problems,
    submit,
    trajectory,
)
from tests.support.composition import PROJECT, Parts

WRONG = "No, `export.py` is generated."
OTHER = 'return row["cost"]'


def review(parts: Parts, trace_id: str, result: str, feedback: str = "") -> None:
    parts.memory.review(trace_id, Verdict.model_validate({"result": result, "feedback": feedback}))


def offered(parts: Parts) -> list[str]:
    """The fixes that are offered: to who met the error, and to who is about to run the command."""
    planned = PlannedCall(tool="Bash", arguments={"command": "python export.py"})
    asked, warned = fixes(parts), parts.memory.errors.expect(planned, 5).fixes
    told = [each.memory.correct_action for each in asked if isinstance(each.memory, ErrorMemory)]
    assert told == [each.memory.correct_action for each in warned if isinstance(each.memory, ErrorMemory)]
    assert problems(parts) == []
    return told


def stored(parts: Parts) -> list[ErrorMemory]:
    with parts.ledger.reading() as session:
        return of_kind(session.memories.find(PROJECT, kind="error"), ErrorMemory)


@pytest.mark.parametrize("handed_in", ["", "pass"])
def test_a_later_fail_withdraws_a_fix_and_a_later_pass_brings_it_back(parts: Parts, handed_in: str) -> None:
    trace_id = submit(parts, trajectory(), review_result=handed_in)
    [fix] = offered(parts)
    assert NEW in fix
    [before] = stored(parts)
    review(parts, trace_id, "fail", "No.")
    assert offered(parts) == []
    [withdrawn] = stored(parts)
    assert (withdrawn.status, withdrawn.correct_action, withdrawn.edits) == ("archived", "", ())
    assert NEW not in withdrawn.reflection
    review(parts, trace_id, "pass")
    assert offered(parts) == [fix]
    assert stored(parts) == [before.model_copy(update={"last_used_at": stored(parts)[0].last_used_at})]


def test_what_the_later_words_want_instead_takes_the_place_of_the_fix(parts: Parts) -> None:
    trace_id = submit(parts, trajectory())
    review(parts, trace_id, "fail", WRONG)
    assert offered(parts) == [WRONG]


@pytest.mark.parametrize("feedback", ["", "The colour in `theme.css` is still blue."])
def test_a_fail_that_does_not_speak_of_the_fix_leaves_it(parts: Parts, feedback: str) -> None:
    trace_id = submit(parts, trajectory())
    review(parts, trace_id, "fail", feedback)
    [fix] = offered(parts)
    assert NEW in fix


def test_what_a_user_said_last_rejects_the_fix_once_the_run_is_judged_to_have_failed(parts: Parts) -> None:
    run = json.loads(trajectory())
    said = [{"role": "user", "content": "Export the prices."}, *run, {"role": "user", "content": "No, not like that."}]
    trace_id = submit(parts, json.dumps(said))
    assert len(offered(parts)) == 1
    review(parts, trace_id, "fail")
    assert offered(parts) == []


def test_a_fix_that_a_first_review_rejected_is_recorded_by_the_pass_that_takes_its_place(parts: Parts) -> None:
    trace_id = submit(parts, trajectory(), review_result="fail", feedback="No.")
    assert (offered(parts), stored(parts)) == ([], [])
    review(parts, trace_id, "pass")
    [fix] = offered(parts)
    assert NEW in fix
    assert stored(parts)[0].source_trace_id == trace_id


def test_another_run_that_fixed_the_error_keeps_it_known(parts: Parts) -> None:
    first = submit(parts, trajectory())
    second = submit(parts, trajectory(error=ELSEWHERE, new=OTHER))
    review(parts, first, "fail", "No.")
    [fix] = offered(parts)
    assert OTHER in fix
    assert NEW not in fix
    review(parts, second, "fail", "No.")
    assert offered(parts) == []
    review(parts, first, "pass")
    [fix] = offered(parts)
    assert NEW in fix


def test_a_run_that_only_met_a_known_error_again_takes_nothing_from_its_fix(parts: Parts) -> None:
    submit(parts, trajectory())
    second = submit(parts, trajectory(error=ELSEWHERE, new=OTHER))
    [before] = known(parts)
    assert before.seen_in == (second,)
    review(parts, second, "fail", "No.")
    [fix] = offered(parts)
    assert NEW in fix
    [after] = known(parts)
    assert (after.seen_in, after.recurrences) == ((), 0)


def test_a_withdrawn_error_is_known_again_by_a_run_that_fixes_it_otherwise(parts: Parts) -> None:
    first = submit(parts, trajectory())
    review(parts, first, "fail", "No.")
    submit(parts, trajectory(error=ELSEWHERE, new=OTHER), review_result="pass")
    [fix] = offered(parts)
    assert OTHER in fix
    review(parts, first, "pass")
    [fix] = offered(parts)
    assert OTHER in fix


def test_a_recorded_error_loses_the_fix_that_a_rejected_run_brought(parts: Parts) -> None:
    parts.memory.record_error(ErrorFix(task="Export", mistake="No price", evidence=FAILED, fix=""))
    trace_id = submit(parts, trajectory())
    [fix] = offered(parts)
    assert NEW in fix
    review(parts, trace_id, "fail", "No.")
    [recorded] = stored(parts)
    assert (recorded.status, recorded.correct_action, recorded.seen_in) == ("active", "", ())
    assert problems(parts) == []


def test_a_fix_that_somebody_recorded_meanwhile_stays(parts: Parts) -> None:
    trace_id = submit(parts, trajectory())
    parts.memory.record_error(
        ErrorFix(task="Export", mistake="KeyError: 'price'", evidence=FAILED, fix="Ask the price list first.")
    )
    review(parts, trace_id, "fail", "No.")
    [recorded] = stored(parts)
    assert (recorded.status, recorded.correct_action) == ("active", "Ask the price list first.")


def test_an_error_that_somebody_archived_stays_there(parts: Parts) -> None:
    trace_id = submit(parts, trajectory())
    parts.memory.manage(stored(parts)[0].id, "archive")
    review(parts, trace_id, "fail", "No.")
    review(parts, trace_id, "pass")
    assert [each.status for each in stored(parts)] == ["archived"]


def test_a_withdrawn_error_goes_with_its_run(parts: Parts) -> None:
    trace_id = submit(parts, trajectory())
    review(parts, trace_id, "fail", "No.")
    erase_record(parts.ledger, PROJECT, trace_id)
    parts.tables.reload(PROJECT)
    assert stored(parts) == []
    assert problems(parts) == []


@pytest.mark.process
def test_a_long_run_that_is_prepared_apart_has_its_fix_withdrawn_too(parts: Parts) -> None:
    read = called(0, "Read", {"file_path": "/home/ann/shop/prices.csv"}, "7.50;ok\n" * 40_000)
    run = Submission(task="Export the prices", trajectory=json.dumps([*read, *json.loads(trajectory())]))
    trace_id = parts.memory.submit(run).trace_id
    assert len(offered(parts)) == 1
    review(parts, trace_id, "fail", "No.")
    assert offered(parts) == []
