"""One request to a chat completions server: what goes out, what comes back, and what its errors mean here.

Beside `bounded_http` the only module here that sees the vendor's client.
"""

from __future__ import annotations

import asyncio
import math
import re
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pydantic import SecretStr

from mcp_reflect.adapters.openai_reflector.replies import Reply, estimated
from mcp_reflect.application.ports import Usage
from mcp_reflect.errors import ReflectorBusy, ReflectorError, ReflectorRefused

if TYPE_CHECKING:
    from openai import AsyncOpenAI, OpenAIError
    from openai.types.shared_params import ResponseFormatJSONSchema

OPENAI_URL = "https://api.openai.com/v1"

TRANSLATIONS: Mapping[str, type[ReflectorError]] = {
    "OpenAIError": ReflectorRefused,  # the client's own complaint about how it was set up
    "APIError": ReflectorBusy,
    "APIConnectionError": ReflectorBusy,
    "APITimeoutError": ReflectorBusy,
    "APIResponseValidationError": ReflectorBusy,
    "LengthFinishReasonError": ReflectorBusy,
    "ContentFilterFinishReasonError": ReflectorRefused,
    "SubjectTokenProviderError": ReflectorRefused,
    "WebSocketConnectionClosedError": ReflectorBusy,
    "WebSocketQueueFullError": ReflectorBusy,
}
"""The client's exceptions by name, so that they need not be imported; one with an HTTP status goes by that."""

_PASSING = frozenset({408, 409, 425, 429})
"""Statuses below 500 that mean: not now."""

_FORMAT_REFUSED = frozenset({400, 404, 422})
"""How servers answer a response_format they do not know; their words about it have nothing in common."""

_KEY = re.compile(r"(?=.*\d).{8,}|.{16,}")
"""Not `ollama` or `not-needed`, which local servers are given for want of a key and answers may well hold."""

CUT_OFF = frozenset({"ReadError", "ReadTimeout", "RemoteProtocolError", "DecodingError", "AnswerTooLong"})
"""What goes wrong when the server has the prompt already, by name like TRANSLATIONS."""

_IDENTIFIER = re.compile(r"[A-Za-z][\w.-]{0,63}")


@dataclass(frozen=True)
class Schema:
    """What an answer must look like, as a JSON schema with a name."""

    name: str
    body: Mapping[str, object]


class FormatRefused(ReflectorRefused):
    """The request was refused, perhaps only for its response_format."""


class ChatServer:
    """A model behind an address; shown as both, without credentials."""

    def __init__(self, model: str, base_url: str | None, api_key: str | None, timeout_s: float) -> None:
        self._model = model
        self._base_url = base_url or OPENAI_URL
        self._api_key = SecretStr((api_key or "").strip())
        self._timeout_s = timeout_s

    def __str__(self) -> str:
        return f"{self._model} at {urlsplit(self._base_url).netloc.rpartition('@')[2]}"

    def load(self) -> None:
        """Import the client, which takes most of a second, before anyone looks at the clock."""
        import mcp_reflect.adapters.bounded_http  # noqa: F401, PLC0415 - heavy, only with this reflector

    @asynccontextmanager
    async def connect(self) -> AsyncIterator[Conversation]:
        """Raises ReflectorRefused where the client cannot be set up with this address and key."""
        from openai import AsyncOpenAI  # noqa: PLC0415 - as above

        from mcp_reflect.adapters.bounded_http import BoundedClient  # noqa: PLC0415 - as above

        key = self._api_key.get_secret_value()
        if not key.isascii() or not key.isprintable():
            raise ReflectorRefused(f"{self}: the API key holds characters that no key has")
        try:
            # The client insists on a key; servers that need none ignore this one.
            client = AsyncOpenAI(
                api_key=key or "none",
                base_url=self._base_url,
                timeout=self._timeout_s,
                max_retries=0,
                http_client=BoundedClient(),
            )
        except Exception as error:
            # It checks address, proxies and certificates of the environment, each with an error of another family.
            raise ReflectorRefused(f"{self}: the client cannot be set up ({type(error).__name__})") from error
        async with client:
            yield Conversation(str(self), self._model, client, self._api_key)


class Conversation:
    """Requests over one connection."""

    def __init__(self, name: str, model: str, client: AsyncOpenAI, api_key: SecretStr) -> None:
        self._name = name
        self._model = model
        self._client = client
        self._api_key = api_key

    async def ask(self, prompt: str, spend: Callable[[Usage], None], *, schema: Schema | None) -> str:
        """The text of one answer, empty for an answer without text; the server is told to keep to `schema`.

        Raises ReflectorBusy or ReflectorRefused.
        """
        from openai import OpenAIError, omit  # noqa: PLC0415 - loaded already

        try:
            # Reasoning models refuse temperature and max_tokens, so neither is sent.
            response = await self._client.chat.completions.with_raw_response.create(
                model=self._model,
                messages=[{"role": "user", "content": prompt}],
                response_format=omit if schema is None else _response_format(schema),
            )
        except asyncio.CancelledError:
            spend(Usage(estimated(prompt), 0))
            raise
        except OpenAIError as error:
            if CUT_OFF & {type(error).__name__, type(error.__cause__).__name__}:
                spend(Usage(estimated(prompt), 0))
            raise self.translated(error) from error
        reply = Reply(response.content)
        spend(reply.usage(prompt))
        if reply.refused:
            raise ReflectorRefused(f"{self._name}: the model declined to answer")
        return self._without_key(reply.text)

    def translated(self, error: OpenAIError) -> ReflectorError:
        """What an exception of the client means for the caller; the server's words stay out, they may echo ours."""
        from openai import APIStatusError  # noqa: PLC0415 - loaded already

        if not isinstance(error, APIStatusError):
            kind = next(TRANSLATIONS[base.__name__] for base in type(error).__mro__ if base.__name__ in TRANSLATIONS)
            return kind(f"{self._name}: {type(error).__name__}")
        status = error.status_code
        message = f"{self._name}: HTTP {status}"
        for word in (error.code, error.type):
            if self._is_safe(word):
                message += f", {word}"
        if status in _PASSING or status >= 500:  # noqa: PLR2004 - 5xx: the server's own trouble
            return ReflectorBusy(message, retry_after(error.response.headers, datetime.now(UTC)))
        return (FormatRefused if status in _FORMAT_REFUSED else ReflectorRefused)(message)

    def _without_key(self, answer: str) -> str:
        """A server may echo what it was sent, and answers are stored."""
        key = self._api_key.get_secret_value()
        return answer.replace(key, "[redacted:api-key]") if _KEY.fullmatch(key) else answer

    def _is_safe(self, word: object) -> bool:
        """Whether a server's word is a plain identifier such as invalid_api_key, and not the key itself."""
        key = self._api_key.get_secret_value()
        return isinstance(word, str) and bool(_IDENTIFIER.fullmatch(word)) and not (key and key in word)


def retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """Seconds to wait as the server asks for: `retry-after-ms`, or `Retry-After` in seconds or as an HTTP date."""
    milliseconds = _number(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1_000
    value = headers.get("retry-after", "")
    seconds = _number(value)
    if seconds is not None:
        return seconds
    try:
        date = parsedate_to_datetime(value)
    except (ValueError, OverflowError):
        return None
    return max((date.replace(tzinfo=date.tzinfo or UTC) - now).total_seconds(), 0.0)


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) and number >= 0 else None


def _response_format(schema: Schema) -> ResponseFormatJSONSchema:
    return {"type": "json_schema", "json_schema": {"name": schema.name, "strict": True, "schema": dict(schema.body)}}
