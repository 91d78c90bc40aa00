"""Checks of single values, before and after the conversion by pydantic.

Each check gives the value back, converted where nothing is lost, or refuses it with words that say what is wrong.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

from pydantic_core import PydanticCustomError

from mcp_reflect.application.requests.conversions import ids_from, list_from, number_from, object_from, result_from
from mcp_reflect.domain.limits import (
    MAX_CLAIM_CHARS,
    MAX_CLAIMS,
    MAX_FIELD,
    MAX_IDS,
    MAX_METADATA_BYTES,
    MAX_METADATA_KB,
    MAX_NAME,
)
from mcp_reflect.domain.text.recalled import strip_recalled
from mcp_reflect.domain.truncate import truncate

DEFAULT = -1.0
"""Stands for the configured default where a number is expected: arguments are never null."""


def refusal(message: str) -> PydanticCustomError:
    """Return the error by which a check refuses a value."""
    # The text may quote the caller's braces, which the template would try to fill.
    return PydanticCustomError("not_allowed", "{message}", {"message": message})


def clean(text: str) -> str:
    """Return the text; refuse NUL and lone surrogates."""
    if "\x00" in text:
        raise refusal("contains a NUL character")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise refusal("contains a lone surrogate, which is not Unicode text") from None
    return text


def as_text(value: Any) -> Any:
    """Return the value; refuse what is no string."""
    if not isinstance(value, str):
        raise refusal(f"got {shown(value)}")
    return value


def filled(text: str) -> str:
    """Return the text; refuse an empty one and white space alone."""
    if not text.strip():
        raise refusal("is empty")
    return text


def as_whole(value: Any) -> Any:
    """Return the value, or the JSON number in a text, as an int; refuse what is no whole number."""
    number = number_from(value)
    if not is_number(number) or not float(number).is_integer():
        raise refusal(f"got {shown(value)}")
    return int(number)


def as_number(value: Any) -> Any:
    """Return the value, or the JSON number in a text, as a float; refuse what is no finite number."""
    number = number_from(value)
    if not is_number(number):
        raise refusal(f"got {shown(value)}")
    return float(number)


def is_number(value: Any) -> bool:
    """Return true for a number that fits into a float, and false for booleans."""
    # math.isfinite raises for larger integers; no comparison with NaN holds.
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= sys.float_info.max


def fraction_or_default(value: float) -> float:
    """Return the number; refuse one that is neither in [0, 1] nor DEFAULT."""
    if value != DEFAULT and not 0.0 <= value <= 1.0:
        raise refusal(f"got {value:g}")
    return value


def messages_as_json(value: Any) -> Any:
    """Return a list of messages as JSON, and a text as it is; refuse everything else."""
    if isinstance(value, list):
        others = [item for item in value if not isinstance(item, dict)]
        if others:
            raise refusal(f"the list holds {shown(others[0])}, which is no message")
        try:
            # One message at a time: other threads are not kept waiting while a long run is written.
            return f"[{', '.join(json.dumps(item, ensure_ascii=False) for item in value)}]"
        except (TypeError, ValueError, RecursionError):
            raise refusal("the list cannot be written as JSON") from None
    return as_text(value)


def as_metadata(value: Any) -> Any:
    """Return an object of scalars and lists of scalars, at most MAX_METADATA_BYTES; refuse everything else."""
    value = object_from(value)
    if not isinstance(value, dict):
        raise refusal(f"got {shown(value)}")
    for key, item in value.items():
        clean(filled(as_text(key)))
        for scalar in item if isinstance(item, list) else [item]:
            _check_scalar(key, scalar)
    if len(json.dumps(value, ensure_ascii=False).encode()) > MAX_METADATA_BYTES:
        raise refusal(f"is larger than {MAX_METADATA_KB} kB")
    return value


def as_filter(value: Any) -> Any:
    """Return an object of scalars; refuse everything else."""
    conditions = as_metadata(value)
    for key, item in conditions.items():
        if isinstance(item, list):
            raise refusal(f"{key!r} is compared with a list; give one value, it also matches stored lists")
    return conditions


def _check_scalar(key: str, value: Any) -> None:
    if isinstance(value, str):
        clean(value)
    elif not isinstance(value, bool) and not is_number(value):
        raise refusal(f"{key!r} holds {shown(value)}")


def members(value: Any, most: int) -> Any:
    """Return the list; refuse what is none, or has more than `most` members."""
    if not isinstance(value, list | tuple):
        raise refusal(f"got {shown(value)}")
    if len(value) > most:
        raise refusal(f"has {len(value)} members")
    return value


def as_names(value: Any) -> Any:
    """Return a list of names without repetitions; a text may hold it as JSON, or be the only one."""
    return _unique_names(list_from(value))


def as_ids(value: Any) -> Any:
    """Return a list of ids without repetitions; a text may hold it as JSON, or with commas or spaces between them."""
    return _unique_names(ids_from(value))


def _unique_names(listed: Any) -> tuple[str, ...]:
    for item in members(listed, MAX_IDS):
        if not isinstance(item, str) or not item.strip() or len(item) > MAX_NAME:
            raise refusal(f"holds {shown(item)}")
        clean(item)
    return tuple(dict.fromkeys(listed))


def as_claims(value: Any) -> Any:
    """Return a list of claims without repetitions, each in one line and without recalled memories."""
    value = list_from(value)
    for item in members(value, MAX_CLAIMS):
        at_most(MAX_CLAIM_CHARS)(filled(as_text(item)))
    # Recalled memories are told by their lines, so they go before the lines do.
    said = (" ".join(strip_recalled(item).split()) for item in value)
    return tuple(dict.fromkeys(claim for claim in said if claim))


def as_texts(value: Any) -> Any:
    """Return a list of texts that are not empty; a text may hold it as JSON, or be the only one."""
    value = list_from(value)
    for item in members(value, MAX_IDS):
        filled(at_most(MAX_FIELD)(as_text(item)))
    return tuple(value)


def as_result(value: Any) -> Any:
    """Return the result that a word means; refuse other words."""
    result = result_from(as_text(value))
    if result is None:
        raise refusal(f"got {shown(value)}")
    return result


def shown(value: Any) -> str:
    """Return the value in at most 60 characters, as error messages quote it."""
    if value is None:
        return "null"
    return truncate(repr(value), 60)  # one line of a message


def at_most(limit: int) -> Callable[[str], str]:
    """Return a check that refuses texts longer than `limit` characters, and texts that `clean` refuses."""

    def check(text: str) -> str:
        if len(text) > limit:
            raise refusal(f"has {len(text):,} characters")
        return clean(text)

    return check
