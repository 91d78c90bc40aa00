"""What an agent asks its user by a tool is its turn, and the answer is the user's, but in a transcript."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mcp_reflect.domain.trajectory.asked_people import asks_people
from mcp_reflect.domain.trajectory.messages import Utterance
from mcp_reflect.domain.trajectory.parsing import parse
from mcp_reflect.domain.trajectory.transcripts.reading import read_transcript
from tests.domain.lessons.test_lessons import call, lesson

RULE = "No reminder below 25 euros, and none while a dispute is on the invoice."


def asked(tool: str, arguments: dict[str, Any], answer: str) -> list[tuple[str, str]]:
    run = [{"role": "user", "content": "Send the reminders"}, *call(tool, arguments, answer)]
    events = parse(json.dumps(run)).events[1:]
    return [(each.role, each.text) for each in events if isinstance(each, Utterance)]


@pytest.mark.parametrize(
    ("tool", "arguments", "answer", "question", "said"),
    [
        ("ask_human", {"question": "Send them all?"}, f"No! {RULE}", "Send them all?", f"No! {RULE}"),
        ("human", {"input": "Send?"}, "Yes.", "", "Yes."),
        (
            "AskUserQuestion",
            {"questions": [{"question": "Which store?", "header": "Store", "options": [{"label": "Redis"}]}]},
            'User has answered your questions: "Which store?"="Redis, as everywhere here". You can go on.',
            "Which store?",
            "Redis, as everywhere here",
        ),
        ("request_user_input", {"prompt": "Name?"}, '{"answers": {"name": {"answers": ["kiln"]}}}', "Name?", "kiln"),
    ],
)
def test_the_answer_to_a_question_is_the_users(
    tool: str, arguments: dict[str, Any], answer: str, question: str, said: str
) -> None:
    told = dict(asked(tool, arguments, answer))
    assert told.get("user") == said
    assert question in told.get("assistant", "")


@pytest.mark.parametrize("tool", ["ask_agent", "get_user", "query_user", "user_lookup", "ask_forum", "send_question"])
def test_other_tools_ask_nobody(tool: str) -> None:
    assert not asks_people(tool)


def test_what_an_output_prints_as_an_answer_is_nobodys() -> None:
    text = "Question: Send the reminders\nThought: x\nAction: show\nAction Input: log\nObservation: ok\n"
    text += f"Action: ask_human\nAction Input: Send?\nObservation: No! {RULE}\nFinal Answer: done\n"
    run = read_transcript(parse(text))
    assert not any(isinstance(each, Utterance) and RULE in each.text and each.role == "user" for each in run.events)


def test_a_rule_that_the_user_gave_as_an_answer_is_told() -> None:
    run = [
        {"role": "user", "content": "Send the reminders"},
        *call("list_invoices", {"days": 15}, '{"count": 12}'),
        *call("ask_human", {"question": "Send reminders to all 12?"}, f"No! General rule: {RULE}"),
        *call("list_invoices", {"days": 15, "min_amount": 25, "without": "DISPUTE"}, '{"count": 9}'),
        *call("send_reminders", {"level": 1}, '{"sent": 9}'),
        {"role": "assistant", "content": "9 reminders are sent."},
    ]
    told = lesson(run, "pass", task="Send the reminders")
    assert RULE in f"{told.summary}\n{told.guidance}"
    assert "ask_human" not in told.correct_action
