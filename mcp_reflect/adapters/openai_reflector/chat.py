"""Client of a chat completions server; translates its errors into ReflectorError.

Only this module and `bounded_http` import the vendor's client for chat completions.
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
"""Error class by the name of the client's exception, without importing it; an HTTP status takes precedence."""

_PASSING = frozenset({408, 409, 425, 429})
"""HTTP statuses below 500 after which a retry may succeed."""

_FORMAT_REFUSED = frozenset({400, 404, 422})
"""HTTP statuses by which servers refuse an unknown response_format; their messages have nothing in common."""

_KEY = re.compile(r"(?=.*\d).{8,}|.{16,}")
"""Pattern of real keys. `ollama` or `not-needed`, given to local servers as placeholders, may occur in answers."""

CUT_OFF = frozenset({"ReadError", "ReadTimeout", "RemoteProtocolError", "DecodingError", "AnswerTooLong"})
"""Names of exceptions that are raised after the server received the prompt, whose tokens are therefore counted."""

_IDENTIFIER = re.compile(r"[A-Za-z][\w.-]{0,63}")


@dataclass(frozen=True)
class Schema:
    """A named JSON schema of an answer."""

    name: str
    body: Mapping[str, object]


class FormatRefused(ReflectorRefused):
    """The request was refused, perhaps only for its response_format."""


class ChatServer:
    """A model on a server. `str()` shows model and host, without credentials."""

    def __init__(self, model: str, base_url: str | None, api_key: str | None, timeout_s: float) -> None:
        self._model = model
        self._base_url = base_url or OPENAI_URL
        self._api_key = SecretStr((api_key or "").strip())
        self._timeout_s = timeout_s

    def __str__(self) -> str:
        return f"{self._model} at {urlsplit(self._base_url).netloc.rpartition('@')[2]}"

    def load(self) -> None:
        """Import the vendor's client. It takes most of a second, which must not count towards a time limit."""
        import mcp_reflect.adapters.bounded_http  # noqa: F401, PLC0415 - heavy, only with this reflector

    @asynccontextmanager
    async def connect(self) -> AsyncIterator[Conversation]:
        """Yield a connection to the server. Raises ReflectorRefused for an address or key that the client rejects."""
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
    """Sends requests over one connection."""

    def __init__(self, name: str, model: str, client: AsyncOpenAI, api_key: SecretStr) -> None:
        self._name = name
        self._model = model
        self._client = client
        self._api_key = api_key

    async def ask(self, prompt: str, spend: Callable[[Usage], None], *, schema: Schema | None) -> str:
        """Send a prompt and return the text of the answer, empty for an answer without text.

        With a `schema` the server is asked to enforce it. `spend` receives the tokens used. Raises ReflectorBusy or
        ReflectorRefused; FormatRefused where the server may have refused only the `schema`.
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
            raise self.translate(error) from error
        reply = Reply(response.content)
        spend(reply.usage(prompt))
        if reply.refused:
            raise ReflectorRefused(f"{self._name}: the model declined to answer")
        return self._without_key(reply.text)

    def translate(self, error: OpenAIError) -> ReflectorError:
        """Return the ReflectorError for an exception of the client.

        The message leaves out the server's text, which may echo the prompt or the key.
        """
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
        """Return an answer with the API key redacted: a server may echo it, and answers are stored."""
        key = self._api_key.get_secret_value()
        return answer.replace(key, "[redacted:api-key]") if _KEY.fullmatch(key) else answer

    def _is_safe(self, word: object) -> bool:
        """Return true for a plain identifier such as invalid_api_key that does not contain the API key."""
        key = self._api_key.get_secret_value()
        return isinstance(word, str) and bool(_IDENTIFIER.fullmatch(word)) and not (key and key in word)


def retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """Return the seconds that a server asks to wait, None where it does not.

    Read from `retry-after-ms`, else from `Retry-After` in seconds or as an HTTP date.
    """
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
