"""The types of settings beyond plain ones, and the rules by which errors name them."""

from __future__ import annotations

import re
from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, Field


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
