"""An HTTP client of the vendor's that reads no endless answer. Imported where the vendor's client is: it is heavy."""

from __future__ import annotations

from contextlib import aclosing
from typing import Any

from openai import APIConnectionError, DefaultAsyncHttpxClient

LONGEST = 4_000_000
"""Bytes of an answer, unpacked. The longest reflection has about 30,000."""

_REDIRECTS = 5


class AnswerTooLong(APIConnectionError):
    """A body went on beyond LONGEST."""


class BoundedClient(DefaultAsyncHttpxClient):
    """Reads every answer, those that tell of errors included, as far as LONGEST; of a redirect it reads nothing."""

    async def send(self, request: Any, **options: Any) -> Any:
        """The answer with its body read and unpacked. Raises AnswerTooLong."""
        options |= {"stream": True, "follow_redirects": False}
        response = await super().send(request, **options)
        for _ in range(_REDIRECTS):
            if response.next_request is None:
                break
            await response.aclose()
            response = await super().send(response.next_request, **options)
        try:
            body = await _body(response)
        finally:
            await response.aclose()
        headers = response.headers.copy()
        for told in ("content-encoding", "content-length"):  # of the body as it was sent
            headers.pop(told, None)
        return type(response)(response.status_code, headers=headers, content=body, request=response.request)


async def _body(response: Any) -> bytes:
    body = bytearray()
    async with aclosing(response.aiter_bytes()) as parts:
        async for part in parts:
            if len(body) + len(part) > LONGEST:
                body.clear()  # the error that is raised holds on to this frame
                raise AnswerTooLong(request=response.request)
            body += part
    return bytes(body)
