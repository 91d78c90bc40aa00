"""Embeddings from a server: what is asked of it, and what its failures become."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

from mcp_reflect.adapters import bounded_http
from mcp_reflect.adapters.fastembed_embedder import FastembedEmbedder
from mcp_reflect.adapters.openai_embedder import OpenAIEmbedder
from mcp_reflect.errors import ModelUnavailable
from tests.support.embedding_models import embedding_server
from tests.support.llm_server import endless, llm_server, raw
from tests.support.waiting import HANG_S


def test_a_server_gets_the_key_the_model_and_each_text_once() -> None:
    with embedding_server() as (url, requests):
        embedder = OpenAIEmbedder("small", url, "sk-key", HANG_S)
        embedder.embed(["a", "b", "a", ""])
        embedder.embed(["b", "a"])
        embedder.close()
    assert [request["input"] for request in requests] == [["dimension"], ["a", "b"]]
    assert {request["authorization"] for request in requests} == {"Bearer sk-key"}
    assert {(request["path"], request["model"]) for request in requests} == {("/v1/embeddings", "small")}


def test_a_long_text_is_cut_to_what_a_server_takes() -> None:
    with embedding_server() as (url, requests):
        embedder = OpenAIEmbedder("small", url, "", HANG_S)
        embedder.embed(["x" * 30_000])
        embedder.close()
    assert [len(request["input"][0]) for request in requests] == [8_000]


def test_the_identity_of_a_server_holds_host_and_model_but_no_password() -> None:
    assert OpenAIEmbedder("m", "https://ada:secret@host:8000/v1", "", 1).identity == "openai:host:8000/m"


def test_models_whose_cosines_run_high_have_higher_thresholds(tmp_path: Path) -> None:
    names = ["sentence-transformers/all-MiniLM-L6-v2", "BAAI/bge-small-en-v1.5", "intfloat/multilingual-e5-large"]
    local = [FastembedEmbedder(name, tmp_path).default_threshold for name in names]
    assert local == sorted(set(local))
    assert FastembedEmbedder(names[0]).default_threshold == FastembedEmbedder().default_threshold
    served = [
        OpenAIEmbedder(f"text-embedding-{name}", "http://host", None, 1).default_threshold
        for name in ("3-large", "ada-002")
    ]
    assert served == sorted(set(served))


def as_data(rows: list[list[float]]) -> Any:
    return {"object": "list", "data": [{"index": i, "embedding": row} for i, row in enumerate(rows)], "model": "m"}


@pytest.mark.parametrize(
    ("status", "content", "message"),
    [
        (401, {"error": {"message": "wrong key"}}, "wrong key"),
        (404, {"error": {"message": "no such model"}}, "no such model"),
        (500, b"broken", "500"),
        (200, b"<html>", "no embeddings|openai:"),
        (200, {"data": None}, "openai:"),
        (200, as_data([]), "openai:"),
        (200, as_data([[0.0, 0.0], [1.0, 0.0]]), "a vector of length 0"),
        (200, as_data([[1.0, 0.0]]), "1 embeddings for 2 texts"),
        (200, as_data([[1.0, 0.0], [1.0, 0.0, 0.0]]), "dimension"),
    ],
)
def test_a_server_that_gives_no_embeddings_is_said(status: int, content: Any, message: str) -> None:
    with embedding_server(lambda _: (status, content)) as (url, _):
        embedder = OpenAIEmbedder("small", url, "key", HANG_S)
        with pytest.raises(ModelUnavailable, match=message):
            embedder.embed(["a", "b"])
        embedder.close()


def test_an_answer_without_end_is_not_read_to_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounded_http, "LONGEST_VECTORS", 1_000_000)
    with llm_server() as server:
        server.default(endless(b" " * 100_000))
        embedder = OpenAIEmbedder("small", server.base_url, "key", HANG_S)
        with pytest.raises(ModelUnavailable, match="openai:"):
            embedder.embed(["a"])
        embedder.close()
        assert server.sent < 100_000_000  # three tries, and most of it in the buffers of the network


def test_an_answer_at_another_address_is_read() -> None:
    rows = as_data([[1.0, 0.0]])
    with llm_server() as server:
        server.default(raw(rows))
        server.enqueue(raw(b"", 307, Location="/other"), raw(rows))
        embedder = OpenAIEmbedder("small", server.base_url, "key", HANG_S)
        assert embedder.embed(["a"]).tolist() == [[1.0, 0.0]]
        embedder.close()
        assert [request.path for request in server.requests][:2] == ["/v1/embeddings", "/other"]


@pytest.mark.slow
def test_a_server_that_is_not_there_is_said() -> None:
    embedder = OpenAIEmbedder("small", "http://127.0.0.1:9/v1", "key", 5)
    with pytest.raises(ModelUnavailable, match=r"openai:127\.0\.0\.1:9/small: Connection error"):
        embedder.embed(["a"])
    embedder.close()


@pytest.mark.slow
def test_a_server_that_hangs_is_given_up() -> None:
    release = threading.Event()

    def hang(_: dict[str, Any]) -> tuple[int, Any]:
        release.wait(HANG_S)
        return 500, b""

    with embedding_server(hang) as (url, requests):
        embedder = OpenAIEmbedder("small", url, "key", 0.1)
        with pytest.raises(ModelUnavailable, match="timed out"):
            embedder.embed(["a"])
        embedder.close()
        release.set()
    assert 1 <= len(requests) <= 3
