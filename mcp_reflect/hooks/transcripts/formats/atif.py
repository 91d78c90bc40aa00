"""ATIF, the Agent Trajectory Interchange Format of Harbor: one JSON object with `steps`, versions 1.0 to 1.7.

It is kept in no folder of a user's, so files are named. Harbor writes what its verifier said into `result.json` of the
trial, beside the folder of the trajectory: a reward of 1 or of 0, without an exception, is a verdict.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from mcp_reflect.hooks.event import HookEvent, first_text
from mcp_reflect.hooks.own_tools import returns_memories
from mcp_reflect.hooks.transcripts.clients.turn_builder import MAX_TURNS, TurnBuilder
from mcp_reflect.hooks.transcripts.json_lines import moment, read_json
from mcp_reflect.hooks.transcripts.steps import output_text
from mcp_reflect.hooks.transcripts.turn import CheckedResult, SessionHead, SessionTurn
from mcp_reflect.hooks.transcripts.user_text import user_text

NAME = "atif"

_VERSION = "ATIF-"
_RESULT = "result.json"


def session_places(environ: Mapping[str, str], user: str) -> Sequence[str]:
    """Return nothing: trajectories stand wherever somebody put them."""
    del environ, user
    return ()


def is_session(names: Sequence[str]) -> bool:
    """Return whether a file by this name may be a trajectory."""
    return names[-1].endswith(".json")


def read_heads(path: str) -> Sequence[SessionHead]:
    """Return what a trajectory says of itself. Raises OSError."""
    whole = _trajectory(path)
    if whole is None:
        return ()
    # A trajectory that goes on in further files has one session for all of them.
    session = ":".join(filter(None, (first_text(whole, "session_id"), first_text(whole, "trajectory_id"))))
    extra = whole.get("extra")
    folder = first_text(extra if isinstance(extra, dict) else {}, "cwd", "working_directory")
    return (SessionHead(session or os.path.abspath(path), folder),)


def read_turns(event: HookEvent, start: int, most: int = MAX_TURNS) -> list[SessionTurn]:
    """Return the turns of a trajectory. Raises OSError where it cannot be read."""
    del start  # a JSON object is read whole
    found = TurnBuilder(most)
    whole = _trajectory(event.transcript) or {"steps": []}
    agent = whole.get("agent")
    model = first_text(agent if isinstance(agent, dict) else {}, "model_name")
    for number, step in enumerate(whole["steps"]):
        if isinstance(step, dict) and step.get("is_copied_context") is not True:
            _take(found, step, number, model)
    turns = found.turns
    if turns and (checked := _checked(event.transcript)) is not None:
        turns[-1] = turns[-1]._replace(checked=checked)
    return turns


def _trajectory(path: str) -> dict[str, Any] | None:
    whole = read_json(path)
    if not isinstance(whole, dict) or not isinstance(whole.get("steps"), list):
        return None
    return whole if first_text(whole, "schema_version").startswith(_VERSION) else None


def _take(found: TurnBuilder, step: dict[str, Any], number: int, model: str) -> None:
    text, at = output_text(step.get("message")), moment(step.get("timestamp"))
    if step.get("source") == "user":
        if said := user_text(text):
            found.begin(f"{step.get('step_id', number)}", said, 0, local=True, at=at)
        return
    if step.get("source") != "agent":
        return
    model = first_text(step, "model_name") or model
    if text:
        found.add({"role": "assistant", "content": text}, text, model, at)
    names: dict[str, str] = {}
    asked = step.get("tool_calls")
    for call in asked if isinstance(asked, list) else ():
        if isinstance(call, dict):
            used, name = first_text(call, "tool_call_id"), first_text(call, "function_name")
            names[used] = name
            use = {"type": "tool_use", "id": used, "name": name, "input": call.get("arguments")}
            found.add({"role": "assistant", "content": [use]}, model=model, at=at)
    observation = step.get("observation")
    results = observation.get("results") if isinstance(observation, dict) else None
    for result in results if isinstance(results, list) else ():
        if isinstance(result, dict):
            # A result may leave out its call where there is one only.
            used = first_text(result, "source_call_id") or next(iter(names), "")
            told = "[memories]" if returns_memories(names.get(used, "")) else output_text(result.get("content"))
            found.add(
                {"role": "user", "content": [{"type": "tool_result", "tool_use_id": used, "content": told}]}, at=at
            )


def _checked(path: str) -> CheckedResult | None:
    """The verifier's verdict on the trial that a trajectory is of; None where there is no plain one."""
    beside = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(path))), _RESULT)
    try:
        trial = read_json(beside) if os.path.basename(os.path.dirname(os.path.abspath(path))) == "agent" else None
    except OSError:
        return None
    verified = trial.get("verifier_result") if isinstance(trial, dict) and not trial.get("exception_info") else None
    rewards = verified.get("rewards") if isinstance(verified, dict) else None
    reward = rewards.get("reward") if isinstance(rewards, dict) else None
    if isinstance(reward, bool) or not isinstance(reward, int | float) or reward not in {0, 1}:
        return None
    return CheckedResult("pass" if reward else "fail", f"The verifier of the trial gave a reward of {reward:g}.")
