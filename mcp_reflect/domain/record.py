"""Immutable values with checked fields: a small part of what pydantic's models do, under the same names.

Importing pydantic takes longer than all else that a command for reading does, and these values are all it would be
imported for. Requests and foreign JSON, which need a schema or are written by others, are pydantic's.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from types import NoneType
from typing import Any, ClassVar, Literal, Self, dataclass_transform, get_type_hints

from mcp_reflect.domain.field_checks import FieldCheck, InvalidRecord, check_of, field_error

REQUIRED: Any = object()
"""The default of a field that has none."""


@dataclass(frozen=True)
class Field:
    """A field of a record; REQUIRED stands for no default."""

    default: Any = REQUIRED

    def initial(self) -> Any:
        """Return the value of the field where none is given. Raises ValueError where there must be one."""
        if self.default is REQUIRED:
            raise ValueError("given")
        return self.default.copy() if isinstance(self.default, dict) else self.default

    def check(self, value: Any) -> Any:
        """Return a value of the right type. Raises ValueError for one that the field does not take."""
        return value


@dataclass_transform(kw_only_default=True, frozen_default=True)
class Record:
    """The base of immutable values. A subclass names its fields by annotations, as a dataclass does.

    Values are checked and converted as pydantic does without strictness: lists become tuples, ISO 8601 text times.
    Unknown fields are refused. `Annotated[T, read]` is checked by `read` in place of T; a default is not checked.
    """

    model_fields: ClassVar[Mapping[str, Field]] = {}

    def __init_subclass__(cls) -> None:
        own = {
            name: _field(vars(cls).get(name, REQUIRED))
            for name, annotation in cls.__annotations__.items()
            if not str(annotation).startswith("ClassVar")
        }
        cls.model_fields = {**cls.model_fields, **own}
        for name in own.keys() & vars(cls).keys():
            setattr(cls, name, own[name].default)

    def __init__(self, **given: Any) -> None:
        fields = vars(self)
        checks = _checks(type(self)) if given else {}
        name = ""
        try:
            for name, field in self.model_fields.items():
                fields[name] = checks[name](given[name]) if name in given else field.initial()
        except ValueError as error:
            raise field_error(name, given.get(name), error) from None
        if len(given) > len(fields) or not given.keys() <= fields.keys():
            foreign = next(name for name in given if name not in fields)
            raise InvalidRecord((foreign,), "is no field", given[foreign], is_unknown=True)

    @classmethod
    def model_validate(cls, given: Mapping[str, Any]) -> Self:
        """Return the record with these fields. Raises InvalidRecord."""
        return cls(**given)

    @classmethod
    def model_construct(cls, **given: Any) -> Self:
        """Return the record with these fields, which are right already: they are not checked."""
        made = cls.__new__(cls)
        defaults = {name: field.default for name, field in cls.model_fields.items() if field.default is not REQUIRED}
        vars(made).update(defaults | given)
        return made

    def model_copy(self, *, update: Mapping[str, Any] | None = None) -> Self:
        """Return a copy with other values of some fields, which are right already: they are not checked."""
        made = type(self).__new__(type(self))
        vars(made).update(vars(self) | dict(update or {}))
        return made

    def model_dump(
        self,
        *,
        mode: Literal["python", "json"] = "python",
        include: Collection[str] | None = None,
        exclude: Collection[str] = (),
        exclude_defaults: bool = False,
    ) -> dict[str, Any]:
        """Return the fields as a dictionary, records in it too; with `json` tuples are lists and times are text."""
        as_json = mode == "json"
        values = vars(self)
        return {
            name: values[name] if type(values[name]) in _AS_THEY_ARE else _dumped(values[name], as_json=as_json)
            for name, field in self.model_fields.items()
            if (include is None or name in include)
            and name not in exclude
            and not (exclude_defaults and values[name] == field.default)
        }

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen")

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash((type(self), *(vars(self)[name] for name in self.model_fields)))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={vars(self)[name]!r}' for name in self.model_fields)})"


def _field(default: Any) -> Field:
    return default if isinstance(default, Field) else Field(default)


_AS_THEY_ARE = {str, int, float, bool, NoneType}


def _dumped(value: Any, *, as_json: bool) -> Any:
    if isinstance(value, Record):
        return value.model_dump(mode="json" if as_json else "python")
    if isinstance(value, tuple | list):
        parts = [_dumped(each, as_json=as_json) for each in value]
        return parts if as_json or isinstance(value, list) else tuple(parts)
    if isinstance(value, dict):
        return {key: _dumped(each, as_json=as_json) for key, each in value.items()}
    if as_json and isinstance(value, datetime):
        return value.isoformat().replace("+00:00", "Z")
    return value


_CHECKS: dict[type[Record], dict[str, FieldCheck]] = {}
"""By class; made when the first record is, because types name classes that are defined later."""


def _checks(kind: type[Record]) -> dict[str, FieldCheck]:
    """The checks of a record's fields, each made of the field's type and of its own."""
    found = _CHECKS.get(kind)
    if found is None:
        hints = get_type_hints(kind, include_extras=True)
        found = _CHECKS[kind] = {name: _both(check_of(hints[name]), field) for name, field in kind.model_fields.items()}
    return found


def _both(of_type: FieldCheck, field: Field) -> FieldCheck:
    return of_type if type(field) is Field else lambda value: field.check(of_type(value))
