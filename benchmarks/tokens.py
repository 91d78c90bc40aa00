"""Tokens of what a model is shown: `python -m benchmarks.tokens`.

Printed are characters / 4 of the JSON of the tool list, of ten memories of recorded runs as `query_memories` lists
them, and the ratio of the whole result of `augment_task` to the prompt in it: of runs about flights and questions, of
coding sessions, of conversations, and of all together. It takes about two minutes.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple

import anyio
from mcp.client import Client

from benchmarks.lessons.record import FIRST_RECORDED, FRESH_RECORDED, LATER_RECORDED, RECORDED
from benchmarks.lessons.submitting import messages_of, read_talks, submit
from benchmarks.quality.banks import laboratory
from benchmarks.quality.data import HOTPOT, TAU, Run, read_runs, require_data
from mcp_reflect.application.requests import AugmentQuery, Query
from mcp_reflect.bootstrap.memory import open_memory
from mcp_reflect.config.load import load_settings
from mcp_reflect.domain.limits import CHARS_PER_TOKEN
from mcp_reflect.server.app import build_server
from mcp_reflect.server.views.concise import concise_memories, prompt_view

RUNS = 100
"""Runs of each set; with each, ten memories and a prompt are asked for."""
LOOP = frozenset(
    {
        *("query_memories", "augment_task", "submit_trace", "review_trace", "list_traces", "get_trace"),
        "memory_stats",
    }
)


def measure_tools() -> None:
    """Print the tokens of the tool list."""

    async def listed() -> list[tuple[str, int]]:
        with tempfile.TemporaryDirectory() as folder:
            settings = load_settings({"MCP_REFLECT_HOME": folder, "MCP_REFLECT_PROJECT": "tokens"}, Path(folder))
            async with Client(build_server(lambda: open_memory(settings))) as client:
                tools = (await client.list_tools()).tools
        shown = [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in tools]
        return [(tool["name"], len(json.dumps(tool))) for tool in shown]

    sizes = anyio.run(listed)
    loop = sum(size for name, size in sizes if name in LOOP) / CHARS_PER_TOKEN
    every = sum(size for _, size in sizes) / CHARS_PER_TOKEN
    print(f"tools/list: {every:,.0f} tokens, goal <= 2,400; the loop's seven {loop:,.0f}")


class Sizes(NamedTuple):
    """Characters of the results of `augment_task`, and of the prompts in them."""

    results: float
    prompts: float

    def __str__(self) -> str:
        return f"{self.results / self.prompts:.2f}"


def measure_answers(name: str, runs: Sequence[Run]) -> Sizes:
    """Print the tokens of what is shown of memories of some runs, and return those of `augment_task`."""
    lists, prompts, results = [], 0, 0.0
    with laboratory() as lab, lab.memory(name) as memory:
        for run in runs:
            submit(memory, run.text, list(run.messages), result="pass" if run.passed else "fail")
        for run in runs:
            ten = memory.query(Query(task=run.text, limit=10, similarity_threshold=0.0))
            if len(ten.matches) == 10:
                lists.append(tokens_of(concise_memories(ten)))
            augmented, retrieved = memory.augment(AugmentQuery(task=run.text))
            if retrieved.matches:
                prompts += len(augmented)
                results += CHARS_PER_TOKEN * tokens_of(prompt_view(augmented, retrieved))
    sizes = Sizes(results, prompts)
    print(f"{name}: ten concise memories {mean(lists):,.0f} tokens, at most {max(lists):,.0f}, goal <= 750")
    print(f"{name}: augment_task, result / prompt {sizes}")
    return sizes


def coding_sessions() -> list[Run]:
    """Return the sessions with real tools that `benchmarks.lessons` records."""
    folders = (RECORDED, FIRST_RECORDED, LATER_RECORDED, FRESH_RECORDED)
    files = [file for folder in folders for file in sorted(folder.glob("*.json"))]
    told = [json.loads(file.read_text(encoding="utf-8")) for file in files]
    return [
        Run(each["name"], each["task"], passed=True, messages=tuple(each["messages"]))
        for each in told
        if "messages" in each  # the others are logs
    ]


def conversations() -> list[Run]:
    """Return talks of developers that settle a project's rules."""
    talks, _ = read_talks()
    return [
        Run(name, turns[0]["text"], passed=True, messages=tuple(messages_of(turns)))
        for name, turns in list(talks.items())[:RUNS]
    ]


def tokens_of(view: Any) -> float:
    """Return the tokens of a result as JSON."""
    return len(json.dumps(view, ensure_ascii=False, separators=(",", ":"))) / CHARS_PER_TOKEN


def main() -> None:
    measure_tools()
    require_data()
    sets = {name: read_runs(name)[:RUNS] for name in (TAU, HOTPOT)}
    sets |= {"coding_sessions": coding_sessions(), "conversations": conversations()}
    sizes = [measure_answers(name, runs) for name, runs in sets.items()]
    whole = Sizes(*map(sum, zip(*sizes, strict=True)))
    print(f"all sets: augment_task, result / prompt {whole}, goal <= 1.15")


if __name__ == "__main__":
    main()
