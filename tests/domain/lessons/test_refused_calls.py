"""Calls that a tool refused: what made them possible, and what a reviewer says of how the run got around that."""

from __future__ import annotations

import pytest

from mcp_reflect.domain.lessons.drafting.extraction import extract_lesson
from mcp_reflect.domain.lessons.run.lookups import is_research, only_asks
from mcp_reflect.domain.lessons.run.step import Step
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
    asking += ["hr_get_employee", "browser_open"]
    acting = ["set_segment_status", "update_info", "booking_create", "post_status", "forget", "create_list"]
    acting += ["modify_order_details", "mark_as_read", "delete_search_index"]
    assert [name for name in (*asking, *acting) if only_asks(name)] == asking


@pytest.mark.parametrize(
    ("tools", "expected"),
    [
        (["web_search", "fetch"], True),
        (["web_search", "get_order"], False),
        (["pubsearch", "get_relations", "get_text"], True),
        (["pubsearch", "get_order"], False),
        (["get_webshop_policy"], False),
        ([], False),
    ],
)
def test_research_only_reads_pages_of_the_web(tools: list[str], *, expected: bool) -> None:
    steps = [Step("call", tool, "", {"url": "https://a.example/x"} if tool == "fetch" else {}) for tool in tools]
    assert is_research(steps) is expected


def test_an_argument_that_was_left_out_or_came_in_is_no_other_value() -> None:
    text = told(
        [
            *user(TASK),
            *called("update", {"code": "7QXZ2P", "flights": [{"to": "BOS"}]}, '{"error": "one change at a time"}'),
            *agent("One moment."),
            *user("ok"),
            *called("update", {"code": "7QXZ2P", "payment": "pay_9931"}, '{"ok": true}'),
        ]
    )
    assert "`update` with `payment` and without `flights`; before that it failed: one change at a time" in text


def test_a_program_is_told_that_a_tool_was_given() -> None:
    text = told(
        [
            *user("Add an index without blocking writes"),
            *called(
                "psql", {"db": "prod", "sql": "create index concurrently a on events(x)"}, '{"error": "partitioned"}'
            ),
            *agent("The parent first."),
            *user("ok"),
            *called("psql", {"db": "prod", "sql": "create index a on only events(x)"}, '{"ok": true}'),
        ]
    )
    assert "`psql(sql=create index a on only events(x))`" in text


def test_a_page_that_a_passed_run_could_not_open_is_not_told() -> None:
    run = [
        *called(
            "WebFetch",
            {"url": "https://a.example/guide", "prompt": "limits"},
            '{"error": "Request failed with status code 404"}',
        ),
        *called("WebSearch", {"query": "limits"}, "250 entries"),
        *called("finish", {"answer": "250 entries"}, "ok"),
    ]
    assert "a.example" not in told(run, task="What is the limit?")
    assert "a.example" in told(run, "fail", task="What is the limit?")


def test_what_the_user_rules_out_is_a_rule_of_such_work() -> None:
    text = told(
        [
            *user("Colour everything over plan red"),
            *called("sheet_format", {"range": "A2:F13", "rule": "=SUM(C2:F2)>G2"}, "ok"),
            *agent("Done, with a helper column."),
            *user("Please don't add helper columns in that sheet, it's exported to the controlling tool."),
            *called("sheet_format", {"range": "A2:F13", "rule": "=SUM(C2:F2)>B2"}, "ok"),
        ]
    )
    assert "Please don't add helper columns in that sheet" in text


