"""`mcp-reflect learn` on labelled sessions: `python -m benchmarks.learn`.

Real runs whose outcome is known (question answering, an airline's agent) are written as sessions of each client,
one run each, and followed by a word of the user: plain praise or blame that agrees with the outcome, or words that say
nothing plain about it (a new task, a question, half praise), which must leave the run without a verdict. In a quarter
of the sessions the end of a recorded test run stands before it, or in its place. `learn` then reads all of them.

Printed are the share of the verdicts taken that are right, how many of the plain words gave one, how many sessions
without plain evidence got one, and the runs learned a second, start of the process and loading of the model included,
beside the CPU time of all processes, which other load on the machine changes less, and both against embedding their
tasks alone. The words of praise and blame were written for this; so the words that the airline's customers really said
are judged as well, and the verdicts counted that the outcome contradicts.
"""

from __future__ import annotations

import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from benchmarks.before import RECORDED
from benchmarks.quality.data import HOTPOT, TAU, Run, read_runs, require_data
from mcp_reflect.adapters.fastembed_embedder import FastembedEmbedder
from mcp_reflect.bootstrap.beside_owner import open_memory_beside_owner
from mcp_reflect.config.load import load_settings
from mcp_reflect.domain.verdicts.wording import find_verdict
from mcp_reflect.hooks.outcome.testing import detect_test_run
from tests.support.past_sessions import IN_FOLDERS, PastStep, write_session

SEED = 7
GOAL_RIGHT, GOAL_RATE = 0.98, 100.0

PRAISE = (
    *("that works, thanks", "Works now!", "perfect", "Great, it works.", "that's correct, thank you", "LGTM"),
    *(
        "exactly what I wanted",
        "looks good to me",
        "yes, that fixed it",
        "ok that solved the problem",
        "Fixed, thanks!",
    ),
    *("Nice, all working now", "well done", "Awesome, that's perfect. Thanks a lot", "it's fixed now, cheers"),
)
BLAME = (
    *("no, still broken", "that's wrong", "It does not work", "this is incorrect", "still failing", "doesn't work"),
    *("No, that's not what I asked for", "it still crashes", "that didn't fix it", "I still get the same error"),
    *("you broke it", "nope, not working", "Sorry, that is not right", "same error again", "that made it worse"),
)
UNCLEAR = (
    *("thanks", "ok", "Now add a test for it", "Does it work?", "The login page does not work", "go on", "commit it"),
    *("works for the first file but not for the second", "looks good, but please rename the variable", "why?"),
    *("it should work with Python 3.11 too", "is that correct?", "I wonder if it works", "no need to change the docs"),
    *("Fix the failing tests in the parser", "Perfect is the enemy of good: make it shorter", "not yet, wait", "hm"),
    *("Please explain what was wrong", "Still to do: the changelog", "no problem, next: the release notes", "stop"),
)


class Labelled(NamedTuple):
    """A session with the outcome of its run, `""` where it holds no plain evidence of it."""

    steps: list[PastStep]
    outcome: str


def test_runs() -> dict[bool, list[PastStep]]:
    """Recorded test commands with what they printed, by whether they passed."""
    found: dict[bool, list[PastStep]] = {True: [], False: []}
    for file in sorted(RECORDED.glob("*.json")):
        commands: dict[str, str] = {}
        for message in json.loads(file.read_text(encoding="utf-8"))["messages"]:
            for block in message["content"]:
                if block["type"] == "tool_use":
                    commands[block["id"]] = block["input"].get("command", "")
                elif block["type"] == "tool_result" and detect_test_run(commands[block["tool_use_id"]]):
                    failed, text = block["is_error"], block["content"]
                    output = text.partition("\n")[2] if failed else text
                    step = PastStep(command=commands[block["tool_use_id"]], output=output, code=int(failed))
                    found[not failed].append(step)
    return found


def labelled(runs: list[Run], rng: random.Random) -> Iterator[tuple[str, Labelled]]:
    """The runs as sessions, three of each, of the clients in turn."""
    tests = test_runs()
    for number, run in enumerate(run for run in runs for _ in range(3)):
        client = IN_FOLDERS[number % len(IN_FOLDERS)]
        steps = list(_steps(run))
        outcome = ""
        if rng.random() < 0.25:
            steps.append(rng.choice(tests[run.passed]))
            if client != "cursor":  # it keeps no results
                outcome = "pass" if run.passed else "fail"
        steps.append(PastStep(says="Done."))
        said = rng.random()
        if said < 0.45:
            steps.append(PastStep(prompt=rng.choice(PRAISE if run.passed else BLAME)))
            outcome = "pass" if run.passed else "fail"
        elif said < 0.85:
            steps.append(PastStep(prompt=rng.choice(UNCLEAR)))
        yield client, Labelled(steps, outcome)


