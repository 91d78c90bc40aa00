"""Fits the parts of a run, or of many, into the room that a prompt has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mcp_reflect.domain.lessons.drafting.condensation import condense_run
from mcp_reflect.domain.trajectory.parsing import Trajectory
from mcp_reflect.domain.truncate import truncate, truncate_middle

SHARES = {"task": 0.20, "feedback": 0.15, "errors": 0.12, "reference_context": 0.12, "final_response": 0.12}
_RETRIEVED_SHARE = 0.15
"""Most that each part may take of the room for the run; the trajectory gets what they leave over."""


def _fitted_lines(text: str, limit: int) -> str:
    """The lines of a text in at most `limit` characters: no line gives way, and with it its id, only long ones do."""
    lines = text.splitlines()
    return "\n".join(truncate(line, _longest(lines, limit)) for line in lines)


def fit_runs(parts: Mapping[str, str], room: int) -> dict[str, str]:
    """Return the parts of a question about many runs in at most `room` characters."""
    focus = shorten(parts["focus"], room // 8)
    texts = {name: text.splitlines() for name, text in parts.items() if name != "focus"}
    most = _longest([line for lines in texts.values() for line in lines], room - len(focus))
    fitted = {name: "\n".join(truncate(line, most) for line in lines) for name, lines in texts.items()}
    return {"focus": focus} | fitted


def _longest(lines: Sequence[str], limit: int) -> int:
    """The length to which lines must be cut so that all of them have room; the shorter ones leave theirs to others."""
    lengths = sorted(len(line) + 1 for line in lines)
    for place, length in enumerate(lengths):
        share = limit // (len(lengths) - place)
        if length > share:
            return max(share - 1, 0)
        limit -= length
    return max(lengths, default=0)


def fit_run(parts: Mapping[str, str], trajectory: Trajectory, room: int) -> dict[str, str]:
    """Return the parts of a question about one run in at most `room` characters."""
    fitted = {name: shorten(parts[name], int(room * share)) for name, share in SHARES.items()}
    fitted["retrieved"] = _fitted_lines(parts["retrieved"], int(room * _RETRIEVED_SHARE))
    left = room - sum(map(len, fitted.values()))
    fitted["trajectory"] = condense_run(trajectory, parts["task"], parts["final_response"], left).strip()
    return fitted


def shorten(text: str, limit: int) -> str:
    """Return head and tail of a text longer than `limit`: tasks begin with what is wanted, errors end with why."""
    return truncate_middle(text, limit, head=2 / 3)
