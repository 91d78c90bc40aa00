"""Reading trajectories: vendors' shapes, broken input, and real runs against what was really called."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_reflect.domain.trajectory.parsing import MAX_DEPTH, UnreadableTrajectory, parse

FILES = ("traj_tau_airline_gpt4o", "traj_reflexion_hotpotqa")


@pytest.fixture(scope="module")
def gold_runs(shared_data: Path) -> list[tuple[dict[str, Any], list[dict[str, Any]]]]:
    runs = {name: (shared_data / f"{name}.jsonl").read_text("utf-8").splitlines() for name in FILES}
    golds = [json.loads(line) for line in (shared_data / "tools_gold.jsonl").read_text("utf-8").splitlines()]
    return [(gold, json.loads(runs[gold["file"]][gold["line"]])["messages"]) for gold in golds]


def test_tools_of_every_real_run_are_those_really_called(gold_runs: Any) -> None:
    assert len(gold_runs) == 751
    for gold, messages in gold_runs:
        run = parse(json.dumps(messages))
        assert [call.name for call in run.calls] == gold["sequence"]
        assert run.tools_used == tuple(dict.fromkeys(gold["sequence"]))
        assert sorted(run.tools_used) == gold["tools_set"]


def test_errors_are_seen_in_the_real_runs_that_had_some_and_in_no_other(gold_runs: Any) -> None:
    agreeing = sum(bool(parse(messages).errors) == (gold["n_errors"] > 0) for gold, messages in gold_runs)
    assert agreeing >= 0.99 * len(gold_runs)


def test_every_real_run_is_stored_in_a_form_that_reads_back_the_same(gold_runs: Any) -> None:
    for _, messages in gold_runs:
        run = parse(messages)
        assert list(run.messages or ()) == messages
        assert parse(run.text) == run


def openai_chat() -> list[Any]:
    function = {"name": "search", "arguments": '{"q": "x"}'}
    return [
        {"role": "system", "content": "You may use send_mail."},
        {"role": "user", "content": [{"type": "text", "text": "look"}, {"type": "image_url", "image_url": {}}]},
        {"role": "assistant", "content": None, "tool_calls": [{"id": "1", "type": "function", "function": function}]},
        {"role": "tool", "tool_call_id": "1", "content": "Error: no index"},
        {"role": "assistant", "content": "again", "function_call": {"name": "lookup", "arguments": "{}"}},
        {"role": "function", "name": "lookup", "content": "found"},
    ]


def openai_responses() -> list[Any]:
    return [
        {"role": "user", "content": "look"},
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": "think"}]},
        {"type": "function_call", "call_id": "1", "name": "search", "arguments": '{"q": "x"}'},
        {"type": "function_call_output", "call_id": "1", "output": "Error: no index"},
        {"type": "custom_tool_call", "call_id": "2", "name": "lookup", "input": "raw"},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "done"}]},
    ]


def anthropic() -> list[Any]:
    return [
        {"role": "user", "content": "look"},
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "I could use send_mail", "signature": "…"},
                {"type": "text", "text": "ok"},
                {"type": "tool_use", "id": "1", "name": "search", "input": {"q": "x"}},
                {"type": "mcp_tool_use", "id": "2", "name": "lookup", "server_name": "s", "input": {}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "1", "is_error": True, "content": "Error: no index"},
                {"type": "mcp_tool_result", "tool_use_id": "2", "content": [{"type": "text", "text": "found"}]},
            ],
        },
    ]


SHAPES = {"chat": openai_chat(), "responses": openai_responses(), "anthropic": anthropic()}
SHAPES["transcript lines"] = [{"type": message["role"], "message": message} for message in anthropic()]
SHAPES["mixed"] = [*openai_chat(), *openai_responses(), *anthropic()]


@pytest.mark.parametrize("shape", SHAPES)
def test_calls_and_errors_are_found_in_every_shape(shape: str) -> None:
    run = parse(SHAPES[shape])
    assert run.tools_used == ("search", "lookup")
    assert run.calls[0].id == "1"
    assert json.loads(run.calls[0].arguments) == {"q": "x"}
    assert run.errors == ("Error: no index",)


@pytest.mark.parametrize("shape", SHAPES)
def test_rendered_messages_show_words_calls_and_results(shape: str) -> None:
    text = parse(SHAPES[shape]).render(10_000)
    assert "user: look" in text
    assert "call: search({" in text
    assert "of search: Error: no index" in text


def test_a_tool_that_is_only_named_or_quoted_is_not_a_tool_used() -> None:
    quoted = {"type": "tool_use", "id": "1", "name": "search", "input": {}}
    named = '{"tool_calls": [{"function": {"name": "search"}}]}'
    assert parse([{"role": "user", "content": [quoted]}, {"role": "assistant", "content": named}]).tools_used == ()
    assert parse("I called search(x) and <tool>lookup</tool>").tools_used == ()


@pytest.mark.parametrize("text", ["", "[INFO] starting", "[2024-01-01 10:00] up", "[", '{"role": "user"}', " log\n"])
def test_plain_text_is_kept_as_it_is(text: str) -> None:
    run = parse(text)
    assert run.text == text
    assert run.messages is None


@pytest.mark.parametrize("given", ["[]", " [ ]\n", []])
def test_an_empty_array_is_a_run_without_messages(given: Any) -> None:
    assert parse(given).messages == ()
    assert parse(given).text == "[]"


def test_the_canonical_text_is_compact_json_with_readable_unicode() -> None:
    assert parse('\n[ {"role": "user",\n "content": "gr\\u00fc\\u00df"} ]').text == '[{"role":"user","content":"grüß"}]'


BROKEN = {
    '[{"role": "user"': "line 1, column 17",
    '[{"role": "user"},\n {"role": oops}]': "line 2, column 11",
    '[{"role": "user"}] and more': "line 1, column 20",
    '["hello"]': "message 1 is a string",
    '[[{"role": "user"}]]': "message 1 is an array",
    '[{"role": "user"}, 7]': "message 2 is a number",
    '[{"content": "x"}]': "message 1 has neither role nor type",
    '[{"role": "user", "x": NaN}]': "NaN",
    '[{"role": "user", "x": 1e999}]': "cannot be kept",
    '[{"role": "user", "x": ' + "9" * 5_000 + "}]": "too many digits",
    '[{"role": "user", "x": ' + "[" * 100_000: "nested too deeply",
    '[{"role": "user", "x": ' + "[" * 200 + "]" * 200 + "}]": f"deeper than {MAX_DEPTH} levels",
    '[{"role": "user", "content": "a\\u0000"}]': "message 1 contains a NUL",
    '[{"role": "user", "content": "a\\ud800"}]': "message 1 contains a lone surrogate",
    "log\x00": "NUL",
    "log\ud800": "surrogate",
}


@pytest.mark.parametrize("text", BROKEN, ids=BROKEN.values())
def test_broken_input_is_refused_with_the_place(text: str) -> None:
    with pytest.raises(UnreadableTrajectory) as refused:
        parse(text)
    assert BROKEN[text] in str(refused.value)
    assert len(str(refused.value)) < 600


def test_text_that_only_names_a_nul_is_read() -> None:
    for content in (r"a\u0000", "\\" * 3 + "u0000"):
        assert parse([{"role": "user", "content": content}]).messages == ({"role": "user", "content": content},)


def test_a_list_that_json_cannot_write_is_refused() -> None:
    circle: dict[str, Any] = {"role": "user"}
    circle["content"] = [circle]
    for item in (circle, {"role": b"user"}, {"role": "user", ("a",): 1}, {"role": "user", "x": 10**5_000}):
        with pytest.raises(UnreadableTrajectory, match="cannot be written as JSON"):
            parse([item])


json_like = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(max_size=3),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
KEYS = ["role", "type", "content", "tool_calls", "function_call", "function", "name", "arguments", "input", "message"]
VALUES = ["user", "assistant", "tool", "tool_use", "tool_result", "function_call", "web_search_call", "Error: x", ""]
message_like = st.recursive(
    st.sampled_from(VALUES) | st.none() | st.booleans() | st.integers(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=5),
    max_leaves=20,
)


@given(st.text() | st.lists(json_like | message_like) | json_like | st.lists(message_like).map(json.dumps))
def test_any_value_is_read_or_refused_and_what_is_read_survives_storing(value: Any) -> None:
    try:
        run = parse(value)
    except UnreadableTrajectory:
        return
    assert parse(run.text) == run
    assert len(run.render(100)) <= 100
    assert len(run.errors) <= 20
    assert set(run.tools_used) == {call.name for call in run.calls}


LOG = """\
[INFO] starting, 0 errors so far
tests/test_a.py:3: error: expected ';'
Traceback (most recent call last):
  File "a.py", line 1, in <module>
    raise KeyError("x")