def _steps(run: Run) -> Iterator[PastStep]:
    """The run as one turn: what others than the agent say after its first prompt counts as output of its calls."""
    yield PastStep(prompt=run.text)
    for message in run.messages[1:]:
        content = str(message.get("content") or "")
        if message["role"] == "assistant":
            for call in message.get("tool_calls") or ():
                yield PastStep(command=f"{call['function']['name']} {call['function']['arguments']}", output="done")
            if content:
                yield PastStep(says=content)
        elif message["role"] == "tool":
            yield PastStep(command="cat answer.txt", output=content)


def main() -> None:
    require_data()
    rng = random.Random(SEED)
    with tempfile.TemporaryDirectory() as name:
        top = Path(name)
        labels: dict[str, tuple[str, str]] = {}
        projects = {client: top / client for client in IN_FOLDERS}
        for folder in projects.values():
            (folder / ".git").mkdir(parents=True)
            (folder / ".git/HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
        runs = [*read_runs(HOTPOT), *read_runs(TAU)]
        for number, (client, each) in enumerate(labelled(runs, rng)):
            session = f"{client}-{number:04}"
            write_session(top / "user", client, session, projects[client], each.steps)
            labels[session] = (client, each.outcome)
        environ = {"PATH": os.environ["PATH"], "HOME": str(top / "user"), "MCP_REFLECT_HOME": str(top / "home")}
        began, used = time.perf_counter(), children_cpu_seconds()
        command = [sys.executable, "-m", "mcp_reflect", "learn", "--yes", "--json"]
        done = json.loads(subprocess.run(command, env=environ, capture_output=True, check=True).stdout)
        seconds, used = time.perf_counter() - began, children_cpu_seconds() - used
        counts: Counter[str] = Counter()
        for folder in projects.values():
            with open_memory_beside_owner(load_settings(environ, folder)) as memory:
                for summary in memory.traces(None, 10_000):
                    session = str(memory.trace(summary.id).metadata["session"])
                    _count(
                        counts,
                        labels.pop(session, ("", "follow-up"))[1],
                        summary.review.result if summary.review else "",
                    )
    given = counts["right"] + counts["wrong"] + counts["invented"]
    print(f"{done['runs']:,} runs in {seconds:.0f} s: {done['runs'] / seconds:.0f} a second, goal {GOAL_RATE:.0f}")
    print(
        f"CPU time of all its processes: {used:.1f} s, {used / done['runs'] * 1000:.1f} ms a run, "
        f"so at most {2 * done['runs'] / used:.0f} a second on two cores"
    )
    alone, alone_used = embedding_seconds([run.text for run in runs for _ in range(3)])
    print(
        f"embedding their tasks alone, once each: {alone:.1f} s; learning took {seconds / alone:.1f} times as long, "
        f"and {used / alone_used:.1f} times the CPU time"
    )
    print(f"estimated: {done['estimated_runs']:,} runs, {done['estimated_seconds']:.0f} s")
    share = counts["right"] / given
    print(f"verdicts that are right: {counts['right']:,} of {given:,} ({share:.1%}), goal {GOAL_RIGHT:.0%}")
    plain = counts["right"] + counts["wrong"] + counts["missed"]
    print(f"plain evidence that gave one: {plain - counts['missed']:,} of {plain:,}")
    unclear = counts["invented"] + counts["silent"]
    print(f"sessions without plain evidence that got one: {counts['invented']:,} of {unclear:,}")
    said, given, contradicted = spoken_verdicts(read_runs(TAU))
    print(
        f"what {said:,} real words of customers gave: {given} verdicts, of which the outcome contradicts {contradicted}"
    )


def children_cpu_seconds() -> float:
    """CPU time of the processes that this one waited for, and of those that these waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def embedding_seconds(texts: list[str]) -> tuple[float, float]:
    """Time and CPU time of embedding texts in one call, each once, the model loaded."""
    embedder = FastembedEmbedder()
    embedder.embed(["the model is loaded"])
    began, used = time.perf_counter(), time.process_time()
    embedder.embed(texts)
    return time.perf_counter() - began, time.process_time() - used


def spoken_verdicts(runs: list[Run]) -> tuple[int, int, int]:
    """Count what users said after an answer, the verdicts in it, and those that the run's outcome contradicts."""
    said = given = contradicted = 0
    for run in runs:
        before = ""
        for message in run.messages:
            text = str(message.get("content") or "")
            if message["role"] == "assistant" and text:
                before = text
            elif message["role"] == "user" and before and text:
                said += 1
                verdict = find_verdict(text, before)
                given += verdict is not None
                contradicted += verdict not in {None, "pass" if run.passed else "fail"}
    return said, given, contradicted


def _count(counts: Counter[str], outcome: str, result: str) -> None:
    if outcome == "follow-up":  # the run of the user's last word, which nothing follows
        counts["follow-up"] += 1
    elif not outcome:
        counts["invented" if result else "silent"] += 1
    else:
        counts["missed" if not result else "right" if result == outcome else "wrong"] += 1


if __name__ == "__main__":
    main()
