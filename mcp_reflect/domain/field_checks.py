"""Checks of a record's fields, made from their types.

As pydantic does without strictness: lists become tuples, ISO 8601 text times, whole numbers other numbers.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from datetime import datetime
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeAlias, Union, get_args, get_origin, get_type_hints

FieldCheck: TypeAlias = Callable[[Any], Any]
"""Takes a value and returns it as its field holds it. Raises ValueError, whose text completes `must be`."""


class InvalidRecord(ValueError):
    """A field that is missing, unknown or has a wrong value; `path` leads to it, `value` is what it was given."""

    def __init__(self, path: tuple[str, ...], problem: str, value: object = None, *, is_unknown: bool = False) -> None:
        super().__init__(f"{'.'.join(path)}: {problem}")
        self.path = path
        self.problem = problem
        self.value = value
        self.is_unknown = is_unknown


def _checked(check: FieldCheck, value: Any, name: str) -> Any:
    """What a check makes of the value of a part. Raises InvalidRecord, which names the part."""
    try:
        return check(value)
    except ValueError as error:
        raise field_error(name, value, error) from None


def field_error(name: str, value: object, error: ValueError) -> InvalidRecord:
    """Return the error of a field whose value a check refused, or in which it found another field's error."""
    if isinstance(error, InvalidRecord):
        return InvalidRecord((name, *error.path), error.problem, error.value, is_unknown=error.is_unknown)
    return InvalidRecord((name,), f"must be {error}", value)


def check_of(hint: Any) -> FieldCheck:
    """Return the check of a type: a plain one, a record, a named tuple of plain ones, or composed of such."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is not None:
        return _COMPOSED[origin](arguments)
    if hint in _PLAIN:
        return _PLAIN[hint]
    return _check_of_record(hint) if hasattr(hint, "model_validate") else _check_of_named_tuple(hint)


def _check_of_record(kind: Any) -> FieldCheck:
    return lambda value: value if isinstance(value, kind) else kind.model_validate(_mapping(value))


def _check_of_tuple(arguments: tuple[Any, ...]) -> FieldCheck:
    each = check_of(arguments[0])
    return lambda value: tuple(_parts(each, value))


def _check_of_list(arguments: tuple[Any, ...]) -> FieldCheck:
    each = check_of(arguments[0])
    return lambda value: _parts(each, value)


def _check_of_dict(arguments: tuple[Any, ...]) -> FieldCheck:
    each = check_of(arguments[1])
    return lambda value: {_text(name): _checked(each, part, name) for name, part in _mapping(value).items()}


def _check_of_literal(arguments: tuple[Any, ...]) -> FieldCheck:
    return lambda value: _one_of(arguments, value)


def _check_of_union(members: tuple[Any, ...]) -> FieldCheck:
    """The check of several types: that of the value's own type, else the first that takes the value."""
    checks = [check_of(member) for member in members]
    exact = {member: check for member, check in zip(members, checks, strict=True) if isinstance(member, type)}

    def check(value: Any) -> Any:
        if type(value) in exact:
            return exact[type(value)](value)
        problems = []
        for each in checks:
            try:
                return each(value)
            except ValueError as error:
                problems.append(str(error))
        raise ValueError(" or ".join(problems))

    return check


def _check_of_named_tuple(kind: Any) -> FieldCheck:
    checks = [check_of(hint) for hint in get_type_hints(kind).values()]

    def check(value: Any) -> Any:
        if not isinstance(value, tuple | list) or len(value) != len(checks):
            raise ValueError(f"a list of {len(checks)}")
        return kind(*(each(part) for each, part in zip(checks, value, strict=True)))

    return check


def _parts(each: FieldCheck, value: Any) -> list[Any]:
    if not isinstance(value, tuple | list):
        raise ValueError("a list")  # noqa: TRY004 - every check raises ValueError alone
    return [_checked(each, part, str(place)) for place, part in enumerate(value)]


def _mapping(value: Any) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise ValueError("a table of fields")  # noqa: TRY004 - as above
    return value


def _one_of(choices: tuple[Any, ...], value: Any) -> Any:
    if isinstance(value, str) and value in choices:
        return value
    raise ValueError(f"one of {', '.join(map(repr, choices))}")


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError("text")  # noqa: TRY004 - as above
    return value


def _whole_number(value: Any) -> int:
    if isinstance(value, int) or (isinstance(value, float) and value.is_integer()):
        return int(value)
    raise ValueError("a whole number")


def _number(value: Any) -> float:
    if not isinstance(value, int | float):
        raise ValueError("a number")  # noqa: TRY004 - as above
    return float(value)


def _flag(value: Any) -> bool:
    if value in (0, 1) and isinstance(value, int | float):  # SQLite has no type of its own for it
        return bool(value)
    raise ValueError("true or false")


def _time(value: Any) -> datetime:
    if isinstance(value, datetime):
        return value
    try:
        return datetime.fromisoformat(value)
    except (TypeError, ValueError):
        raise ValueError("a time in ISO 8601") from None


def _nothing(value: Any) -> None:
    if value is not None:
        raise ValueError("null")


_PLAIN: Mapping[Any, FieldCheck] = {
    str: _text,
    int: _whole_number,
    float: _number,
    bool: _flag,
    datetime: _time,
    NoneType: _nothing,
    Any: lambda value: value,
}

_COMPOSED: Mapping[Any, Callable[[tuple[Any, ...]], FieldCheck]] = {
    Annotated: operator.itemgetter(1),
    Literal: _check_of_literal,
    Union: _check_of_union,
    UnionType: _check_of_union,
    tuple: _check_of_tuple,
    list: _check_of_list,
    dict: _check_of_dict,
}
