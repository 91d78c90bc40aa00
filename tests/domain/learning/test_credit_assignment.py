"""What a run tells of the memories it followed, without a memory or a ledger around it."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_reflect.domain.learning.credit_assignment import credit_weights
from mcp_reflect.domain.models import Memory
from mcp_reflect.domain.trajectory.parsing import parse
from tests.support.values import make_memory, make_trace

TASK = "Cancel my booking and get the money back"


def memory(memory_id: str, action: str = "", **fields: Any) -> Memory:
    return make_memory(make_trace(), id=memory_id, correct_action=action, **fields)


def called(name: str, **arguments: Any) -> dict[str, Any]:
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {"role": "assistant", "content": "", "tool_calls": [{"id": name, "function": function}]}


def said(text: str, role: str = "assistant") -> dict[str, Any]:
    return {"role": role, "content": text}


def weights(memories: list[Memory], trajectory: Any, task: str = TASK) -> dict[str, float]:
    return credit_weights(memories, task, parse(trajectory))


def test_the_memory_whose_tools_were_called_gets_all_of_the_credit() -> None:
    given = [
        memory("a", "call get_refund_policy, then cancel_reservation"),
        memory("b", "call transfer_to_human_agents at once"),
        memory("c", "call update_reservation_flights to a later day"),
    ]
    run = [said("please", "user"), called("get_refund_policy"), called("cancel_reservation", reservation_id="X1")]
    assert weights(given, run) == {"a": 1.0, "b": 0.0, "c": 0.0}


def test_arguments_tell_apart_what_tools_do_not() -> None:
    given = [memory(i, f"run_tests(command={command!r})") for i, command in (("a", "pytest -q"), ("b", "make check"))]
    assert weights(given, [called("run_tests", command="make check")]) == {"a": 0.0, "b": 1.0}


def test_the_order_of_the_steps_tells_apart_what_the_steps_do_not() -> None:
    given = [memory("a", "backup → migrate → restart"), memory("b", "restart → migrate → backup")]
    given = [each.model_copy(update={"applicable_tools": ("backup", "migrate", "restart")}) for each in given]
    found = weights(given, [called("restart"), called("migrate"), called("backup")])
    assert found["b"] == 1.0
    assert found["a"] < 0.5


def test_free_prose_is_matched_by_its_words() -> None:
    given = [
        memory("a", guidance="Check the fare rules before cancelling."),
        memory("b", guidance="Offer a voucher and escalate to a supervisor."),
    ]
    log = "Looked at the fare rules of the ticket: refundable. So I cancelled it."
    found = weights(given, log)
    assert found["a"] == 1.0
    assert found["b"] < 0.3
    assert weights(given, [said(log)]) == found


def test_what_a_tool_or_the_user_says_was_not_done_by_the_agent() -> None:
    given = [memory("a", "Restart the worker gracefully"), memory("b", "Clear the cache directory")]
    run = [said("Restart the worker gracefully", "user"), said("I clear the cache directory now.")]
    assert weights(given, run)["b"] == 1.0
    assert weights(given, run)["a"] < 0.2


def test_only_what_follows_the_retrieval_counts() -> None:
    given = [memory("a", "call drop_index"), memory("b", "call rebuild_index")]
    before, after = called("drop_index"), called("rebuild_index")
    assert weights(given, [before, called("mcp__reflect__query_memories", task="x"), after]) == {"a": 0.0, "b": 1.0}


def test_repeating_what_was_given_is_not_following_it() -> None:
    texts = {"a": "Pin the compiler version in the lockfile.", "b": "Delete the generated sources first."}
    given = [memory(i, reflection=text) for i, text in texts.items()]
    log = "\n".join(["I was told:", *texts.values(), "So I ran: delete generated sources, build. It built."])
    assert weights(given, log)["b"] == 1.0
    assert weights(given, log)["a"] < weights(given, log)["b"]


def test_words_of_a_warning_are_no_advice() -> None:
    given = [
        memory("a", "Never use force_push on the shared branch; open_pull_request"),
        memory("b", "Use force_push on the shared branch"),
    ]
    assert weights(given, [called("force_push", branch="shared")]) == {"a": 0.0, "b": 1.0}


def test_near_copies_are_credited_alike_and_the_other_one_not() -> None:
    copy = "search_direct_flight, then book_reservation with the gift card"
    given = [memory("a", copy), memory("b", copy), memory("c", copy + "."), memory("d", "send_certificate to the user")]
    run = [called("search_direct_flight"), called("book_reservation", payment="gift card")]
    assert weights(given, run) == {"a": 1.0, "b": 1.0, "c": 1.0, "d": 0.0}


def test_a_memory_that_advises_everything_does_not_take_the_credit_of_others() -> None:
    actions = {"a": "get_refund_policy, cancel_reservation", "b": "send_certificate", "c": "update_reservation_flights"}
    given = [memory(i, action) for i, action in actions.items()]
    given.append(memory("greedy", ", ".join([*actions.values(), "book_reservation, search_direct_flight, think"])))
    found = weights(given, [called("get_refund_policy"), called("cancel_reservation")])
    assert found["a"] == 1.0
    assert max(found["b"], found["c"], found["greedy"]) < 0.3


@pytest.mark.parametrize(
    "trajectory", ["", "   ", [], "I thought about dinner.", [called("unheard_of", x=1)], [said("…", "user")]]
)
def test_a_run_that_tells_nothing_leaves_all_weights_at_one(trajectory: Any) -> None:
    given = [memory("a", "call get_refund_policy"), memory("b", "call transfer_to_human_agents"), memory("c")]
    assert weights(given, trajectory) == {"a": 1.0, "b": 1.0, "c": 1.0}


def test_what_the_task_itself_says_tells_nothing() -> None:
    given = [memory("a", "Cancel the booking"), memory("b", "Get the money back")]
    assert weights(given, "Cancel the booking", "Cancel the booking. Get the money back.") == {"a": 1.0, "b": 1.0}


def test_a_single_memory_or_none_cannot_be_told_apart() -> None:
    assert weights([], "anything") == {}
    assert weights([memory("a", "call drop_index")], "something else") == {"a": 1.0}


def test_scripts_without_blanks_between_words_are_compared_too() -> None:
    given = [memory("a", "先に料金規則を確認する"), memory("b", "担当者に引き継いで終了")]
    found = weights(given, "まず料金規則を確認するようにした。")
    assert found["a"] == 1.0
    assert found["b"] < 0.3


WORDS = st.sampled_from(
    [
        "cancel",
        "fare",
        "rules",
        "get_fare",
        "refund",
        "X1",
        "straße",
        "料金",
        "don't",
        "→",
        ".",
        "the",
        "--src",
        "😀",
        "{}",
        "a=1",
    ]
)
TEXTS = st.one_of(st.lists(WORDS, max_size=12).map(" ".join), st.text(max_size=30).filter(lambda t: "\x00" not in t))
MEMORIES = st.lists(st.builds(lambda a, g, r: (a, g, r or "-"), TEXTS, TEXTS, TEXTS), min_size=1, max_size=6)
RUNS = st.lists(
    st.one_of(TEXTS.map(said), st.builds(lambda n, v: called(n or "f", x=v), WORDS, TEXTS)), max_size=6
).map(parse)


@given(MEMORIES, TEXTS, RUNS, st.randoms(use_true_random=False))
def test_weights_are_shares_that_do_not_depend_on_the_order_of_the_memories(
    texts: list[tuple[str, str, str]], task: str, run: Any, random: Any
) -> None:
    given = [memory(f"m{n}", a, guidance=g, reflection=r) for n, (a, g, r) in enumerate(texts)]
    found = credit_weights(given, task, run)
    shuffled = random.sample(given, len(given))
    assert credit_weights(shuffled, task, run) == found
    assert list(credit_weights(shuffled, task, run)) == [each.id for each in shuffled]
    assert found.keys() == {each.id for each in given}
    assert all(0.0 <= weight <= 1.0 for weight in found.values())
    assert max(found.values()) == 1.0


@given(MEMORIES, TEXTS, RUNS)
def test_memories_that_say_the_same_get_the_same(texts: list[tuple[str, str, str]], task: str, run: Any) -> None:
    given = [memory(f"m{n}", a, guidance=g, reflection=r) for n, (a, g, r) in enumerate(texts)]
    twin = given[0].model_copy(update={"id": "twin"})
    found = credit_weights([*given, twin], task, run)
    assert found["twin"] == found["m0"]


@pytest.mark.slow
def test_four_million_characters_take_no_more_than_a_few_seconds() -> None:
    given = [memory(f"m{n}", f"step_{n} with the value {n}{n}{n}, then check the result number {n}") for n in range(20)]
    log = " ".join(f"line {n} of a log that goes on and on" for n in range(100_000))[:3_999_900] + " with the value 777"
    assert weights(given, log)["m7"] == 1.0  # the suite's time-out bounds it


def test_of_real_runs_the_one_that_was_followed_is_mostly_found(shared_data: Path) -> None:
    """Three memories of one task, each made of the calls of another run; the run at hand is that of the first."""
    runs = defaultdict(list)
    with (shared_data / "traj_tau_airline_gpt4o.jsonl").open(encoding="utf-8") as handle:
        for run in map(json.loads, handle):
            runs[run["task_id"]].append(run["messages"])
    found, among = 0.0, 0
    for trials in runs.values():
        advice = [_calls(trial) for trial in trials[:3]]
        if len(set(advice)) < 3 or not all(advice):
            continue
        given = [memory(f"m{n}", text) for n, text in enumerate(advice)]
        got = credit_weights(given, trials[0][0]["content"], parse(trials[0]))
        best = [i for i, weight in got.items() if weight == 1.0]
        found += ("m0" in best) / len(best)
        among += 1
    assert among >= 20
    assert found / among > 0.8  # 0.33 by chance


def _calls(messages: list[dict[str, Any]]) -> str:
    calls = parse(messages).calls
    return " → ".join(f"{call.name}({', '.join(map(str, json.loads(call.arguments).values()))})" for call in calls)
