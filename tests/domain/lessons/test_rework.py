"""What a run did over again once its user had spoken is told in its last form, whatever the user's words were."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mcp_reflect.domain.lessons.drafting.extraction import MOST_STEPS, extract_lesson
from mcp_reflect.domain.lessons.failures.rework import Rework
from mcp_reflect.domain.lessons.run.step import Step
from mcp_reflect.domain.models import ReflectionDraft
from mcp_reflect.domain.trajectory.parsing import parse
from mcp_reflect.domain.trajectory.run import ParsedRun
from tests.support.values import make_review, make_trace

TASK = "Make the tests of the price module pass."


def lesson(*events: str | tuple[str, dict[str, str], str, bool]) -> ReflectionDraft:
    """The lesson of a run; a string is what was said, the user's where it begins with "User: "."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": TASK}]
    for number, event in enumerate(events):
        if isinstance(event, str):
            role, _, said = event.partition(": ")
            messages.append({"role": role.lower(), "content": said})
            continue
        tool, arguments, output, failed = event
        use = {"type": "tool_use", "id": f"c{number}", "name": tool, "input": arguments}
        result = {"type": "tool_result", "tool_use_id": f"c{number}", "content": output, "is_error": failed}
        messages += [{"role": "assistant", "content": [use]}, {"role": "user", "content": [result]}]
    trajectory = parse(json.dumps(messages))
    trace = make_trace(task=TASK, trajectory=trajectory.text, tools_used=trajectory.tools_used)
    return extract_lesson(ParsedRun(trace, trajectory).reviewed(make_review(trace, 1, result="pass")))


def ran(command: str, output: str = "ok", *, failed: bool = False) -> tuple[str, dict[str, str], str, bool]:
    return "Bash", {"command": command}, output, failed


FAILED = ran("prove t", "Can't locate Shop/Price.pm in @INC", failed=True)


@pytest.mark.parametrize(
    "said", ["There are more tests below t/rounding.", "Im Ordner t/rounding liegen noch mehr Dateien."]
)
def test_the_form_that_the_user_asked_for_mends_the_failure(said: str) -> None:
    told = lesson(FAILED, ran("prove -l t"), "Assistant: All tests pass.", f"User: {said}", ran("prove -lr t"))
    assert told.correct_action.startswith("`prove -lr t`. `prove t` failed: Can't locate Shop/Price.pm")
    assert "prove -l t" not in told.correct_action


def test_a_command_that_runs_again_as_it_did_stays() -> None:
    told = lesson(FAILED, ran("prove -l t"), "User: And the others?", ran("prove -lr t"), ran("prove -l t"))
    assert "`prove -l t`" in told.correct_action


def test_a_file_that_a_program_writes_with_what_it_reads_is_work() -> None:
    mails, own = "jq -r '.[].mail' users.json", "jq -r '.[].mail | select(.)' users.json"
    told = lesson(
        ran(f"{mails} > mails.txt", "jq: error: Cannot index string", failed=True),
        ran(f"{mails}? > mails.txt && cat mails.txt", "null"),
        "User: There is a null in it.",
        ran(f"{own}? > mails.txt && cat mails.txt"),
    )
    assert told.correct_action.startswith(f"`{own}? > mails.txt && cat mails.txt`. `{mails} > mails.txt` failed")
    assert "mails.txt" not in lesson(ran(f"{mails} > /dev/null"), ran("cat mails.txt")).correct_action


def test_where_nothing_else_was_done_the_last_small_program_is_what_worked() -> None:
    sums = "awk -F';' '{s+=$3} END {print s}' costs.csv"
    exact = sums.replace("s+=", 'sub(/,/, ".", $3); s+=')
    reading = ran("head -2 costs.csv"), ran(sums, "19"), ran(exact, "19.75")
    assert lesson(*reading).correct_action == f"`{exact}`"
    assert lesson(*reading, ran("make report")).correct_action == "`make report`"


