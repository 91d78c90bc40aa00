"""A scripted agent does small real tasks, and what it hands in changes what it is told next.

The agent is simple, its work is real: every exit code and message is what the command gave. Two of its early runs
leave lessons, one right and one a wrong guess; the runs after them show which of the two rises and which sinks.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from mcp.client import Client
from mcp.client.stdio import StdioServerParameters
from rich.console import Console
from rich.markup import escape

from mcp_reflect.cli.demo.workspace import CommandOutput, DemoRun, make_project
from mcp_reflect.cli.formats import format_count
from mcp_reflect.wire import request_meta

PLAIN = "python -m unittest discover -s tests"
RIGHT = "PYTHONPATH=src python -m unittest discover -s tests"
GUESSED = "python -m unittest discover -s tests --src src"

ToolArguments = dict[str, Any]


class Agent:
    """Works in a folder, with the memory behind an MCP client."""

    def __init__(self, client: Client, folder: Path, console: Console) -> None:
        self._client = client
        self._folder = folder
        self._console = console
        self._known: set[str] = set()

    async def call(self, tool: str, **arguments: Any) -> ToolArguments:
        """Call a tool of the memory and return its structured result. Raises RuntimeError for a refused call."""
        # A model reads the lesson; this program takes the command out of its field.
        meta: Any = {request_meta.DETAILED: True}
        result = await self._client.call_tool(tool, arguments, meta=meta)
        if result.is_error or not isinstance(result.structured_content, dict):
            raise RuntimeError(f"{tool}: {result.content}")
        return result.structured_content

    async def learn_the_path(self) -> None:
        """Do a first run that knows nothing, fails, and finds out why."""
        self._heading("Run 1: nothing is known yet")
        run = DemoRun("Run the unit tests of the inventory package", self._folder)
        given = await self._augment(run.task)
        ran = self._shell(run, PLAIN)
        await self._hand_in(
            run,
            given,
            "fail",
            feedback=ran.last_line,
            summary="Tried to run the unit tests of the inventory package.",
            key_mistake="Ran the tests without the src folder on the import path.",
            correct_action=RIGHT,
            guidance="Put the source folder of a package on PYTHONPATH before its tests are run.",
        )

    async def guess_a_flag(self) -> None:
        """Do a run that never asks its memory, and notes a guess as if it were a lesson."""
        self._heading("Run 2: a hasty run asks nobody, guesses a flag, and notes the guess as a lesson")
        run = DemoRun("Run the unit tests of the inventory package and report the result", self._folder)
        ran = self._shell(run, GUESSED)
        await self._hand_in(
            run,
            {},
            "fail",
            feedback=ran.last_line,
            summary="Tried to tell the test runner where the sources are.",
            key_mistake="The source folder was not given.",
            correct_action=GUESSED,
            guidance="Name the source folder with a flag.",
        )

    async def follow_memories(self, number: int) -> list[str]:
        """Try what the memories say, best first; gives back the ids in the order they were told."""
        self._heading(f"Run {number}: the agent does what it is told, best memory first")
        run = DemoRun("Run the unit tests of the inventory package and report the result", self._folder)
        given = await self._augment(run.task)
        harmful: list[str] = []
        helpful: list[str] = []
        ran = CommandOutput("", 1, "")
        for memory in given["memories"]:
            ran = self._shell(run, memory["correct_action"])
            if ran.tests_ran:
                helpful.append(memory["id"])
                break
            harmful.append(memory["id"])
        if ran.tests_ran and ran.exit_code:
            self._say("    the tests run, and one finds a real bug; the agent mends it")
            run.mend_the_bug()
            ran = self._shell(run, ran.command)
        await self._hand_in(
            run,
            given,
            "pass" if ran.exit_code == 0 else "fail",
            feedback=ran.last_line,
            helpful_memory_ids=helpful,
            harmful_memory_ids=harmful,
            summary="Ran the unit tests of the inventory package.",
            correct_action=ran.command,
            guidance="With the import path set, a failing test is about the code: mend the code.",
        )
        return [memory["id"] for memory in given["memories"]]

    async def show_ranking(self) -> list[ToolArguments]:
        """Print and return the memories that a further run would be given."""
        self._heading("What the next run would be told")
        found = await self.call(
            "query_memories",
            task="Run the unit tests of the inventory package and report the result",
            response_format="detailed",
        )
        self._say("  [bold]query_memories[/]")
        self._show(found["memories"])
        memories: list[ToolArguments] = found["memories"]
        return memories

    async def _augment(self, task: str) -> ToolArguments:
        given = await self.call("augment_task", task=task)
        self._say(f"  [bold]augment_task[/]: {format_count(len(given['memories']), 'memory', 'memories')}")
        self._show(given["memories"])
        return given

    async def _hand_in(self, run: DemoRun, given: ToolArguments, result: str, **verdict: Any) -> None:
        retrieval_id = given.get("retrieval_id", "")
        trace = await self.call("submit_trace", task=run.task, trajectory=run.messages, retrieval_id=retrieval_id)
        self._say(f"  [bold]submit_trace[/]: {trace['trace_id']} is {trace['review_status']}")
        outcome = await self.call("review_trace", trace_id=trace["trace_id"], result=result, **verdict)
        memory_id = outcome["memory"]["id"]
        # A run whose lesson says what a memory says already is a further witness of that memory.
        stored = "joins the runs of" if memory_id in self._known else "a new memory"
        self._known.add(memory_id)
        self._say(f"  [bold]review_trace[/]: {result}, {stored} {memory_id}")
        for update in outcome["q_updates"]:
            moved = f"{update['q_before']:.3f} → {update['q_after']:.3f}"
            self._say(f"    q_value of {update['memory_id']}: {moved}")

    def _shell(self, run: DemoRun, command: str) -> CommandOutput:
        ran = run.shell(command)
        verdict = "[green]exit 0[/]" if ran.exit_code == 0 else f"[red]exit {ran.exit_code}[/]"
        self._say(f"    $ {escape(command)}  {verdict}  [dim]{escape(ran.last_line)}[/]")
        return ran

    def _show(self, memories: list[ToolArguments]) -> None:
        for rank, memory in enumerate(memories, 1):
            figures = "  ".join(f"{name} {memory[name]:.3f}" for name in ("q_value", "relevance", "score"))
            self._say(f"    {rank}. {memory['id']}  [bold]{figures}[/]")
            self._say(f"       [dim]{escape(memory['correct_action'])}[/]")
            self._say(f"       [dim]{escape(memory['guidance'])}[/]")

    def _say(self, text: str) -> None:
        # Lines are left to the terminal to break, so that commands can be copied.
        self._console.print(text, soft_wrap=True)

    def _heading(self, text: str) -> None:
        self._say(f"\n[bold cyan]{text}[/]")


async def run_demo(console: Console) -> int:
    """Show the loop in a temporary home; 0 where the ranking changed as the outcomes say, otherwise 1."""
    with tempfile.TemporaryDirectory(prefix="mcp-reflect-demo-") as temporary:
        folder = Path(temporary) / "inventory"
        make_project(folder)
        # Nothing of the reader's own memory, settings or models takes part.
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("MCP_REFLECT_")}
        environment = inherited | {"MCP_REFLECT_HOME": f"{temporary}/home", "MCP_REFLECT_PROJECT": "demo"}
        environment["MCP_REFLECT_HUB__ENABLED"] = "false"  # the home is deleted at the end; nothing may outlive it
        server = StdioServerParameters(command=sys.executable, args=["-m", "mcp_reflect"], env=environment)
        console.print(f"A real MCP client, a real server on stdio, an empty home in {temporary}", soft_wrap=True)
        async with Client(server) as client:
            agent = Agent(client, folder, console)
            await agent.learn_the_path()
            await agent.guess_a_flag()
            first = await agent.follow_memories(3)
            await agent.follow_memories(4)
            last = await agent.show_ranking()
    actions = {memory["correct_action"]: memory for memory in reversed(last)}
    right, guessed = actions.get(RIGHT), actions.get(GUESSED)
    if right is None or guessed is None:
        console.print("[red]The lessons did not come back.[/]")
        return 1
    ranks = [memory["id"] for memory in last]
    console.print(
        f"\nThe guess was told {_place(first, guessed['id'])} in run 3 and comes {_place(ranks, guessed['id'])} now, "
        f"with q_value {guessed['q_value']:.3f}; the right way rose to {right['q_value']:.3f}.",
        soft_wrap=True,
    )
    return 0 if right["q_value"] > guessed["q_value"] and ranks.index(right["id"]) < ranks.index(guessed["id"]) else 1


def _place(ids: list[str], memory_id: str) -> str:
    return f"at rank {ids.index(memory_id) + 1}" if memory_id in ids else "not at all"
