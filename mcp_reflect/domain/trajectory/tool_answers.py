"""What a tool's answer says in words beside its values: why it refused a call, and what it warns of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.surrogates import replace_surrogates
from mcp_reflect.domain.trajectory.tool_json import parse_json_object

_REASONS = tuple(
    """
    message messages errors detail details reason description meldung nachricht grund motif mensaje motivo
    mensagem messaggio komunikat powod bericht
    """.split()  # noqa: SIM905 - as words they can be read
)
_WARNINGS = ("warning", "warnings")
_NAMES = (
    "name",
    "first_name",
    "last_name",
    "full_name",
    "holder",
    "customer",
    "patient",
    "guest",
    "contact",
    "owner",
    "email",
)
_MOST_ANSWER = 20_000
_MOST_WORDS = 400
_MOST_TEXTS = 4
_CODE = re.compile(r"^(?:(?:[A-Z][A-Z_]{2,}\d{0,5}|[Ee]rror(?: \d{1,5})?|ERR \d{1,5}|[EW])[:\]]\s){1,2}")
"""What stands before a reason, as in `REJECTED: ` and `Error 409: `."""


def reasons_in(answer: str) -> Iterator[str]:
    """Yield the texts in the fields of a refusal, such as `message` beside `error`, each in one line.

    The answer is known to be one: it failed, or it has an error. One in plain words is its own reason, without the code
    that it begins with.
    """
    if answer.lstrip().startswith(("{", "[", "<")):
        yield from _texts_in(_fields_of(answer), _REASONS)
    elif 0 < len(answer.strip()) <= _MOST_WORDS and "\n" not in answer.strip():
        yield _in_words(answer)


def warnings_in(answer: str) -> Iterator[str]:
    """Yield the texts in a field `warning`, each in one line."""
    yield from _texts_in(_fields_of(answer), _WARNINGS)


def people_in(answer: str) -> Iterator[str]:
    """Yield the values of fields that name somebody."""
    yield from _texts_in(_fields_of(answer), _NAMES)


def _texts_in(fields: dict[str, Any], names: tuple[str, ...]) -> Iterator[str]:
    for name, value in fields.items():
        texts = value if isinstance(value, list) else [value]
        for text in texts[:_MOST_TEXTS] if name in names else ():
            if isinstance(text, str) and len(text) <= _MOST_WORDS:
                yield _in_words(text)


def _in_words(text: str) -> str:
    """A text in one line, without the code that it begins with."""
    return _CODE.sub("", " ".join(replace_surrogates(text).split()))


def _fields_of(answer: str) -> dict[str, Any]:
    """The fields of an answer that is an object, with those of its error where that is one; empty for any other."""
    found = parse_json_object(answer) if len(answer.strip()) <= _MOST_ANSWER else None
    if found is None:
        return {}
    inner = found.get("error") or found.get("errors")
    if isinstance(inner, list) and inner:
        inner = inner[0]
    fields = {**found, **inner} if isinstance(inner, dict) else found
    return {name.lower(): value for name, value in fields.items()}
