"""One contract for every embedder: the bundled model, a folder with a model, a server over HTTP."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mcp_reflect.adapters.fastembed_embedder import FastembedEmbedder
from mcp_reflect.adapters.openai_embedder import OpenAIEmbedder
from mcp_reflect.application.ports import Embedder
from tests.support.effort import examples
from tests.support.embedding_models import TEXTS, embedding_server, model_folder
from tests.support.waiting import HANG_S

pytestmark = pytest.mark.slow  # the model at work


@pytest.fixture(scope="module", params=["bundled", "folder", "openai"])
def embedder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Embedder]:
    if request.param == "bundled":
        yield FastembedEmbedder()
    elif request.param == "folder":
        yield FastembedEmbedder(str(model_folder(tmp_path_factory.mktemp("models") / "mine")))
    else:
        with embedding_server() as (url, _):
            client = OpenAIEmbedder("small", url, "key", HANG_S)
            yield client
            client.close()


@pytest.fixture
def another(embedder: Embedder) -> Iterator[Callable[[], Embedder]]:
    """Makes the same model anew, with nothing remembered."""
    clients: list[OpenAIEmbedder] = []

    def make() -> Embedder:
        if isinstance(embedder, OpenAIEmbedder):
            clients.append(OpenAIEmbedder(embedder._name, embedder._base_url, "key", HANG_S))
            return clients[-1]
        assert isinstance(embedder, FastembedEmbedder)
        return FastembedEmbedder(embedder._name)

    yield make
    for client in clients:
        client.close()


def test_rows_are_unit_vectors_of_float32(embedder: Embedder) -> None:
    vectors = embedder.embed(TEXTS)
    assert vectors.shape == (len(TEXTS), embedder.dimension)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-6)


def test_no_text_gives_no_row(embedder: Embedder) -> None:
    vectors = embedder.embed([])
    assert vectors.shape == (0, embedder.dimension)
    assert vectors.dtype == np.float32


def test_the_order_is_kept(embedder: Embedder) -> None:
    forward, backward = embedder.embed(TEXTS), embedder.embed(TEXTS[::-1])
    np.testing.assert_array_equal(forward, backward[::-1])


def test_a_text_has_one_vector_whatever_its_neighbours(embedder: Embedder, another: Callable[[], Embedder]) -> None:
    together = another().embed([*TEXTS, TEXTS[0]])
    fresh = another()
    alone = np.concatenate([fresh.embed([text]) for text in TEXTS[:2]])
    np.testing.assert_array_equal(together[:2], alone)
    np.testing.assert_array_equal(together[0], together[-1])


def test_different_texts_have_different_vectors(embedder: Embedder) -> None:
    vectors = embedder.embed(TEXTS)
    assert (vectors @ vectors.T - np.eye(len(TEXTS))).max() < 0.95


def test_more_texts_than_are_remembered_come_out_right(embedder: Embedder) -> None:
    texts = [f"task {number}" for number in range(300)]
    vectors = embedder.embed(texts)
    np.testing.assert_array_equal(vectors[[0, 150, 299]], embedder.embed(["task 0", "task 150", "task 299"]))


@pytest.mark.parametrize("blank", ["", " ", "\n\t "])
def test_blank_text_is_a_unit_vector_near_to_nothing(embedder: Embedder, blank: str) -> None:
    vectors = embedder.embed([blank, "", *TEXTS[:2]])
    assert np.linalg.norm(vectors[0]) == 1
    np.testing.assert_array_equal(vectors[0], vectors[1])
    if not isinstance(embedder, OpenAIEmbedder):  # the test server's vectors mean nothing
        assert max(vectors[0] @ vectors[2:].T) < embedder.default_threshold


def test_a_caller_that_changes_a_result_changes_no_later_one(embedder: Embedder) -> None:
    before = embedder.embed([TEXTS[0]]).copy()
    embedder.embed([TEXTS[0]])[:] = 0
    np.testing.assert_array_equal(embedder.embed([TEXTS[0]]), before)


def test_four_threads_get_what_one_gets(embedder: Embedder, another: Callable[[], Embedder]) -> None:
    expected = embedder.embed(TEXTS)
    fresh = another()
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda _: fresh.embed(TEXTS), range(8), timeout=HANG_S))
    for result in results:
        np.testing.assert_array_equal(result, expected)


def test_identity_and_threshold_are_those_of_the_model(embedder: Embedder, another: Callable[[], Embedder]) -> None:
    assert embedder.identity == another().identity
    assert embedder.identity.isprintable()
    assert 0 < embedder.default_threshold < 1


@settings(max_examples=examples(25), suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(text=st.text(alphabet=st.characters(), max_size=200))
def test_any_text_has_a_vector(embedder: Embedder, text: str) -> None:
    assert np.linalg.norm(embedder.embed([text])) == pytest.approx(1, abs=1e-6)
