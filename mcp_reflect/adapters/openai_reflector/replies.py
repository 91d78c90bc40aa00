"""Parsing of chat completions: text, refusal and token counts.

Own pydantic models read them, because servers that call themselves compatible omit fields, send null, or put an error
into a response with status 200.
"""

from __future__ import annotations

import math
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, Field, ValidationError

from mcp_reflect.application.ports import Usage
from mcp_reflect.domain.limits import CHARS_PER_TOKEN

_TOKENS_PER_CHAR = 4
"""Upper bound: a character has up to four bytes, and a token at least one."""
_INSTRUCTIONS = 10_000
"""Tokens that a server may add to a prompt: its own instructions, the schema of the answer."""
_THOUGHTS = 200_000
"""Tokens that a reasoning model may think before it answers; they are counted and not shown."""

M = TypeVar("M", bound=BaseModel)


class Reply:
    """A parsed chat completion.

    `text` is empty for an answer without text. `refused` is true where only the field `refusal` holds something.
    """

    def __init__(self, body: bytes) -> None:
        message = _read(_Reply, body).message
        self.text = message.text
        self.refused = bool(message.refusal) and not self.text
        self._counts = _read(_Accounted, body).usage

    def usage(self, prompt: str) -> Usage:
        """Return the tokens used: the server's counts where they are plausible, otherwise estimates."""
        return Usage(
            _counted(self._counts.prompt_tokens, prompt, _INSTRUCTIONS),
            _counted(self._counts.completion_tokens, self.text, _THOUGHTS),
        )


def estimated(text: str) -> int:
    """Return the estimated number of tokens of a text, by CHARS_PER_TOKEN."""
    return math.ceil(len(text) / CHARS_PER_TOKEN)


def _counted(tokens: int, text: str, unseen: int) -> int:
    return tokens if 0 < tokens <= _TOKENS_PER_CHAR * len(text) + unseen else estimated(text)


class _Message(BaseModel):
    content: Any = None
    refusal: Any = None

    @property
    def text(self) -> str:
        """The text of the message; of a content in parts only the parts of type `text`, because others are thoughts."""
        if isinstance(self.content, list):
            parts = (part.get("text") for part in self.content if isinstance(part, dict) and part.get("type") == "text")
            return "".join(part for part in parts if isinstance(part, str))
        return self.content if isinstance(self.content, str) else ""


class _Choice(BaseModel):
    message: _Message = _Message()


class _Reply(BaseModel):
    choices: list[_Choice] = []

    @property
    def message(self) -> _Message:
        """Return the first answer."""
        return self.choices[0].message if self.choices else _Message()


class _Counts(BaseModel):
    prompt_tokens: Annotated[int, Field(ge=0)] = 0
    completion_tokens: Annotated[int, Field(ge=0)] = 0


class _Accounted(BaseModel):
    usage: _Counts = _Counts()


def _read(shape: type[M], body: bytes) -> M:
    """Return a JSON body as `shape`, or an empty `shape` where the body does not match it."""
    try:
        return shape.model_validate_json(body)
    except ValidationError:
        return shape()
