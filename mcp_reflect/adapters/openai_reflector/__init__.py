"""Reflections from an OpenAI-compatible server.

One call asks up to three times, each time for less: JSON that the server enforces, JSON in the text of the answer,
plain prose. Trying again later is the business of the caller's queue, so every request is sent once.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from mcp_reflect.adapters.openai_reflector.chat import ChatServer, Conversation, FormatRefused
from mcp_reflect.adapters.openai_reflector.schemas import INSIGHTS, JUDGING_REFLECTION, REFLECTION
from mcp_reflect.application.ports import Usage
from mcp_reflect.domain.models import Author, InsightDraft, Material, ReflectionDraft
from mcp_reflect.domain.reflection.model_answers import ANSWER_FORMS, AnswerForm, read_answer
from mcp_reflect.domain.trajectory.run import ReviewedRun
from mcp_reflect.errors import ReflectorBusy, ReflectorError

MAX_PROMPT_CHARS = 24_000
"""About 6,000 tokens: what the 8,192 that many local servers are started with hold, with room for an answer."""

_GRACE_S = 1.0
"""What cutting a connection off may take; the lookup of a host's name, for one, cannot be interrupted."""

T = TypeVar("T")


class Questions(Protocol):
    """Where the prompts come from."""

    def prompt(self, run: ReviewedRun, *, form: AnswerForm, max_chars: int) -> str: ...

    def insights_prompt(self, material: Material, *, max_chars: int) -> str: ...

    def insights(self, answer: str, material: Material) -> list[InsightDraft]: ...


@dataclass
class _Attempt:
    """What one `reflect()` has brought so far; it outlives being cut off."""

    usages: list[Usage] = field(default_factory=list)
    prose: ReflectionDraft = field(default_factory=ReflectionDraft)


class OpenAIReflector:
    """A Reflector that asks `model` at `base_url`, which ends before `/chat/completions`; None is OpenAI's own.

    `timeout_s` bounds a whole `reflect()`. `spend` is told the tokens of every request, estimated where the server does
    not count them; of a request that was cut off, those of its prompt. Safe for threads.
    """

    def __init__(
        self,
        model: str,
        base_url: str | None,
        api_key: str | None,
        timeout_s: float,
        prompts: Questions,
        spend: Callable[[Usage], None] | None = None,
        max_prompt_chars: int = MAX_PROMPT_CHARS,
    ) -> None:
        self._server = ChatServer(model, base_url, api_key, timeout_s)
        self._timeout_s = timeout_s
        self._prompts = prompts
        self._spend = spend
        self._max_prompt_chars = max_prompt_chars
        self._enforces_json = True

    def __repr__(self) -> str:
        return f"OpenAIReflector({self._server})"

    @property
    def author(self) -> Author:
        return "llm"

    def reflect(self, run: ReviewedRun) -> ReflectionDraft:
        """A draft that is not empty; its `text` is set where the model gave prose only.

        Raises ReflectorBusy for a time-out, a refused or lost connection, HTTP 408, 409, 425, 429 and 5xx and for
        answers that hold nothing, ReflectorRefused for other statuses, a model that declines and a setup that cannot
        work. The messages hold no word of the prompt, the answer or the key.
        """
        self._server.load()
        attempt = _Attempt()
        try:
            return _within(self._timeout_s, lambda: self._converse(run, attempt))
        except TimeoutError as error:
            if attempt.prose.is_empty:
                raise ReflectorBusy(f"{self._server}: no answer within {self._timeout_s:g} s") from error
        except ReflectorError:
            if attempt.prose.is_empty:
                raise
        finally:
            self._account(attempt)
        return attempt.prose  # Words in hand are worth more than the error that came of asking for better ones.

    def insights(self, material: Material) -> list[InsightDraft]:
        """What the runs have in common; at least one insight. Raises as `reflect` does."""
        self._server.load()
        attempt = _Attempt()
        try:
            return _within(self._timeout_s, lambda: self._compare(material, attempt))
        except TimeoutError as error:
            raise ReflectorBusy(f"{self._server}: no answer within {self._timeout_s:g} s") from error
        finally:
            self._account(attempt)

    async def _compare(self, material: Material, attempt: _Attempt) -> list[InsightDraft]:
        prompt = self._prompts.insights_prompt(material, max_chars=self._max_prompt_chars)
        async with self._server.connect() as conversation:
            for schema in (INSIGHTS, None) if self._enforces_json else (None,):
                try:
                    answer = await conversation.ask(prompt, attempt.usages.append, schema=schema)
                except FormatRefused:
                    if schema is None:
                        raise
                    continue
                drafts = self._prompts.insights(answer, material)
                if drafts:
                    return drafts
        raise ReflectorBusy(f"{self._server}: the answer held no insight with a run as evidence")

    async def _converse(self, run: ReviewedRun, attempt: _Attempt) -> ReflectionDraft:
        async with self._server.connect() as conversation:
            forms = ANSWER_FORMS if self._enforces_json else ANSWER_FORMS[1:]
            refused = False
            for form in forms:
                try:
                    answer = await self._ask(conversation, run, form, attempt)
                except FormatRefused:
                    if form != "structured":
                        raise
                    refused = True
                    continue
                if refused:
                    # It answers without response_format, so that was what it refused: do not send it again.
                    self._enforces_json = False
                draft = _fitting(read_answer(answer), run)
                if not draft.is_empty and not draft.text:
                    return draft
                if not draft.is_empty:
                    attempt.prose = draft
        if attempt.prose.is_empty:
            raise ReflectorBusy(f"{self._server}: the answer was empty")
        return attempt.prose

    async def _ask(self, conversation: Conversation, run: ReviewedRun, form: AnswerForm, attempt: _Attempt) -> str:
        prompt = self._prompts.prompt(run, form=form, max_chars=self._max_prompt_chars)
        schema = JUDGING_REFLECTION if run.retrieved else REFLECTION
        return await conversation.ask(prompt, attempt.usages.append, schema=schema if form == "structured" else None)

    def _account(self, attempt: _Attempt) -> None:
        if self._spend is not None:
            for usage in tuple(attempt.usages):
                self._spend(usage)


def _fitting(draft: ReflectionDraft, run: ReviewedRun) -> ReflectionDraft:
    """A run that passed has no key mistake, whatever a model makes up to fill the field."""
    return draft.model_copy(update={"key_mistake": ""}) if run.review.result == "pass" else draft


def _within(seconds: float, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """The result of `work`, cut off after `seconds`; raises TimeoutError then.

    Only a task that is cancelled stops a server that keeps sending a byte now and then, and only a thread of its own
    lets the caller go on where cancelling takes long.
    """
    outcome: Future[T] = Future()

    async def bounded() -> T:
        async with asyncio.timeout(seconds):
            return await work()

    def run() -> None:
        try:
            outcome.set_result(asyncio.run(bounded()))
        except BaseException as error:  # noqa: BLE001 - whatever it is, it is the waiting thread's
            outcome.set_exception(error)

    threading.Thread(target=run, name="mcp-reflect-llm", daemon=True).start()
    return outcome.result(seconds + _GRACE_S)
