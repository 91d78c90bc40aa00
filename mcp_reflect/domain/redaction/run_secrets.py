"""Redaction of a whole run: a secret that one part of it tells goes from all of its words.

`DB_PASSWORD=two!Penguins` tells the secret in the output of a command; the agent's last words, `logged in with
two!Penguins`, do not. What a command prints alone is told by that command only.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from typing import Any, NamedTuple

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.redaction.by_position.printed_secrets import printed_secrets
from mcp_reflect.domain.redaction.redact import redact, redact_json
from mcp_reflect.domain.redaction.values.chosen_words import is_drawn_or_disguised
from mcp_reflect.domain.redaction.values.secret_values import MARK, is_joined_phrase, is_mixed, looks_drawn
from mcp_reflect.domain.trajectory.parsing import Trajectory

_MARK = re.compile(r"\[redacted:[a-z0-9-]{1,30}\]")
_LEAST, _LONGEST = 8, 4_000
_LEAST_DRAWN = 16
_LEAST_WITH_SLASH = 30
_LEAST_WHOLE = 12
"""Characters from which on a secret is replaced inside of a word, too."""


class RedactedRun(NamedTuple):
    """The trajectory of a run, redacted, and its other words without the secrets that any part of the run tells."""

    trajectory: Trajectory
    words: dict[str, Any]


def redact_run(trajectory: Trajectory, words: Mapping[str, Any]) -> RedactedRun:
    """Return a run without the secrets that any of its parts tells; `words` maps the name of an argument to its value.

    Nothing else is taken from the words: what a secret is by itself in one of them is for `redact` to find.
    """
    return redact_telling(trajectory, words)[0]


def redact_telling(trajectory: Trajectory, words: Mapping[str, Any]) -> tuple[RedactedRun, frozenset[str]]:
    """Return a run as `redact_run` does, and the secrets that it tells: each is one wherever it stands."""
    printed = printed_secrets(trajectory)
    given = trajectory if trajectory.messages is None else _without(trajectory, printed)
    redacted = _redact(given)
    told = set(_told(given.messages or given.text, redacted.messages or redacted.text))
    for value in words.values():
        told.update(_told(value, redact_json(value)))
    left = printed | {word for word in told if _is_known_anywhere(word)}
    clean = {name: without_words(value, left) for name, value in words.items()}
    return RedactedRun(_without(redacted, left), clean), left


def redact_trajectory(trajectory: Trajectory) -> Trajectory:
    """Return the trajectory redacted; in messages each string by itself, so that the result stays JSON."""
    return redact_run(trajectory, {}).trajectory


def without_words(value: Any, secrets: Collection[str]) -> Any:
    """Return a JSON value in whose strings these secrets are replaced wherever they stand, also in keys."""
    if not secrets:
        return value
    if isinstance(value, str):
        for word in sorted(secrets, key=len, reverse=True):
            if word in value:
                value = _pattern_of(word).sub(f"{MARK}secret]", value)
        return value
    if isinstance(value, dict):
        return {without_words(key, secrets): without_words(item, secrets) for key, item in value.items()}
    return type(value)(without_words(item, secrets) for item in value) if isinstance(value, list | tuple) else value


def _redact(trajectory: Trajectory) -> Trajectory:
    if trajectory.messages is None:
        return Trajectory(redact(trajectory.text))
    messages = tuple(redact_json(message) for message in trajectory.messages)
    return trajectory if messages == trajectory.messages else Trajectory.of(list(messages))


def _without(trajectory: Trajectory, secrets: Collection[str]) -> Trajectory:
    left = [word for word in secrets if json.dumps(word, ensure_ascii=False)[1:-1] in trajectory.text]
    if not left:
        return trajectory
    if trajectory.messages is None:
        return Trajectory(without_words(trajectory.text, left))
    return Trajectory.of([without_words(message, left) for message in trajectory.messages])


def _pattern_of(word: str) -> re.Pattern[str]:
    literal = re.escape(word)
    return re.compile(literal if len(word) >= _LEAST_WHOLE else rf"(?<![A-Za-z0-9]){literal}(?![A-Za-z0-9])")


def _told(before: Any, after: Any) -> Iterator[str]:
    """Yield the texts that a redaction replaced by marks in a JSON value."""
    if isinstance(before, str):
        yield from _replaced(before, after) if isinstance(after, str) and before != after else ()
    elif isinstance(before, dict) and len(before) == len(after):
        for (key, item), (new_key, new_item) in zip(before.items(), after.items(), strict=True):
            yield from _told(key, new_key)
            yield from _told(item, new_item)
    elif isinstance(before, list | tuple):
        for item, new_item in zip(before, after, strict=True):
            yield from _told(item, new_item)


def _replaced(before: str, after: str) -> Iterator[str]:
    """Yield what stood in a text where marks stand in its redaction, as far as the text between them is the same."""
    first, *parts = _MARK.split(after)
    if not before.startswith(first):
        return
    start = len(first)
    for number, part in enumerate(parts, start=1):
        is_last = number == len(parts)
        end = len(before) - len(part) if is_last else before.find(part, start + 1)
        if end < start or not before.startswith(part, end):
            return
        yield before[start:end]
        start = end + len(part)


def _is_known_anywhere(word: str) -> bool:
    """Return whether a secret is one wherever it stands: `postgres` is a password beside its name only."""
    if not _LEAST <= len(word) <= _LONGEST or MARK in word or "://" in word or not word.isprintable() or " " in word:
        return False
    if "/" in word and not (len(word) >= _LEAST_WITH_SLASH and is_mixed(word)):
        return False
    return is_joined_phrase(word) or is_drawn_or_disguised(word) or looks_drawn(word, _LEAST_DRAWN)
