"""Verdicts taken from sessions that end in many ways: `python -m benchmarks.endings`.

The sessions in `seen.json` and `held_out.json` were written by hand: thanks, praise, complaints, praise that is taken
back, red tests, green tests with a complaint after them, an interruption, a question, a further wish, an agent that
gives up, a plan; in twelve languages. Every prompt has a label: what a person would say of the turn that it began, ""
where the session does not tell, and `none` where it must not become a run. The rules were mended on `seen.json`;
`held_out.json` was written after that and not tuned on.

Each session is written as every client keeps it and read as `mcp-reflect learn` does. Printed are the share of the
verdicts that are right, how many of the labelled runs got one, and the prompts that were taken for a run.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mcp_reflect.hooks.past_sessions import PastSession, find_named_sessions, find_sessions, read_past_runs
from tests.support.past_sessions import IN_FOLDERS, NAMED, PastStep, write_session

HERE = Path(__file__).parent
GOAL_RIGHT = 0.98
NO_RESULTS = "cursor"
"""The client that does not keep what commands printed."""


def steps_of(session: dict[str, Any]) -> list[PastStep]:
    """The steps of a labelled session: prompts, commands with their output, and the agent's words."""
    found = []
    for turn in session["turns"]:
        found.append(PastStep(prompt=turn["prompt"]))
        for step in turn["steps"]:
            command = {} if isinstance(step, str) else dict(zip(("command", "output", "code"), step, strict=True))
            found.append(PastStep(**command) if command else PastStep(says=step))
    return found


def judged(client: str, sessions: list[dict[str, Any]]) -> Iterator[tuple[str, str, str]]:
    """Yield each labelled prompt with its label and what learning made of it."""
    with tempfile.TemporaryDirectory() as name:
        top = Path(name)
        (top / "project").mkdir()
        for number, session in enumerate(sessions):
            write_session(top / "user", client, f"s{number:03}", top / "project", steps_of(session))
        named = find_named_sessions([str(top / "user")], [client]) if client in NAMED else None
        found = named or find_sessions(client, {}, str(top / "user"))
        runs = {each.session: list(read_past_runs(each)) for each in found if isinstance(each, PastSession)}
        for number, session in enumerate(sessions):
            taken = [run.arguments for run in runs.get(f"s{number:03}", [])]
            for turn in session["turns"]:
                if turn["prompt"].startswith("[Request interrupted") and client != "claude-code":
                    continue  # the other clients do not write it
                run = next((each for each in taken if each["task"].endswith(turn["prompt"])), None)
                given = "none" if run is None else str(run.get("review_result", ""))
                yield turn["prompt"], turn["verdict"], given


def main() -> None:
    for name in ("seen", "held_out"):
        sessions = json.loads((HERE / f"{name}.json").read_text(encoding="utf-8"))
        counts: Counter[str] = Counter()
        for client in (*IN_FOLDERS, *NAMED):
            for prompt, label, given in judged(client, sessions):
                outcome = _outcome(label, given)
                counts[outcome if client != NO_RESULTS or outcome != "missed" else "not kept"] += 1
                if outcome not in {"right", "missed"} and "-v" in sys.argv:
                    print(f"  {outcome}: {client}: {prompt} ({label or 'unclear'}, given {given or 'nothing'})")
        verdicts = counts["verdict right"] + counts["wrong"] + counts["invented"]
        plain = counts["verdict right"] + counts["wrong"] + counts["missed"]
        right = counts["verdict right"]
        print(
            f"{name}: {len(sessions)} sessions as {len(IN_FOLDERS) + len(NAMED)} clients keep them: verdicts right "
            f"{right} of {verdicts} ({right / verdicts:.1%}), goal {GOAL_RIGHT:.0%}; labelled runs that got one "
            f"{verdicts - counts['invented']} of {plain}; "
            f"words of thanks or praise taken for a run {counts['taken for a run']}; runs lost {counts['lost']}"
        )


def _outcome(label: str, given: str) -> str:
    if label == given:
        return "verdict right" if label in {"pass", "fail"} else "right"
    if label == "none":
        return "taken for a run"
    if given == "none":
        return "lost"
    if not given:
        return "missed"
    return "wrong" if label else "invented"


if __name__ == "__main__":
    main()