@pytest.mark.parametrize(
    "arguments",
    [
        {"query": "Customer John Smith of 12 Main Street says that his wife Ann is ill"},
        {"script": "Hello Mr John Smith, your mother died on Monday"},
        {"filter": "name = 'John Smith' and email = 'john.smith@example.com'"},
        {"query": '{"first_name": "John", "dob": "1985-03-12"}'},
        {"rule": "the customer John Smith says that his wife is ill and cannot pay"},
        {"command": "set the phone of John Smith to the new one, he moved in with his mother"},
        {"query": "select a doctor for the depression of John from the list of the clinic"},
        {"sql": "SELECT note FROM visits WHERE name = 'it''s \\' John' -- John Smith, depressed"},
        {"sql": "UPDATE visits SET note = $$John is ill$$ WHERE id = 3"},
    ],
)
def test_no_text_of_a_customer_passes_for_a_program(arguments: dict[str, str]) -> None:
    run = [
        *user(TASK),
        *called("update_records", {**arguments, "priority": "express"}, '{"ok": true}'),
        *agent("Done."),
        *user("thanks"),
    ]
    text = told(run)
    assert "priority=express" in text
    assert "John" not in text


def test_a_command_that_only_names_a_file_is_not_what_was_wrong() -> None:
    run = [
        *called("Edit", {"file_path": "src/parser.py", "old_string": "day > 28", "new_string": "day > 29"}, "ok"),
        *called("Bash", {"command": "pytest tests/test_parser.py"}, "3 passed"),
    ]
    lesson = failed(run, "tests/test_parser.py does not cover February 29.")
    assert "src/parser.py (`day > 28` → `day > 29`)" in lesson.key_mistake
    assert "`pytest" not in lesson.key_mistake


def test_a_statement_is_told_without_what_may_be_somebodys() -> None:
    statement = "UPDATE orders SET state = 'sent to Maria' WHERE phone = 5551234 AND day = '2026-01-02'"
    run = [
        *user(TASK),
        *called("run_sql", {"sql": statement, "priority": "express"}, '{"ok": true}'),
        *agent("Done."),
        *user("thanks"),
    ]
    text = told(run)
    assert "UPDATE orders SET state = … WHERE phone = … AND day = …" in text
    assert not any(each in text for each in ("Maria", "5551234", "2026"))


def test_a_program_is_told_without_what_may_be_somebodys() -> None:
    program = """import pandas as pd
# Maria's sheet of 2024: she is ill, so that it was never finished
d = pd.read_excel('regions.xlsx', sheet_name='Sheet of Maria Keller', header=2, skiprows=1204)
phone = (49, 30, 12, 34)
print(d.groupby('Region of Maria').sum())"""
    run = [*called("python", {"code": program}, "Nord 12"), *agent("Nord has 12.")]
    text = told(run, task="Sum the revenue per region")
    assert "d = pd.read_excel('regions.xlsx', sheet_name=…, header=2, skiprows=1204); phone = …" in text
    assert "aria" not in text, "names of files and columns in one word are told, no phrase with a name"


def test_a_program_that_a_reviewer_names_is_told_without_the_data_in_it() -> None:
    program = "import crm\ncustomer = {'first_name': 'Anna', 'phone': '0301234'}\ncrm.refund(customer, amount=120)"
    run = [
        *called("run_tool", {"code": program.replace("customer", "it")}, '{"error": "NameError: it"}'),
        *called("run_tool", {"code": program}, "refunded"),
        *agent("The refund was made."),
    ]
    lesson = failed(run, "The customer was given a wrong amount.")
    assert "run_tool" in lesson.key_mistake
    assert not any(each in lesson.key_mistake for each in ("Anna", "0301234", "120"))


def test_a_formula_that_a_sheet_does_not_know_failed() -> None:
    run = [
        *called("sheet_write", {"range": "C14", "formula": "=SUM(C2:C13)"}, '{"ok": true, "value": "#NAME?"}'),
        *called("sheet_write", {"range": "C14", "formula": "=SUMME(C2:C13)"}, '{"ok": true, "value": 118400}'),
    ]
    text = told(run, task="Add the totals")
    assert "`sheet_write(formula==SUMME(C2:C13))`. `sheet_write(formula==SUM(C2:C13))` failed: #NAME?" in text


def test_a_rule_that_names_somebody_is_of_their_case() -> None:
    run = [
        *user(TASK),
        *called("book", {"slot": "s1"}, '{"ok": true}'),
        *agent("Slots of the new quarter cannot be booked, for which the referral of Mr. Weber is never valid."),
        *user("ok"),
    ]
    assert "Weber" not in told(run)
