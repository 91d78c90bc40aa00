"""The form of a setting and of a section, types beyond plain ones, and the rules by which errors name them.

A value of the environment is text, one of `config.toml` has a type; both mean the same setting.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

from mcp_reflect.config.masking import mask_secrets
from mcp_reflect.domain.record import REQUIRED, Field, Record

_TRUE = {"true", "1", "yes", "on", "t", "y"}
_FALSE = {"false", "0", "no", "off", "f", "n"}


class Secret:
    """A text that is shown as asterisks."""

    def __init__(self, value: str) -> None:
        self._value = value

    def get_secret_value(self) -> str:
        """Return the text itself."""
        return self._value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and other._value == self._value

    def __hash__(self) -> int:
        return hash(self._value)

    def __repr__(self) -> str:
        return "Secret('**********')"


def _float(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, str | int | float) or not math.isfinite(number := float(value)):
        raise ValueError("a number")
    return number


def _int(value: Any) -> int:
    number = _float(value)
    if not number.is_integer():
        raise ValueError("a whole number")
    return int(value) if isinstance(value, int) else int(number)


def _bool(value: Any) -> bool:
    told = str(value).lower()
    if told not in _TRUE | _FALSE:
        raise ValueError("true or false")
    return told in _TRUE


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError("text")  # noqa: TRY004 - every check raises ValueError alone
    text = value.strip()
    if not text.isprintable():
        raise ValueError("without control characters")
    return text


def _http_url(value: Any) -> str:
    text = _text(value)
    parts = urlsplit(text)
    if text and (parts.scheme not in {"http", "https"} or not parts.hostname or parts.port == 0):
        raise ValueError(HTTP_URL)
    return text.rstrip("/")


def _ledger_url(value: Any) -> str:
    text = _text(value)
    if text and not re.match(r"[a-z][a-z0-9_]*(\+[a-z0-9_]+)?://", text):
        raise ValueError("a SQLAlchemy URL")
    return text


def _folder(value: Any) -> Path:
    return value if isinstance(value, Path) else Path(_text(value))


def _secret(value: Any) -> Secret:
    if not isinstance(value, str):
        raise ValueError("text")  # noqa: TRY004 - as above
    return Secret(value)


FRACTION = "a number from 0 to 1"
HTTP_URL = "an address like http://localhost:8000"

Float = Annotated[float, _float]
Int = Annotated[int, _int]
Bool = Annotated[bool, _bool]
Text = Annotated[str, _text]
HttpUrl = Annotated[str, _http_url]
LedgerUrl = Annotated[str, _ledger_url]
Folder = Annotated[Path, _folder]
SecretText = Annotated[Secret, _secret]


@dataclass(frozen=True, kw_only=True)
class Setting(Field):
    """A field of a section with what people are told of it, and its bounds: least, most, above, and of its length.

    `rule` completes 'must be'; `shown` stands for the default.
    """

    meaning: str
    rule: str
    shown: str
    ge: float | None = None
    le: float | None = None
    gt: float | None = None
    min_length: int | None = None
    max_length: int | None = None

    def check(self, value: Any) -> Any:
        """Return a value that lies within the bounds. Raises ValueError for another one."""
        if value is not None and not (self._is_in_range(value) and self._has_right_length(value)):
            raise ValueError(self.rule)
        return value

    def _is_in_range(self, value: Any) -> bool:
        return (
            (self.ge is None or value >= self.ge)
            and (self.le is None or value <= self.le)
            and (self.gt is None or value > self.gt)
        )

    def _has_right_length(self, value: Any) -> bool:
        return (self.min_length is None or len(value) >= self.min_length) and (
            self.max_length is None or len(value) <= self.max_length
        )


def setting(default: Any, meaning: str, rule: str, *, shown: str = "", **bounds: Any) -> Any:
    """Return a field with what people are told of it: `rule` completes 'must be', `shown` stands for the default.

    A default of `...` makes the setting required.
    """
    shown = shown or (f"{default:g}" if isinstance(default, float) else str(default))
    default = REQUIRED if default is ... else default
    return Setting(default=default, meaning=meaning, rule=rule, shown=shown, **bounds)


class Section(Record):
    """A section of the settings; secrets are masked where it is shown."""

    def __repr__(self) -> str:
        shown = {name: vars(self)[name] for name in self.model_fields}
        masked = (
            f"{name}={mask_secrets(value)!r}" if isinstance(value, str) else f"{name}={value!r}"
            for name, value in shown.items()
        )
        return f"{type(self).__name__}({', '.join(masked)})"
