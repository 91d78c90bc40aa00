"""Reflections and insights from an OpenAI-compatible server.

One call asks up to three times, each time with a weaker demand: JSON that the server enforces, JSON in the text of the
answer, plain prose. Every request is sent once; the caller's job queue retries later.
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
from mcp_reflect.domain.reflection.model_answers import ANSWER_FORMS, AnswerForm
from mcp_reflect.domain.trajectory.run import ReviewedRun
from mcp_reflect.errors import ReflectorBusy, ReflectorError

_GRACE_S = 1.0
"""Seconds allowed for cancelling a request; a DNS lookup, for example, cannot be interrupted."""

T = TypeVar("T")


class Questions(Protocol):
    """Renders prompts and reads the answers to them."""

    def prompt(self, run: ReviewedRun, *, form: AnswerForm) -> str:
        """Return the question about a run; `form` is how the answer is asked for. Raises ReflectorRefused."""
        ...

    def draft(self, answer: str, run: ReviewedRun) -> ReflectionDraft:
        """Return the reflection in an answer; empty where it holds none."""
        ...

    def insights_prompt(self, material: Material) -> str:
        """Return the question about many runs. Raises ReflectorRefused."""
        ...

    def insights(self, answer: str, material: Material) -> list[InsightDraft]:
        """Return the insights in an answer that name runs of the material as evidence."""
        ...


@dataclass
class _Attempt:
    """The tokens used and the prose obtained in one call; kept when the call times out."""

    usages: list[Usage] = field(default_factory=list)
    prose: ReflectionDraft = field(default_factory=ReflectionDraft)


class OpenAIReflector:
    """A Reflector that asks a model on an OpenAI-compatible server. Thread-safe.

    `base_url` ends before `/chat/completions`; None is OpenAI's own server. `timeout_s` bounds a whole call in seconds.
    `spend` receives the tokens of every request, estimated where the server does not count them; of a request that was
    cut off, those of its prompt.
    """

    def __init__(
        self,
        model: str,
        base_url: str | None,
        api_key: str | None,
        timeout_s: float,
        prompts: Questions,
        spend: Callable[[Usage], None] | None = None,
    ) -> None:
        self._server = ChatServer(model, base_url, api_key, timeout_s)
        self._timeout_s = timeout_s
        self._prompts = prompts
        self._spend = spend
        self._enforces_json = True

    def __repr__(self) -> str:
        return f"OpenAIReflector({self._server})"

    @property
    def author(self) -> Author:
        """Return "llm", the author of its reflections."""
        return "llm"

    def reflect(self, run: ReviewedRun) -> ReflectionDraft:
        """Return the model's reflection on a run, never empty; its `text` is set where the model gave prose only.

        Raises ReflectorBusy for a time-out, a refused or lost connection, HTTP 408, 409, 425, 429 and 5xx, and for
        empty answers. Raises ReflectorRefused for other statuses, a model that declines and an unusable setup. The
        messages contain no text of the prompt, the answer or the key.
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
        return attempt.prose  # An error while asking for a better form does not discard the prose obtained before.

    def insights(self, material: Material) -> list[InsightDraft]:
        """Return at least one insight into what the runs have in common. Raises as `reflect` does."""
        self._server.load()
        attempt = _Attempt()
        try:
            return _within(self._timeout_s, lambda: self._compare(material, attempt))
        except TimeoutError as error:
            raise ReflectorBusy(f"{self._server}: no answer within {self._timeout_s:g} s") from error
        finally:
            self._account(attempt)

    async def _compare(self, material: Material, attempt: _Attempt) -> list[InsightDraft]:
        prompt = self._prompts.insights_prompt(material)
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
                    # The server answers without response_format, so this is what it refused; never send it again.
                    self._enforces_json = False
                draft = self._prompts.draft(answer, run)
                if not draft.is_empty and not draft.text:
                    return draft
                if not draft.is_empty:
                    attempt.prose = draft
        if attempt.prose.is_empty:
            raise ReflectorBusy(f"{self._server}: the answer was empty")
        return attempt.prose

    async def _ask(self, conversation: Conversation, run: ReviewedRun, form: AnswerForm, attempt: _Attempt) -> str:
        prompt = self._prompts.prompt(run, form=form)
        schema = JUDGING_REFLECTION if run.retrieved else REFLECTION
        return await conversation.ask(prompt, attempt.usages.append, schema=schema if form == "structured" else None)

    def _account(self, attempt: _Attempt) -> None:
        if self._spend is not None:
            for usage in tuple(attempt.usages):
                self._spend(usage)


def _within(seconds: float, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Return the result of `work`; raise TimeoutError after `seconds`.

    The task is cancelled, because time limits of single reads never end a response that sends a byte now and then. It
    runs in a thread of its own, so that the caller continues even where cancelling takes long.
    """
    outcome: Future[T] = Future()

    async def bounded() -> T:
        async with asyncio.timeout(seconds):
            return await work()

    def run() -> None:
        try:
            outcome.set_result(asyncio.run(bounded()))
        except BaseException as error:  # noqa: BLE001 - raised again in the waiting thread
            outcome.set_exception(error)

    threading.Thread(target=run, name="mcp-reflect-llm", daemon=True).start()
    return outcome.result(seconds + _GRACE_S)
