"""What clients see of the server, pinned: names, arguments, annotations, cost in tokens."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from mcp.shared.exceptions import MCPError

from mcp_reflect.server.instructions import HOOKED_INSTRUCTIONS, INSTRUCTIONS
from tests.support.servers import ERAS, call, connect, refusal

pytestmark = pytest.mark.anyio

VERDICT = {
    "feedback": "",
    "alpha": -1.0,
    "helpful_memory_ids": [],
    "harmful_memory_ids": [],
    "summary": "",
    "key_mistake": "",
    "correct_action": "",
    "guidance": "",
    "applicable_tools": [],
    "claims": [],
}
QUERY = {"lambda_": 0.5, "mmr_lambda": 0.95, "similarity_threshold": -1.0, "metadata_filter": {}, "retrieval": ""}
ARGUMENTS: dict[str, dict[str, Any]] = {
    "query_memories": {"task": ..., "limit": 10, **QUERY, "response_format": "concise"},
    "augment_task": {"task": ..., "limit": 5, **QUERY},
    "submit_trace": {
        "task": ...,
        "trajectory": "",
        "final_response": "",
        "retrieved_memory_ids": [],
        "retrieval_id": "",
        "model": "",
        "metadata": {},
        "review_result": "",
        "reference_context": "",
        "trace_key": "",
        **VERDICT,
    },
    "review_trace": {"trace_id": ..., "result": ..., **VERDICT},
    "find_error_fixes": {"error": ..., "limit": 5},
    "record_error_fix": {
        "task": ...,
        "mistake": ...,
        "fix": ...,
        "evidence": "",
        "rule": "",
        "tests": [],
        "metadata": {},
    },
    "manage_memory": {"memory_id": ..., "action": ..., "reason": ""},
    "list_traces": {"review_status": "pending", "limit": 20},
    "get_trace": {"trace_id": ...},
    "memory_stats": {},
    "reflect": {"focus": "", "limit": 20, "insights": []},
    "project_context": {"limit": 5},
}
READING = {
    "query_memories",
    "augment_task",
    "find_error_fixes",
    "list_traces",
    "get_trace",
    "memory_stats",
    "project_context",
}
MEMORY = {
    "id", "kind", "task", "reflection", "q_value", "similarity", "score", "success", "summary", "key_mistake",
    "correct_action", "applicable_tools", "guidance", "tools_used", "metadata", "status", "author", "source_trace_id",
    "created_at", "last_used_at", "reviews", "runs", "borne_out", "rating", "relevance", "interval",
}  # fmt: skip


@pytest.mark.parametrize("era", ERAS)
async def test_tools_have_the_promised_arguments_and_honest_annotations(tmp_path: Path, era: str) -> None:
    async with connect(tmp_path / "home", "memory", era) as client:
        tools = (await client.list_tools()).tools
    assert {tool.name for tool in tools} == set(ARGUMENTS)
    for tool in tools:
        schema = tool.input_schema
        given = {name: entry.get("default", ...) for name, entry in schema["properties"].items()}
        assert given == ARGUMENTS[tool.name]
        assert set(schema.get("required", [])) == {name for name, value in given.items() if value is ...}
        assert tool.title
        assert tool.description
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint is (tool.name in READING)
        # Unions and lists of types break some clients.
        assert "anyOf" not in json.dumps(schema)
        assert all(isinstance(entry["type"], str) for entry in schema["properties"].values())


async def test_the_tool_list_is_cheap(tmp_path: Path) -> None:
    async with connect(tmp_path / "home") as client:
        tools = (await client.list_tools()).tools
    listed = json.dumps([tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in tools])
    assert len(listed) / 4 <= 2_400


def test_instructions_fit_into_what_clients_show() -> None:
    assert len(INSTRUCTIONS) < 2_000
    assert len(HOOKED_INSTRUCTIONS) < 2_000
    assert all(name in INSTRUCTIONS for name in ("query_memories", "augment_task", "submit_trace", "review_trace"))


async def test_every_result_comes_whole_in_both_forms(tmp_path: Path) -> None:
    """Some clients show the model only structuredContent, some only the text."""

    def leaves(value: Any) -> list[str]:
        if isinstance(value, dict):
            return [leaf for item in value.values() for leaf in leaves(item)]
        if isinstance(value, list):
            return [leaf for item in value for leaf in leaves(item)]
        return value.split("\n") if isinstance(value, str) else []

    async with connect(tmp_path / "home") as client:
        task = "Fix the flaky test\nin the parser"
        stored = await call(client, "submit_trace", task=task, review_result="fail", feedback="x", guidance="Seed it.")
        calls: list[tuple[str, dict[str, Any]]] = [
            ("query_memories", {"task": task}),
            ("augment_task", {"task": task}),
            ("submit_trace", {"task": task, "review_result": "pass"}),
            ("review_trace", {"trace_id": stored["trace_id"], "result": "pass"}),
            ("record_error_fix", {"task": task, "mistake": "The parser stops", "fix": "Seed it", "evidence": "a\nb"}),
            ("find_error_fixes", {"error": "The parser stops"}),
            ("manage_memory", {"memory_id": stored["memory"]["id"], "action": "adopt"}),
            ("list_traces", {"review_status": "all"}),
            ("get_trace", {"trace_id": stored["trace_id"]}),
            ("memory_stats", {}),
            ("reflect", {}),
            ("reflect", {"insights": [{"text": "Seed tests.", "importance": 0.7, "evidence": [stored["trace_id"]]}]}),
            ("project_context", {}),
        ]
        for name, arguments in calls:
            result = await client.call_tool(name, arguments)
            text = result.content[0].text  # type: ignore[union-attr]
            assert result.structured_content, name
            missing = [leaf for leaf in leaves(result.structured_content) if leaf.strip() not in text]
            assert missing == [], name


async def test_memories_have_the_promised_fields(tmp_path: Path) -> None:
    async with connect(tmp_path / "home") as client:
        await call(client, "submit_trace", task="Fix the flaky test", review_result="pass", guidance="Seed it.")
        detailed = await call(client, "query_memories", task="Fix the flaky test", response_format="detailed")
        augmented = await call(client, "augment_task", task="Fix the flaky test")
    assert set(detailed["memories"][0]) >= MEMORY
    assert set(augmented["memories"][0]) >= MEMORY
    assert detailed["memories"][0]["last_used_at"] is None or detailed["memories"][0]["last_used_at"] > "2026"


async def test_people_can_look_at_memories_traces_and_figures(tmp_path: Path) -> None:
    async with connect(tmp_path / "home", "stdio") as client:
        long = "step\n" * 10_000
        stored = await call(client, "submit_trace", task="A task", trajectory=long, review_result="pass", guidance="g")
        clipped = await call(client, "get_trace", trace_id=stored["trace_id"])
        assert len(clipped["trajectory"]) < 21_000
        assert clipped["trajectory_characters"] == len(long)

        async def read(uri: str) -> Any:
            return json.loads((await client.read_resource(uri)).contents[0].text)  # type: ignore[union-attr]

        assert (await read(f"reflect://traces/{stored['trace_id']}"))["trajectory"] == long
        assert (await read(f"reflect://memories/{stored['memory']['id']}"))["reflection"] == "Guidance: g"
        assert (await read("reflect://stats"))["traces"]["total"] == 1
        assert [str(r.uri) for r in (await client.list_resources()).resources] == [
            "reflect://stats",
            "reflect://insights",
            "reflect://guide",
        ]
        templates = (await client.list_resource_templates()).resource_templates
        assert {t.uri_template for t in templates} == {"reflect://memories/{memory_id}", "reflect://traces/{trace_id}"}
        with pytest.raises(MCPError, match="mem_unknown"):
            await client.read_resource("reflect://memories/mem_unknown")


async def test_prompts_stand_at_both_ends_of_the_loop(tmp_path: Path) -> None:
    async with connect(tmp_path / "home") as client:
        stored = await call(client, "submit_trace", task="Fix the test", review_result="pass", guidance="Seed it.")
        start = await client.get_prompt("start_task", {"task": "Fix the flaky test"})
        text = start.messages[0].content.text  # type: ignore[union-attr]
        assert text.startswith("Fix the flaky test\n\nRelevant memories:")
        assert stored["memory"]["id"] in text
        assert "submit_trace" in text
        finish = await client.get_prompt("finish_task", {"result": "pass", "feedback": "all green"})
        text = finish.messages[0].content.text  # type: ignore[union-attr]
        assert '"pass"' in text
        assert "all green" in text


async def test_settings_are_the_defaults_of_a_query(tmp_path: Path) -> None:
    more = {"MCP_REFLECT_MEMORY__LIMIT": "2", "MCP_REFLECT_Q_LEARNING__ALPHA": "0.5"}
    async with connect(tmp_path / "home", more=more) as client:
        for number in range(4):
            await call(client, "submit_trace", task=f"Fix test {number}", review_result="pass", guidance="g")
        assert len((await call(client, "query_memories", task="Fix test"))["memories"]) == 2
        assert len((await call(client, "augment_task", task="Fix test"))["memories"]) == 2
        told = await call(client, "query_memories", task="Fix test", limit=3)
        assert len(told["memories"]) == 3
        outcome = await call(client, "submit_trace", task="Fix test", review_result="pass")
        assert {update["alpha"] for update in outcome["q_updates"]} == {0.5}
        start = await client.get_prompt("start_task", {"task": "Fix test"})
        assert start.messages[0].content.text.count("Guidance: g") == 2  # type: ignore[union-attr]


@pytest.mark.parametrize("era", ERAS)
async def test_a_mistake_in_a_prompt_is_told(tmp_path: Path, era: str) -> None:
    async with connect(tmp_path / "home", "memory", era) as client:
        with pytest.raises(MCPError, match="task: is empty"):
            await client.get_prompt("start_task", {"task": " "})
        with pytest.raises(MCPError, match="result: got 'maybe'"):
            await client.get_prompt("finish_task", {"result": "maybe"})


async def test_arguments_of_a_few_values_say_which(tmp_path: Path) -> None:
    async with connect(tmp_path / "home") as client:
        wrong = await refusal(client, "query_memories", task="A task", response_format="short")
        assert 'Allowed: "concise" or "detailed"' in wrong
        wrong = await refusal(client, "manage_memory", memory_id="mem_1", action="delete")
        assert 'Allowed: "adopt" or "deprecate" or "archive" or "restore"' in wrong


async def test_text_says_what_the_structure_says(tmp_path: Path) -> None:
    metadata = {"at": 1763765432.123, "build": 20251121.5, "steps": ["run a, then b", "c\nd"]}
    async with connect(tmp_path / "home") as client:
        stored = await client.call_tool("submit_trace", {"task": "A task", "metadata": metadata})
        assert stored.structured_content is not None
        told = await client.call_tool("get_trace", {"trace_id": stored.structured_content["trace_id"]})
        text = told.content[0].text  # type: ignore[union-attr]
    assert "at: 1763765432.123" in text
    assert "build: 20251121.5" in text
    lines = [line.strip() for line in text.splitlines()]
    assert lines[lines.index("steps:") + 1 :][:4] == ["- run a, then b", "-", "c", "d"]


async def test_the_same_task_is_found_at_the_highest_threshold(tmp_path: Path) -> None:
    tasks = [f"Deploy service number {number} to the cluster" for number in range(12)]
    async with connect(tmp_path / "home") as client:
        for task in tasks:
            await call(client, "submit_trace", task=task, review_result="pass", guidance="Wait for the pods.")
        for task in tasks:
            asked = {"task": task, "retrieval": "semantic", "similarity_threshold": 1}
            assert [m["task"] for m in (await call(client, "query_memories", **asked))["memories"]] == [task]


async def test_metadata_is_measured_as_the_json_it_is(tmp_path: Path) -> None:
    async with connect(tmp_path / "home") as client:
        await call(client, "submit_trace", task="A task", metadata={"k": "\u6f22" * 5_000})
        assert "16 kB" in await refusal(client, "submit_trace", task="A task", metadata={"k": "\u6f22" * 6_000})


async def test_a_key_of_another_user_is_not_told_as_a_task_of_ones_own(tmp_path: Path) -> None:
    more = {"MCP_REFLECT_MEMORY__SCOPE": "user"}
    async with connect(tmp_path / "home", more=more | {"MCP_REFLECT_USER": "ann"}) as client:
        await call(client, "submit_trace", task="A task", trace_key="run-1")
    async with connect(tmp_path / "home", more=more | {"MCP_REFLECT_USER": "bob"}) as client:
        wrong = await refusal(client, "submit_trace", task="A task", trace_key="run-1")
        assert "another user" in wrong
        assert "trace_" not in wrong.replace("trace_key", "")
