"""Ways that end well and are wrong: what a reviewer forbids, what only looks less, what a run took back itself."""

from __future__ import annotations

import pytest

from mcp_reflect.domain.lessons.drafting.extraction import extract_lesson
from mcp_reflect.domain.lessons.drafting.feedback import telling_feedback
from mcp_reflect.domain.lessons.failures.fixed_errors import find_fixed_errors
from mcp_reflect.domain.lessons.failures.rejections import without_rejected
from mcp_reflect.domain.lessons.failures.repaired_failures import ReadSteps
from mcp_reflect.domain.lessons.run.step import Step
from mcp_reflect.domain.models import ReflectionDraft
from mcp_reflect.domain.trajectory.run import ParsedRun, ReviewedRun
from tests.domain.lessons.test_fixed_errors import as_called, edited, ran
from tests.domain.lessons.test_rework import lesson
from tests.domain.provenance.test_screened_lessons import messages_of
from tests.support.values import make_review, make_trace

DENIED = 'Error from server (Forbidden): User "kim" cannot patch resource "deployments"'
BROKEN = "FAILED tests/test_area.py::test_area - AssertionError: assert 3 == 4"


def failed_lesson(feedback: str, *steps: Step, task: str = "Deploy the billing service") -> ReflectionDraft:
    trace = make_trace(task=task, trajectory=messages_of(*map(as_called, steps)))
    return extract_lesson(ParsedRun.of(trace).reviewed(make_review(trace, 1, result="fail", feedback=feedback)))


FORCED = [
    ran("kubectl apply -f prod.yaml", DENIED, failed=True),
    ran("kubectl --as root apply -f prod.yaml", "configured"),
]


def test_what_a_reviewer_forbids_is_told_as_wrong_and_nowhere_as_advice() -> None:
    told = failed_lesson("Never use --as root here. Ask the release team for a token.", *FORCED)
    assert "Wrong or incomplete: `kubectl --as root apply -f prod.yaml`" in told.key_mistake
    assert "--as root" not in told.guidance
    assert told.correct_action == ""


def test_a_rule_of_the_task_that_a_reviewer_recalls_is_told_with_the_mistake() -> None:
    task = "Deploy the billing service. The canary must stay on 4.1. Is staging still green?"
    told = failed_lesson("Exactly what I asked you not to do.", *FORCED, task=task)
    assert told.key_mistake.endswith("The task said: The canary must stay on 4.1.")
    for feedback in ("I said that the canary must stay on 4.1.", "The dashboard is empty."):
        assert "The task said" not in failed_lesson(feedback, *FORCED, task=task).key_mistake


def test_what_ended_well_in_a_failed_run_is_no_advice() -> None:
    told = failed_lesson("The dashboard still shows the old version.", *FORCED)
    assert told.guidance.startswith("`kubectl apply -f prod.yaml` failed")
    assert told.guidance.endswith("Then ran through, rightly or not: `kubectl --as root apply -f prod.yaml`")


def test_a_fix_that_a_reviewer_names_with_its_plain_word_is_rejected_with_all_that_they_say() -> None:
    steps = [
        ran("python manage.py loaddata users.json", "IntegrityError: duplicate key value", failed=True),
        ran("python manage.py flush --no-input"),
        ran("python manage.py loaddata users.json", "Installed 12 objects"),
    ]
    read = ReadSteps(steps)
    words = "flush deleted the data of the whole team. Load them into a schema of your own."
    [fixed] = without_rejected(find_fixed_errors(read), read, words)
    assert fixed.fix == words.replace(". ", ".\n", 1)
    assert fixed.is_correction


@pytest.mark.parametrize(
    "changes",
    [
        [edited("def test_area():", "@pytest.mark.skip\ndef test_area():", "tests/test_area.py")],
        [edited("import os", "import os  # noqa: F401", "src/area.py")],
        [ran("rm tests/test_area.py")],
    ],
)
def test_what_passes_because_less_is_looked_at_has_no_fix(changes: list[Step]) -> None:
    steps = [ran("pytest -q", BROKEN, failed=True), *changes, ran("pytest -q", "11 passed")]
    assert find_fixed_errors(ReadSteps(steps)) == []


@pytest.mark.parametrize(
    ("failed", "other"),
    [
        ("mvn package", "mvn package -DskipTests"),
        ("./gradlew build", "./gradlew build -x test"),
        ("npx jest", "npx jest --testPathIgnorePatterns cart.test.ts"),
        ("npx tsc -p .", "npx tsc -p . --noCheck"),
    ],
)
def test_a_form_of_a_command_that_does_less_is_no_fix(failed: str, other: str) -> None:
    steps = [ran(failed, BROKEN, failed=True), ran(other)]
    assert find_fixed_errors(ReadSteps(steps, closing=f"It builds with `{other}`.")) == []


