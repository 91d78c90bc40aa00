"""Secrets out, before anything is written to disk or sent to a model.

A secret becomes `[redacted:<kind>]`; the words around it stay. What only looks random (hashes, ids, encoded data) stays
too: runs are full of it, and a trajectory without it teaches nothing.
"""

from __future__ import annotations

import re
from functools import partial
from typing import Any

from mcp_reflect.core.named_secrets import MARK, PLACEHOLDER, is_harmless, kind_of_name, redact_named
from mcp_reflect.core.secret_patterns import Format, formats
from mcp_reflect.core.trajectory import Trajectory

_MAX_ROUNDS = 8
"""A replacement can bare a secret that touched another one; two rounds are the rule."""

_MAX_COMMAND = 300
"""Characters before a match that are looked at for the command it belongs to."""


def redact(text: str) -> str:
    """The text with each secret replaced by `[redacted:<kind>]`. Doing it again changes nothing."""
    for _ in range(_MAX_ROUNDS):
        changed = _redact_once(text)
        if changed == text:
            break
        text = changed
    return text


def redact_json(value: Any) -> Any:
    """The value with every string redacted, keys of objects included.

    A string is a secret as a whole where it stands under a name such as password, token or api_key.
    """
    return _walk(value, "")


def redact_trajectory(trajectory: Trajectory) -> Trajectory:
    """The trajectory redacted: of messages each string by itself, so that what is stored stays JSON."""
    if trajectory.messages is None:
        return Trajectory(redact(trajectory.text))
    return Trajectory.of([redact_json(message) for message in trajectory.messages])


def _walk(value: Any, kind: str) -> Any:
    if isinstance(value, str):
        return f"{MARK}{kind}]" if kind and not is_harmless(value, kind) else redact(value)
    if isinstance(value, dict):
        return {
            redact(key) if isinstance(key, str) else key: _walk(item, kind_of_name(str(key)))
            for key, item in value.items()
        }
    if isinstance(value, list | tuple):
        return type(value)(_walk(item, kind) for item in value)
    return value


def _redact_once(text: str) -> str:
    for known in formats():
        if any(hint in text for hint in known.hints):
            text = known.pattern.sub(partial(_replaced, known), text)
    return redact_named(text)


def _replaced(known: Format, match: re.Match[str]) -> str:
    group = match.re.groups
    start, end = match.span(group)
    text = match.string
    inside_word = known.whole_word and (text[end : end + 1].isalnum() or _follows_word(text, match.start()))
    if inside_word or text.startswith(MARK, start) or (group and PLACEHOLDER.fullmatch(text, start, end)):
        return match[0]
    if known.unless and known.unless.search(text, max(match.start() - _MAX_COMMAND, 0), match.start()):
        return match[0]
    return f"{text[match.start() : start]}{MARK}{known.kind}]{text[end : match.end()]}"


def _follows_word(text: str, start: int) -> bool:
    before = text[max(start - 2, 0) : start]
    return before[-1:].isalnum() and before not in {r"\n", r"\r", r"\t"}