@pytest.mark.parametrize("named", [True, False])
def test_the_form_that_the_closing_words_name_mends_the_failure(named: bool) -> None:
    stale = ran("cmake --preset dev", "CMake Error: generator: Ninja does not match", failed=True)
    told = lesson(
        stale,
        ran("cmake --preset dev -G Make && cmake --build --preset dev"),
        "Assistant: That works by accident, but is not the preset any more.",
        ran("cmake --fresh --preset dev && cmake --build --preset dev"),
        f"Assistant: The build folder was stale, hence `{'cmake --fresh --preset dev' if named else 'a fresh one'}`.",
    )
    assert told.correct_action.startswith("`cmake --fresh" if named else "`cmake --preset dev -G Make")
    assert ("-G Make" in told.correct_action) is not named
    assert "accident" not in f"{told.summary}\n{told.guidance}"


def test_what_only_searches_an_output_or_tidies_up_is_not_what_worked() -> None:
    looks = "go doc embed | grep -n 'all:'", "gpg --version | head -1; gpg --dump-options | grep pin"
    told = lesson(*map(ran, looks), ran("rm -f shop.bin && ls"), FAILED, ran("prove -l t"), ran("make 2>&1 | tail -5"))
    assert "make" in told.correct_action
    assert not any(command in told.correct_action for command in (*looks, "rm -f"))
    assert "`gpg --dump" in lesson(ran("gpg --dump-options | grep pin")).correct_action


@pytest.mark.parametrize("early", [0, MOST_STEPS])  # of which the first are not read
def test_what_the_agent_claimed_before_it_did_it_over_is_no_lesson(early: int) -> None:
    edit = {"file_path": "day.js", "old_string": "zone = 'UTC'", "new_string": "zone = 'America/New_York'"}
    back = {"file_path": "day.js", "old_string": "zone = 'America/New_York'", "new_string": "zone = 'UTC'"}
    claim = "The expected day of `formatDay` follows the zone of the machine that runs the suite."
    rule = "The pipeline and every server run in UTC."
    events = (
        *(ran(f"make part{number}") for number in range(early)),
        ("Edit", edit, "done", False),
        f"Assistant: {claim}",
    )
    kept = lesson(*events, f"User: Thanks a lot for that. {rule}", ran("npm run lint"))
    undone = lesson(*events, f"User: Thanks a lot for that. {rule}", ("Edit", back, "done", False), ran("npm run lint"))
    assert claim in f"{kept.summary}\n{kept.guidance}"
    assert rule in f"{undone.summary}\n{undone.guidance}"
    assert claim not in f"{undone.summary}\n{undone.guidance}"


def test_a_rule_for_good_is_one_however_politely_it_is_asked_for() -> None:
    told = lesson(FAILED, ran("prove -l t"), "User: Always use prove -lr t here, please.", ran("prove -lr t"))
    assert "Always use prove -lr t here, please." in f"{told.summary}\n{told.guidance}"


@pytest.mark.parametrize("said", ["That counts trials too, leave them out.", "Probeabos zählen nicht."])
def test_of_a_query_that_was_written_anew_the_last_is_told(said: str) -> None:
    first = "SELECT plan, count(*) FROM subscriptions WHERE status = 'active' GROUP BY plan"
    last = "SELECT plan, count(*) FROM subscriptions WHERE status = 'active' AND trial = 0 GROUP BY plan"
    asked = [("soql", {"query": sql}, "basic 10", False) for sql in (first, last)]
    told = lesson(asked[0], "Assistant: basic 10.", f"User: {said}", asked[1], "Assistant: basic 10.").correct_action
    assert "AND trial = 0" in told
    assert told.count("soql") == 1


def test_a_query_with_other_values_asks_for_something_else() -> None:
    one, other = (f"SELECT plan, count(*) FROM subscriptions WHERE year = {year} GROUP BY plan" for year in (1, 2))
    asked = [("soql", {"query": sql}, "basic 10", False) for sql in (one, other)]
    told = lesson(asked[0], "Assistant: basic 10.", "User: And the year after?", *asked[1:]).correct_action
    assert one in told
    assert other in told


def test_only_commands_are_replaced_for_the_records_of_errors() -> None:
    queries = [f"SELECT plan, count(*) FROM subscriptions WHERE {each} GROUP BY plan" for each in ("a", "a AND b")]
    asked = [Step("call", "soql", query, {"query": query}, failed=False) for query in queries]
    commands = [Step("command", "Bash", each, failed=False) for each in ("prove -l t", "prove -lr t")]
    assert Rework(asked, [1]).is_replaced(asked[0])
    assert list(Rework(asked, [1]).replaced(asked)) == []
    assert list(Rework(commands, [1]).replaced(commands)) == [(*commands, 1)]
