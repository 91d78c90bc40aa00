"""Warnings before a call that failed earlier: `python -m benchmarks.before`.

The recorded sessions (`lessons/recorded`, real tools) are submitted as runs of one project. Then their calls are met a
second time, as the hook before a call sees them. Printed are the shares of

- exact repeats of a failed command that bring the error's fix, and of the same commands in another form: behind a `cd`,
  with their output shortened, with other blanks, with other quotes,
- other calls that bring a warning: what worked in the sessions (edits, variants, preparations), and the
  failed commands with another operand or a further option.
"""

from __future__ import annotations

import json
import shlex
import statistics
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.quality.banks import laboratory
from mcp_reflect.application.memory_service import MemoryService
from mcp_reflect.application.requests import NO_RETRIEVAL, PlannedCall, Submission

RECORDED = Path(__file__).parent / "lessons" / "recorded"
FOLDER = "/home/dev/project"


class Call(NamedTuple):
    tool: str
    arguments: dict[str, Any]
    failed: bool


def calls(messages: Iterable[dict[str, Any]]) -> Iterator[Call]:
    """Yield the calls of a recorded session with their outcome."""
    asked: dict[str, dict[str, Any]] = {}
    for message in messages:
        for block in message["content"]:
            if block["type"] == "tool_use":
                asked[block["id"]] = block
            elif block["type"] == "tool_result":
                call = asked[block["tool_use_id"]]
                yield Call(call["name"], call["input"], block["is_error"])


def reworded(call: Call, way: int) -> Call:
    """Return a command as another session may write it."""
    command = call.arguments["command"]
    forms = (
        f"cd {FOLDER} && {command}",
        f"{command} 2>&1 | tail -n 40",
        f"  {command.replace(' ', '  ')} ",
        " ".join(word if any(c in word for c in "&|;<>*$'") else shlex.quote(word) for word in command.split(" ")),
    )
    return call._replace(arguments={"command": forms[way % len(forms)]})


def near_misses(call: Call) -> Iterator[Call]:
    """Yield commands that share all but a word with one that failed."""
    words = call.arguments["command"].split(" ")
    last = max(n for n, word in enumerate(words) if word[:1].isalnum() or "/" in word)
    if last:
        other = [*words[:last], f"{words[last]}2", *words[last + 1 :]]
        yield call._replace(arguments={"command": " ".join(other)})
    yield call._replace(arguments={"command": " ".join([*words, "--verbose"])})


def warned(memory: MemoryService, call: Call) -> bool:
    return bool(memory.errors.expect(PlannedCall(tool=call.tool, arguments=call.arguments), 2).fixes)


def main() -> None:
    sessions = [json.loads(file.read_text(encoding="utf-8")) for file in sorted(RECORDED.glob("*.json"))]
    with laboratory() as lab, lab.memory("before") as memory:
        unknown = [call for session in sessions for call in calls(session["messages"])]
        early = sum(warned(memory, call) for call in unknown)
        for session in sessions:
            memory.submit(
                Submission(task=session["task"], trajectory=json.dumps(session["messages"]), retrieval_id=NO_RETRIEVAL)
            )
        failing = [next(call for call in calls(session["messages"]) if call.failed) for session in sessions]
        texts = {call.arguments["command"] for call in failing}
        others = [call for call in unknown if not call.failed and call.arguments.get("command") not in texts]
        others += [miss for call in failing for miss in near_misses(call)]
        times = []
        for call in unknown:
            began = time.perf_counter()
            warned(memory, call)
            times.append((time.perf_counter() - began) * 1000)
        again = [warned(memory, call) for call in failing]
        forms = [warned(memory, reworded(call, way)) for call in failing for way in range(4)]
        wrong = [call for call in others if warned(memory, call)]
    share("exact repeats of a failed call, warned before they run", sum(again), len(again), ">= 80%")
    share("the same in four other forms", sum(forms), len(forms), "")
    share("other calls, warned", len(wrong), len(others), "<= 2%")
    share("calls before anything was known, warned", early, len(unknown), "0%")
    print(f"in the hub: {statistics.median(times):.2f} ms a call, at most {max(times):.1f} ms")
    for call in wrong:
        print(f"  warned of what worked: {call.arguments}")
    for call, told in zip(failing, again, strict=True):
        if not told:
            print(f"  not warned: {call.arguments}")


def share(name: str, part: int, whole: int, goal: str) -> None:
    print(f"{name}: {part} of {whole} ({part / whole:.1%})" + (f", goal {goal}" if goal else ""))


if __name__ == "__main__":
    main()
