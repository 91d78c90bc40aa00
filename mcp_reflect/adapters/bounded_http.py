"""HTTP clients of the vendor's that read no endless answer. Imported where the vendor's client is: it is heavy."""

from __future__ import annotations

from contextlib import aclosing
from typing import Any

from openai import APIConnectionError, DefaultAsyncHttpxClient, DefaultHttpxClient

LONGEST = 4_000_000
"""Bytes of an answer in words, unpacked. The longest reflection has about 30,000."""

LONGEST_VECTORS = 32_000_000
"""Bytes of an answer in numbers, unpacked: 64 vectors of 8,192 numbers, with 60 characters for each."""

_REDIRECTS = 5
_OPTIONS = {"stream": True, "follow_redirects": False}


class AnswerTooLong(APIConnectionError):
    """A body went on beyond the longest that is read."""


class BoundedClient(DefaultAsyncHttpxClient):
    """Reads every answer, those that tell of errors included, as far as LONGEST; of a redirect it reads nothing."""

    async def send(self, request: Any, **options: Any) -> Any:
        """Return the answer with its body read and unpacked. Raises AnswerTooLong."""
        options |= _OPTIONS
        response = await super().send(request, **options)
        for _ in range(_REDIRECTS):
            if response.next_request is None:
                break
            await response.aclose()
            response = await super().send(response.next_request, **options)
        body = _Body(response, LONGEST)
        try:
            async with aclosing(response.aiter_bytes()) as parts:
                async for part in parts:
                    body.take(part)
        finally:
            await response.aclose()
        return body.response()


class BoundedBlockingClient(DefaultHttpxClient):
    """Reads every answer as BoundedClient does, in blocking calls, as far as LONGEST_VECTORS."""

    def send(self, request: Any, **options: Any) -> Any:
        """Return the answer with its body read and unpacked. Raises AnswerTooLong."""
        options |= _OPTIONS
        response = super().send(request, **options)
        for _ in range(_REDIRECTS):
            if response.next_request is None:
                break
            response.close()
            response = super().send(response.next_request, **options)
        body = _Body(response, LONGEST_VECTORS)
        try:
            for part in response.iter_bytes():
                body.take(part)
        finally:
            response.close()
        return body.response()


class _Body:
    """The part of an answer's body that was read so far."""

    def __init__(self, response: Any, longest: int) -> None:
        self._response = response
        self._longest = longest
        self._read = bytearray()

    def take(self, part: bytes) -> None:
        if len(self._read) + len(part) > self._longest:
            self._read.clear()  # the error that is raised holds on to this
            raise AnswerTooLong(request=self._response.request)
        self._read += part

    def response(self) -> Any:
        """Return the answer as if it had come so."""
        answer = self._response
        headers = answer.headers.copy()
        for told in ("content-encoding", "content-length"):  # of the body as it was sent
            headers.pop(told, None)
        return type(answer)(answer.status_code, headers=headers, content=bytes(self._read), request=answer.request)
