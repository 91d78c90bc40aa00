"""The form of a setting and of a section, types beyond plain ones, and the rules by which errors name them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from mcp_reflect.config.masking import mask_secrets


def _no_bool(value: Any) -> Any:
    if isinstance(value, bool):
        raise ValueError("true and false are no numbers")  # noqa: TRY004 - pydantic reports ValueError only
    return value


def _text(value: str) -> str:
    value = value.strip()
    if not value.isprintable():
        raise ValueError("control characters")
    return value


def _http_url(value: str) -> str:
    parts = urlsplit(value)
    if value and (parts.scheme not in {"http", "https"} or not parts.hostname or parts.port == 0):
        raise ValueError("no http address")
    return value.rstrip("/")


def _ledger_url(value: str) -> str:
    if value and not re.match(r"[a-z][a-z0-9_]*(\+[a-z0-9_]+)?://", value):
        raise ValueError("no SQLAlchemy URL")
    return value


Float = Annotated[float, BeforeValidator(_no_bool), Field(allow_inf_nan=False)]
Int = Annotated[int, BeforeValidator(_no_bool)]
Text = Annotated[str, AfterValidator(_text)]
HttpUrl = Annotated[Text, AfterValidator(_http_url)]
LedgerUrl = Annotated[Text, AfterValidator(_ledger_url)]
FRACTION = "a number from 0 to 1"
HTTP_URL = "an address like http://localhost:8000"


def setting(default: Any, meaning: str, rule: str, *, shown: str = "", **bounds: Any) -> Any:
    """Return a field with what people are told of it: `rule` completes 'must be', `shown` stands for the default."""
    shown = shown or (f"{default:g}" if isinstance(default, float) else str(default))
    return Field(default, description=meaning, json_schema_extra={"rule": rule, "shown": shown}, **bounds)


class Section(BaseModel):
    """A section of the settings; secrets are masked where it is shown."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    def __repr_args__(self) -> Iterable[tuple[str | None, Any]]:
        for name, value in super().__repr_args__():
            yield name, mask_secrets(value) if isinstance(value, str) else value
