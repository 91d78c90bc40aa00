"""Every argument, wrong in every way: an error that names it, and nothing changed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import anyio
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcp.client import Client
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError, UnexpectedToolError

from mcp_reflect.application.memory_service import MemoryService
from mcp_reflect.config.load import load_settings
from mcp_reflect.server.refusals import CALL_AGAIN
from mcp_reflect.server.tools.all_tools import TOOLS
from tests.support.composition import open_memory
from tests.support.effort import examples
from tests.support.servers import call, connect, environment, refusal

TASK = "Rename a module"
TEXT = [1, 1.5, True, None, ["a"], {"a": 1}, "nul\x00byte", "lone \ud800 surrogate"]
NUMBER = ["7", "many", True, None, [], {}, -0.5, 1.5]  # in JSON there is no NaN; clients send null for it
NAMES: list[Any] = [
    1,
    None,
    {"a": 1},
    [1],
    [""],
    [None],
    ["x"] * 50 + [["y"]],
    ["nul\x00"],
    [f"i{n}" for n in range(101)],
]
OBJECT = ["text", 1, None, [], [1], {"a": None}, {"a": {"b": 1}}, {"a": [[1]]}, {"": 1}, {"k": "x" * 17_000}]

WRONG: dict[str, list[Any]] = {
    "task": [*TEXT, "", "  \n", "x" * 32_001],
    "limit": ["0", "7.5", "1e999", "many", True, None, [], {}, 0, 101, -1, 2.5],
    "lambda_": NUMBER,
    "mmr_lambda": NUMBER,
    "similarity_threshold": [*NUMBER, -2],
    "retrieval": [5, None, ["hybrid"], "words", "HYBRID"],
    "alpha": [*NUMBER, -2],
    "metadata_filter": [*OBJECT, {"a": [1, 2]}],
    "response_format": ["long", "", None, 1],
    "trajectory": [
        1,
        None,
        {"a": 1},
        "nul\x00byte",
        '[{"role": "user", "content": "broken"',
        '[{"no role": 1}]',
        "[[1, 2]]",
        '["a"]',
        [1, 2],
        [{"content": "whose?"}],
        "[{" + "x" * 100,
        "[" * 100_000,
        "x" * 4_000_001,
    ],
    "final_response": [*TEXT, "x" * 200_001],
    "retrieved_memory_ids": [*NAMES, ["mem_000000000000"], "mem_1"],
    "retrieval_id": [1, None, [], "ret_000000000000", "nul\x00byte"],
    "model": [*TEXT, "x" * 201],
    "metadata": OBJECT,
    "review_result": ["maybe", 1, None, ["pass"], True],
    "result": ["maybe", "", 1, None, ["pass"], True],
    "feedback": [*TEXT, "x" * 200_001],
    "reference_context": [*TEXT, "x" * 200_001],
    "helpful_memory_ids": [*NAMES, ["mem_000000000000"], "mem_1"],
    "harmful_memory_ids": [*NAMES, ["mem_000000000000"], "mem_1"],
    "summary": [*TEXT, "x" * 8_001],
    "key_mistake": [*TEXT, "x" * 8_001],
    "correct_action": [*TEXT, "x" * 8_001],
    "guidance": [*TEXT, "x" * 8_001],
    "applicable_tools": NAMES,
    "claims": [1, None, {"a": 1}, [1], [""], [None], ["nul\x00"], ["x" * 501], ["a", "b", "c", "d"]],
    "focus": [*TEXT, "x" * 8_001],
    "insights": [
        "words",
        1,
        None,
        {"text": "t"},
        [1],
        [{}],
        [{"text": "t", "evidence": ["trace_000000000000"]}],
        [{"text": "t", "evidence": []}],
        [{"text": "t" * 1_001, "evidence": ["trace_1"]}],
        [{"text": "nul\x00", "evidence": ["trace_1"]}],
        [{"text": "t", "importance": "high", "evidence": ["trace_1"]}],
        [{"text": "t", "importance": 1.1, "evidence": ["trace_1"]}],
        [{"text": "t", "evidence": "trace_1"}],
        '[{"text": "t"}]',
        [{"text": "t", "evidence": ["trace_1"], "more": 1}],
        [{"text": "t", "evidence": ["trace_1"]}] * 6,
    ],
    "trace_key": [*TEXT, "x" * 201],
    "trace_id": ["", "trace_000000000000", 1, None, ["t"], "nul\x00byte", "'; DROP TABLE traces; --"],
    "review_status": ["done", "", None, 1],
    "error": [*TEXT, "", " \n", "x" * 200_001],
    "mistake": [*TEXT, "", " \n", "x" * 8_001],
    "fix": [*TEXT, "x" * 8_001],
    "evidence": [*TEXT, "x" * 200_001],
    "rule": [*TEXT, "x" * 8_001],
    "tests": [1, None, {"a": 1}, [1], [""], [None], ["nul\x00"], ["x" * 8_001], ["x"] * 101],
    "memory_id": ["", "mem_000000000000", 1, None, ["m"], "nul\x00byte", "'; DROP TABLE memories; --"],
    "action": ["delete", "", None, 1, ["adopt"]],
    "reason": [*TEXT, "x" * 8_001],
}


def test_every_argument_of_every_tool_is_tried() -> None:
    assert {name for tool in TOOLS for name in tool.parameters["properties"]} == set(WRONG)


@pytest.mark.anyio
@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
async def test_a_wrong_argument_is_named_and_changes_nothing(tmp_path: Path, tool: Any) -> None:
    async with connect(tmp_path / "home") as client:
        stored = await call(client, "submit_trace", task=TASK, review_result="pass", guidance="g")
        good = {"task": TASK, "trace_id": stored["trace_id"], "result": "fail", "review_result": "fail"}
        good |= {"error": "e", "mistake": "m", "fix": "f", "memory_id": stored["memory"]["id"], "action": "adopt"}
        base = {name: good[name] for name in tool.parameters["properties"] if name in good}
        before = await state(client)
        required = tool.parameters.get("required", [])
        for name in tool.parameters["properties"]:
            for value in WRONG[name]:
                if value is None and name not in required:
                    continue  # not given
                # A client that writes JSON cannot send these; in memory they arrive.
                message = await refusal(client, tool.name, **base | {name: value})
                assert message.startswith(f"{name}:"), (name, value, message)
                assert "Allowed" in message
                assert len(message) < 1_000
        for name in required:
            given = {key: value for key, value in base.items() if key != name}
            for more in ({}, {"nonsense": 1}):
                assert (await refusal(client, tool.name, **more, **given)).startswith(f"{name}: is required")
        assert await state(client) == before


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("tool", "wrong", "near"),
    [
        ("query_memories", "lambda", "lambda_"),
        ("query_memories", "top_k", None),
        ("submit_trace", "retrieval_ids", "retrieval_id"),
        ("review_trace", "review_result", "result"),
        ("memory_stats", "project", None),
    ],
)
async def test_an_argument_that_does_not_exist_is_refused_with_the_nearest_name(
    tmp_path: Path, tool: str, wrong: str, near: str | None
) -> None:
    async with connect(tmp_path / "home") as client:
        arguments = {"task": TASK, "trace_id": "t", "result": "pass"}
        known = next(t for t in TOOLS if t.name == tool).parameters["properties"]
        message = await refusal(client, tool, **{k: v for k, v in arguments.items() if k in known}, **{wrong: 1})
        assert message.startswith(f"{wrong}: {tool} has no such argument")
        if near:
            assert f"did you mean {near}?" in message


@pytest.mark.anyio
async def test_a_tool_that_does_not_exist_is_told_with_the_nearest_and_all_names(tmp_path: Path) -> None:
    async with connect(tmp_path / "home") as client:
        message = await refusal(client, "query_memory", task=TASK)
        assert message.startswith("Unknown tool: query_memory (did you mean query_memories?). Allowed: query_memories,")
        assert message.endswith(f"{TOOLS[-1].name}. {CALL_AGAIN}")


@pytest.mark.anyio
async def test_an_id_in_both_verdicts_is_refused(tmp_path: Path) -> None:
    async with connect(tmp_path / "home") as client:
        stored = await call(client, "submit_trace", task=TASK, review_result="pass", guidance="g")
        memory_id, before = stored["memory"]["id"], await state(client)
        verdicts = {"helpful_memory_ids": [memory_id], "harmful_memory_ids": [memory_id]}
        for tool, more in (
            ("submit_trace", {"task": TASK, "review_result": "pass"}),
            ("review_trace", {"trace_id": stored["trace_id"], "result": "pass"}),
        ):
            message = await refusal(client, tool, **more, **verdicts)
            assert memory_id in message
            assert "both" in message
        message = await refusal(client, "submit_trace", task=TASK, helpful_memory_ids=[memory_id])
        assert message.startswith("helpful_memory_ids: given without a review")
        assert await state(client) == before


@pytest.mark.anyio
async def test_lenient_forms_are_taken(tmp_path: Path) -> None:
    """What clients really send for a right value: whole floats, numbers and JSON in a string, one text for a list,
    aliases, upper case, null, arguments of their own.
    """
    async with connect(tmp_path / "home") as client:
        first = await call(
            client, "submit_trace", task=TASK, review_result="success", metadata='{"a": 1}', guidance="g"
        )
        assert first["memory"]["success"] is True
        assert first["memory"]["metadata"] == {"a": 1}
        second = await call(client, "review_trace", trace_id=first["trace_id"], result="FAILURE", feedback="No flag.")
        assert second["memory"]["success"] is False
        told = await call(client, "query_memories", task=TASK, limit=5.0, lambda_=1, metadata_filter='{"a": 1}')
        assert len(told["memories"]) == 1
        asked = {"limit": "1", "lambda_": None, "wait_for_previous": True, "similarity_threshold": "-1"}
        assert len((await call(client, "query_memories", task=TASK, **asked))["memories"]) == 1
        review = {"review_result": "Passed", "applicable_tools": "shell", "claims": None, "guidance": "g"}
        third = await call(client, "submit_trace", task=TASK, **review)
        assert (third["memory"]["success"], third["memory"]["applicable_tools"]) == (True, ["shell"])
        ids = json.dumps([told["memories"][0]["id"]])
        await call(client, "submit_trace", task=TASK, retrieved_memory_ids=ids, trajectory="[INFO] starting")


async def state(client: Client) -> dict[str, Any]:
    """What a call that errs must leave as it was."""
    traces = await call(client, "list_traces", review_status="all", limit=100)
    return {**await call(client, "memory_stats"), **traces}


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.just(10**400) | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Any:
    home = tmp_path_factory.mktemp("any") / "home"
    with open_memory(load_settings(environment(home), home.parent)) as opened:
        yield opened


@settings(max_examples=examples(300), suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(data=st.data())
def test_no_arguments_whatever_make_a_tool_crash(memory: MemoryService, data: st.DataObject) -> None:
    tool = data.draw(st.sampled_from(TOOLS))
    names = st.sampled_from([*tool.parameters["properties"], "nonsense"])
    arguments = data.draw(st.dictionaries(names, anything | st.sampled_from([TASK, "pass"]), max_size=6))
    if "task" in tool.parameters["properties"] and data.draw(st.booleans()):
        arguments["task"] = TASK

    class Session:
        client_capabilities = None

    class Request:
        lifespan_context = memory
        session = Session()
        meta = None

    context: Any = Context(request_context=Request(), mcp_server=MCPServer("test"))  # type: ignore[arg-type]

    async def run() -> None:
        try:
            await tool.run(arguments, context, convert_result=True)
        except UnexpectedToolError:
            raise
        except ToolError:
            pass

    anyio.run(run)