KeyError: 'x'
FAILED tests/test_a.py::test_b
2024-01-01 10:00 ERROR disk is full
make: exit code: 2
exit code: 0
error: none
The error handling was improved, no exception is raised.
KeyError: 'x'
"""


def test_error_lines_of_a_log_are_found_once_each_and_prose_is_not() -> None:
    assert parse(LOG).errors == (
        "tests/test_a.py:3: error: expected ';'",
        "KeyError: 'x'",
        "FAILED tests/test_a.py::test_b",
        "2024-01-01 10:00 ERROR disk is full",
        "make: exit code: 2",
    )


def test_an_answer_in_json_is_read_for_its_error_and_exit_code() -> None:
    answers = [{"error": "quota"}, {"exit_code": 3, "stderr": "fatal: no repo"}, {"error": None, "exit_code": 0}]
    run = parse([{"role": "tool", "content": json.dumps(answer)} for answer in answers])
    assert run.errors == ("quota", "fatal: no repo")


def test_errors_are_short_and_of_many_the_first_and_the_last_stay() -> None:
    run = parse("\n".join(f"Error: number {number} {'x' * 1_000}" for number in range(50)))
    assert len(run.errors) == 20
    assert all(len(error) <= 300 for error in run.errors)
    assert [run.errors[place].split()[2] for place in (0, -1)] == ["0", "49"]


@given(st.text(min_size=200, alphabet=st.characters(codec="utf-8", exclude_characters="\x00[")), st.integers(60, 199))
def test_a_long_run_loses_its_middle_and_says_how_much(text: str, room: int) -> None:
    shown = parse(text).render(room)
    head, rest = shown.split("\n[… ")
    count, tail = rest.split(" characters left out …]\n")
    assert len(shown) <= room
    assert text.startswith(head)
    assert text.endswith(tail)
    assert len(head) + len(tail) + int(count.replace(",", "")) == len(text)