TAKEN_BACK = [
    edited("def rates():", "@cache\ndef rates():", "rates.py"),
    ran("pytest -q", "FAILED tests/test_rates.py - AssertionError: stale rate 1.07", failed=True),
    edited("@cache\ndef rates():", "def rates():", "rates.py"),
    edited("Rates", "Rates are read each time", "README.md"),
    ran("pytest -q", "9 passed"),
]


def test_what_a_run_broke_itself_and_took_back_has_no_fix_and_is_told_as_tried() -> None:
    assert find_fixed_errors(ReadSteps(TAKEN_BACK)) == []
    events = [
        ("Edit", {"file_path": s.subject, "old_string": s.change[0][0], "new_string": s.change[0][1]}, "ok", False)
        if s.kind == "edit"
        else as_called(s)
        for s in TAKEN_BACK
    ]
    told = lesson(*events)
    assert "before that it failed" not in told.correct_action
    assert (
        "`pytest -q` failed: FAILED tests/test_rates.py - AssertionError: stale rate 1.07, "
        "after editing /app/rates.py (+ `@cache`), which was taken back."
    ) in told.guidance


def test_what_was_tried_in_vain_is_no_cause_of_a_failure_that_was_there_before() -> None:
    missing = "Foo.java:8: error: package javax.annotation does not exist"
    told = lesson(
        as_called(ran("./gradlew build", missing, failed=True)),
        (
            "Edit",
            {"file_path": "build.gradle", "old_string": "deps {", "new_string": "deps {\n  jakarta:2.1"},
            "ok",
            False,
        ),
        as_called(ran("./gradlew build", missing, failed=True)),
        (
            "Edit",
            {"file_path": "build.gradle", "old_string": "  jakarta:2.1", "new_string": "  javax:1.3"},
            "ok",
            False,
        ),
        as_called(ran("./gradlew build", "FooTest > loads FAILED\njava.lang.AssertionError: no zone", failed=True)),
        ("Edit", {"file_path": "Foo.java", "old_string": "now()", "new_string": "now(zone)"}, "ok", False),
        as_called(ran("./gradlew build", "BUILD SUCCESSFUL")),
    )
    assert (
        "`./gradlew build` still failed: Foo.java:8: error: package javax.annotation does not exist, "
        "after editing build.gradle (+ `jakarta:2.1`), which was taken back."
    ) in told.guidance


def test_a_command_that_failed_in_the_end_did_not_work() -> None:
    told = lesson(
        as_called(ran("cargo test -p shipper tail", "3 passed")),
        ("Edit", {"file_path": "a.rs", "old_string": "a()", "new_string": "b()"}, "ok", False),
        as_called(ran("cargo test -p shipper tail", "error[E0061]: this function takes 3 arguments", failed=True)),
        ("Edit", {"file_path": "b.rs", "old_string": "f(1)", "new_string": "f(1, 2)"}, "ok", False),
        as_called(ran("cargo build --locked", "Finished")),
    )
    assert "cargo build --locked" in told.correct_action
    assert "`cargo test -p shipper tail`" not in told.correct_action


def test_an_agent_that_only_says_what_it_tries_next_states_no_rule() -> None:
    told = lesson(
        "Assistant: Try ROUND_UP.",
        as_called(ran("pytest -q", BROKEN, failed=True)),
        "Assistant: Use ROUND_HALF_UP here, because the tax office rounds so.",
        as_called(ran("pytest -q --lf", "1 passed")),
    )
    assert "Try ROUND_UP" not in told.guidance
    assert "Use ROUND_HALF_UP here, because the tax office rounds so." in told.guidance


@pytest.mark.parametrize(
    "words",
    [
        "ah of course",
        "migrated fine on staging",
        "image built",
        "CI green",
        "Good, including the hint about the branch.",
    ],
)
def test_words_that_only_approve_are_no_lesson(words: str) -> None:
    assert telling_feedback(reviewed(words)) == ""


@pytest.mark.parametrize("words", ["port is 8081 now", "squash next time", "use uv", "Nimm beim nächsten Mal uv"])
def test_short_words_that_ask_or_state_something_are_kept(words: str) -> None:
    assert telling_feedback(reviewed(words)) == words


def reviewed(feedback: str) -> ReviewedRun:
    trace = make_trace(task="Build it", trajectory="$ make\nok")
    return ParsedRun.of(trace).reviewed(make_review(trace, 1, result="pass", feedback=feedback))
