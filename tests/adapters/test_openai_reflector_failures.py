"""What the failures of a model server become, over real HTTP: in time, in our own errors, without a secret."""

from __future__ import annotations

import gzip
import json
import logging
import traceback
from collections.abc import Iterator
from datetime import UTC, datetime

import httpx2
import openai
import pytest

from mcp_reflect.adapters import bounded_http
from mcp_reflect.adapters.openai_reflector import OpenAIReflector
from mcp_reflect.adapters.openai_reflector.chat import CUT_OFF, TRANSLATIONS, retry_after
from mcp_reflect.adapters.prompts import Prompts
from mcp_reflect.application.ports import Usage
from mcp_reflect.errors import ReflectorBusy, ReflectorRefused
from tests.support.asking import KEY, TASK, a_run, asking
from tests.support.llm_server import (
    WORDS,
    Answer,
    LLMServer,
    Request,
    broken,
    closed_url,
    drip,
    endless,
    hang,
    llm_server,
    raw,
    reflection,
    says,
    status,
)


@pytest.fixture
def server() -> Iterator[LLMServer]:
    with llm_server() as running:
        yield running


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry_after": "7"}, 7.0),
        ({"retry_after": "1.5"}, 1.5),
        ({"retry_after_ms": "250", "retry_after": "1"}, 0.25),
        ({"retry_after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0.0),
        ({"retry_after": "soon"}, None),
        ({"retry_after": "-3"}, None),
        ({"retry_after": "nan"}, None),
        ({}, None),
    ],
)
def test_a_rate_limit_is_busy_for_as_long_as_the_server_says(
    server: LLMServer, headers: dict[str, str], seconds: float | None
) -> None:
    server.default(status(429, error_code="rate_limit_exceeded", **headers))
    with pytest.raises(ReflectorBusy, match="HTTP 429, rate_limit_exceeded") as caught:
        asking(server).reflect(a_run())
    assert caught.value.retry_after == seconds
    assert len(server.requests) == 1


def test_a_date_to_retry_at_counts_from_now() -> None:
    now = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
    assert retry_after({"retry-after": "Sat, 21 Nov 2026 12:01:30 GMT"}, now) == 90.0
    assert retry_after({"retry-after": "Sat, 21 Nov 999999999999 12:01:30 GMT"}, now) is None


@pytest.mark.parametrize("code", [408, 409, 425, 500, 502, 503, 529])
def test_trouble_of_the_server_is_busy(server: LLMServer, code: int) -> None:
    server.default(status(code, retry_after="3"))
    with pytest.raises(ReflectorBusy, match=f"HTTP {code}") as caught:
        asking(server).reflect(a_run())
    assert caught.value.retry_after == 3.0
    assert len(server.requests) == 1


@pytest.mark.parametrize("code", [400, 401, 402, 403, 404, 413, 422])
def test_a_refusal_is_final(server: LLMServer, code: int) -> None:
    server.default(status(code, error_code="model_not_found"))
    with pytest.raises(ReflectorRefused, match=f"HTTP {code}, model_not_found"):
        asking(server).reflect(a_run())
    assert len(server.requests) == (2 if code in {400, 404, 422} else 1)


def test_a_model_that_declines_is_asked_once_and_its_words_stay_out(server: LLMServer) -> None:
    spent: list[Usage] = []
    server.default(says(None, refusal=f"I cannot help with: {TASK}"))
    with pytest.raises(ReflectorRefused, match="declined") as caught:
        asking(server, spend=spent.append).reflect(a_run())
    assert TASK not in str(caught.value)
    assert spent == [Usage(100, 20)]
    assert len(server.requests) == 1


def test_words_beside_a_refusal_are_taken(server: LLMServer) -> None:
    server.default(says(json.dumps(WORDS), refusal="I would rather not."))
    assert asking(server).reflect(a_run()).summary == WORDS["summary"]


@pytest.mark.slow
def test_a_hang_is_cut_off_in_time_and_its_prompt_is_accounted(server: LLMServer) -> None:
    spent: list[Usage] = []
    server.default(hang())
    with pytest.raises(ReflectorBusy, match="no answer within 2 s"):
        asking(server, 2, spend=spent.append).reflect(a_run())
    assert [usage.completion for usage in spent] == [0]
    assert spent[0].prompt == pytest.approx(len(server.requests[0].prompt) / 4, abs=1)


@pytest.mark.parametrize("answer", [broken(reflection()), broken(raw(b"")), endless(b" " * 100_000)])
def test_an_answer_that_is_cut_off_costs_its_prompt(server: LLMServer, answer: Answer) -> None:
    spent: list[Usage] = []
    server.default(answer)
    with pytest.raises(ReflectorBusy):
        asking(server, spend=spent.append).reflect(a_run())
    (request,) = server.requests
    (usage,) = spent
    assert usage.prompt == pytest.approx(len(request.prompt) / 4, abs=1)
    assert usage.completion == 0


def test_a_server_that_cannot_be_reached_costs_nothing() -> None:
    spent: list[Usage] = []
    with pytest.raises(ReflectorBusy):
        asking(closed_url(), spend=spent.append).reflect(a_run())
    assert spent == []


