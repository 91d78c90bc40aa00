"""Calls that a tool refused: what made them possible, and what a reviewer says of how the run got around that."""

from __future__ import annotations

from mcp_reflect.domain.lessons.drafting.extraction import extract_lesson
from mcp_reflect.domain.lessons.run.lookups import only_asks
from mcp_reflect.domain.models import ReflectionDraft
from mcp_reflect.domain.trajectory.parsing import parse
from mcp_reflect.domain.trajectory.run import ParsedRun
from tests.domain.lessons.test_lessons_of_cases import TASK, Messages, agent, called, told, user
from tests.support.values import make_review, make_trace


def failed(messages: Messages, feedback: str) -> ReflectionDraft:
    trajectory = parse(messages)
    trace = make_trace(task=TASK, trajectory=trajectory.text, tools_used=trajectory.tools_used)
    return extract_lesson(
        ParsedRun(trace, trajectory).reviewed(make_review(trace, 1, result="fail", feedback=feedback))
    )


def test_a_call_that_the_refusal_names_made_the_retry_possible() -> None:
    text = told(
        [
            *user(TASK),
            *called("rebook", {"flight": "NX884"}, '{"error": "segment is NOSHOW, reset it (set_status)"}'),
            *called("set_status", {"segment": 2, "status": "OPEN"}, '{"status": "ok"}'),
            *called("bag_status", {"tag": "0220118841"}, '{"location": "FRA"}'),
            *agent("One moment."),
            *user("ok"),
            *called("rebook", {"flight": "NX884"}, '{"status": "ok"}'),
        ]
    )
    assert "`rebook(flight=…" not in text
    assert "`rebook` after `set_status`; before that it failed: segment is NOSHOW" in text
    assert "bag_status" not in text


def test_a_call_whose_result_the_retry_was_given_made_it_possible() -> None:
    text = told(
        [
            *user(TASK),
            *called("refund", {"order": "B-55120", "kind": "card"}, '{"error": "APPROVAL_REQUIRED above 100 EUR"}'),
            *called("request_approval", {"order": "B-55120"}, '{"approval": "AP-771"}'),
            *called("send_mail", {"order": "B-55120"}, '{"sent": true}'),
            *agent("One moment."),
            *user("ok"),
            *called("refund", {"order": "B-55120", "kind": "card", "approval": "AP-771"}, '{"status": "done"}'),
        ]
    )
    assert "after `request_approval`" in text
    assert "after `request_approval` and" not in text


def test_the_way_around_a_refusal_is_wrong_where_the_reviewer_says_so() -> None:
    run = [
        *user(TASK),
        *called("issue_refund", {"order": "77120", "amount": 119}, '{"error": "FINAL_SALE_BLOCKED"}'),
        *agent("Let me see."),
        *user("please"),
        *called("issue_refund", {"order": "77120", "amount": 119, "override": "true"}, '{"status": "ok"}'),
        *agent("Refunded."),
        *user("great"),
    ]
    lesson = failed(run, "The override must not be used for final-sale items.")
    assert "Wrong or incomplete: `issue_refund(amount=119, override=true, …)`" in lesson.key_mistake
    assert lesson.guidance == "`issue_refund` failed: FINAL_SALE_BLOCKED"
    assert "Accepted, rightly or not: `issue_refund(" in failed(run, "Say goodbye to people.").guidance


def test_a_page_that_was_found_instead_is_not_wrong_for_words_that_it_shares_with_an_objection() -> None:
    run = [
        *called("fetch", {"url": "https://a.example/heat"}, "Error: 404 not found"),
        *called("fetch", {"url": "https://b.example/heat/statistics"}, "Sales of units: 45%"),
        *agent("The share is 45%."),
    ]
    lesson = failed(run, "The figure counts units and not the share of heat; cite the statistics office.")
    assert "Wrong or incomplete: `fetch(" not in lesson.key_mistake


def test_acts_that_the_reviewer_names_by_their_file_are_the_wrong_ones() -> None:
    def bash(command: str) -> Messages:
        return called("Bash", {"command": command}, "ok")

    run = [
        *bash("./gradlew wrapper || true; sed -i 's/8.3/8.10/' gradle/gradle-wrapper.properties"),
        *bash("sed -i 's/temurin:17/temurin:21/' Dockerfile && docker build ."),
    ]
    lesson = failed(run, "gradle-wrapper.properties was changed by hand. The rest is fine.")
    assert "gradle-wrapper.properties`" in lesson.key_mistake
    assert "Dockerfile" not in lesson.key_mistake
    assert "editing Dockerfile" in failed(run, "CI is red.").key_mistake


def test_a_phone_number_is_the_case_s_own() -> None:
    text = told(
        [
            *user(TASK),
            *called("add_pack", {"phone": "+4790011223", "pack": "WORLD"}, '{"ok": true}'),
            *agent("Done."),
            *user("thanks"),
        ]
    )
    assert "add_pack(pack=WORLD, …)" in text
    assert "90011223" not in text


def test_tools_that_only_ask_are_told_by_the_end_of_their_names_too() -> None:
    asking = ["booking_get", "claim_list", "bag_status", "store_info", "retrieve_pnr", "mcp__crm__customer_history"]
    acting = ["set_segment_status", "update_info", "booking_create", "post_status", "forget"]
    assert [name for name in (*asking, *acting) if only_asks(name)] == asking