@pytest.mark.slow
def test_a_server_that_drips_is_cut_off_like_one_that_hangs(server: LLMServer) -> None:
    server.default(drip(reflection(), 0.05))
    with pytest.raises(ReflectorBusy, match="no answer within 2 s"):  # in its whole length it would be taken
        asking(server, 2).reflect(a_run())


@pytest.mark.slow
def test_the_time_limit_is_for_the_whole_call(server: LLMServer) -> None:
    limit = 6

    def half_way(_: Request) -> Answer:
        server.wait(limit / 2)
        return says("")

    def too_late(_: Request) -> Answer:  # and in time where each request had the limit for itself
        server.wait(limit * 3 / 4)
        return reflection()

    server.enqueue(half_way, too_late)
    with pytest.raises(ReflectorBusy, match="no answer within 6 s"):
        asking(server, limit).reflect(a_run())


@pytest.mark.parametrize("code", [200, 307, 500])
def test_an_answer_without_end_is_not_read_to_it(server: LLMServer, code: int) -> None:
    server.default(endless(b" " * 100_000, code, Location="/v1/chat/completions"))
    with pytest.raises(ReflectorBusy, match="AnswerTooLong"):
        asking(server).reflect(a_run())
    assert server.sent < 100_000_000  # most of it in the buffers of the network


def test_an_answer_that_unpacks_without_end_is_not_unpacked_to_it(server: LLMServer) -> None:
    server.default(raw(gzip.compress(b" " * 50_000_000), Content_Encoding="gzip"))
    with pytest.raises(ReflectorBusy, match="AnswerTooLong"):
        asking(server).reflect(a_run())
    assert len(server.requests) == 1


def test_a_packed_answer_and_one_at_another_address_are_read(server: LLMServer) -> None:
    packed = reflection()
    elsewhere = raw(b"", 307, Location="/other")
    server.enqueue(elsewhere, raw(gzip.compress(packed.body), Content_Encoding="gzip"))
    assert asking(server).reflect(a_run()).summary == WORDS["summary"]
    assert [request.path for request in server.requests] == ["/v1/chat/completions", "/other"]


def test_a_refused_connection_is_busy() -> None:
    with pytest.raises(ReflectorBusy, match=r"scripted at 127\.0\.0\.1:[0-9]+: APIConnectionError"):
        asking(closed_url()).reflect(a_run())


@pytest.mark.parametrize("key", ["sk-line\nbreak", "sk-ключ"])
def test_a_key_that_cannot_be_sent_is_refused_without_being_shown(server: LLMServer, key: str) -> None:
    reflector = OpenAIReflector("scripted", server.base_url, key, 5, Prompts())
    with pytest.raises(ReflectorRefused, match="API key") as caught:
        reflector.reflect(a_run())
    assert key not in "".join(traceback.format_exception(caught.value))
    assert server.requests == []


def test_an_address_that_is_none_is_refused() -> None:
    with pytest.raises(ReflectorRefused, match="cannot be set up"):
        asking("http://host:port/v1").reflect(a_run())


@pytest.mark.parametrize("code", [401, 429, 500])
def test_errors_hold_neither_the_key_nor_the_prompt(server: LLMServer, code: int) -> None:
    echo = f"Incorrect API key provided: {KEY}; you sent: {TASK}"
    server.default(status(code, echo, error_code=KEY))
    with pytest.raises((ReflectorBusy, ReflectorRefused)) as caught:
        asking(server).reflect(a_run())
    assert str(caught.value).endswith(f"HTTP {code}, scripted")
    assert isinstance(caught.value.__cause__, openai.APIStatusError)


def test_the_key_is_in_no_representation_and_no_log(server: LLMServer, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    reflector = OpenAIReflector("m", server.base_url.replace("//", "//ada:secret@"), KEY, 5, Prompts())
    reflector.reflect(a_run())
    shown = repr(reflector) + repr(vars(reflector)) + repr(vars(vars(reflector)["_server"])) + str(reflector)
    assert KEY not in shown
    assert "secret" not in repr(reflector)
    assert repr(reflector).startswith("OpenAIReflector(m at 127.0.0.1:")
    assert KEY not in caplog.text
    assert TASK not in caplog.text


def test_a_server_that_needs_no_key_gets_none_of_the_environment(
    server: LLMServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-another-program")
    OpenAIReflector("scripted", server.base_url, None, 5, Prompts()).reflect(a_run())
    assert "sk-of-another-program" not in str(server.requests[0].headers)


def _all_subclasses(kind: type[Exception]) -> set[type[Exception]]:
    return {kind}.union(*map(_all_subclasses, kind.__subclasses__()))


def test_every_exception_of_the_client_has_a_translation() -> None:
    """Those with a status go by that, every other public one by a name of its own."""
    without_status = {
        kind.__name__
        for kind in _all_subclasses(openai.OpenAIError)
        if hasattr(openai._exceptions, kind.__name__) and not issubclass(kind, openai.APIStatusError)
    }
    assert without_status == set(TRANSLATIONS)
    assert set(openai._exceptions.__all__) <= {
        kind.__name__ for kind in (*_all_subclasses(openai.OpenAIError), openai.InvalidWebhookSignatureError)
    }


def test_what_cuts_an_answer_off_is_called_as_the_client_calls_it() -> None:
    assert {name for name in CUT_OFF if not hasattr(httpx2, name)} == {bounded_http.AnswerTooLong.__name__}
