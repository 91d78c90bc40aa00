"""What every vector index must do: the fake, Chroma in a folder, and a real Chroma server."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from mcp_reflect.adapters.chroma_index import ChromaIndex
from mcp_reflect.application.ports import VectorIndex
from mcp_reflect.errors import IndexFailure
from tests.support.fakes import MemoryIndex
from tests.support.http_service import Request, recording_proxy
from tests.support.values import axis
from tests.support.waiting import HANG_S


@pytest.fixture(scope="session")
def chroma_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a Chroma server of our own."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = shutil.which("chroma", path=str(Path(sys.executable).parent))
    assert command, "chromadb brings its server along"
    folder = tmp_path_factory.mktemp("chroma-server")
    arguments = [command, "run", "--path", str(folder), "--host", "127.0.0.1", "--port", str(port)]
    with subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        try:
            deadline = time.monotonic() + HANG_S
            while True:
                try:
                    socket.create_connection(("127.0.0.1", port), timeout=1).close()
                    break
                except OSError:
                    assert time.monotonic() < deadline, "the Chroma server did not start"
                    assert server.poll() is None, "the Chroma server ended"
                    time.sleep(0.05)
            yield f"http://127.0.0.1:{port}"
        finally:
            server.kill()


@pytest.fixture(params=["memory", "chroma", pytest.param("chroma-server", marks=pytest.mark.process)])
def index(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[VectorIndex]:
    opened: VectorIndex
    if request.param == "memory":
        opened = MemoryIndex()
    elif request.param == "chroma":
        opened = ChromaIndex(tmp_path / "chroma")
    else:
        opened = ChromaIndex(tmp_path / "unused", request.getfixturevalue("chroma_server"))
        opened.drop("alpha", "model")
        opened.drop("beta", "model")
    yield opened
    opened.close()


def put(index: VectorIndex, project: str, **places: int) -> None:
    vectors = np.stack([axis(number) for number in places.values()])
    index.upsert(project, "model", list(places), vectors, [{"user": "ann"}] * len(places))


def test_an_absent_collection_is_empty(index: VectorIndex) -> None:
    assert index.nearest("alpha", "model", axis(0), 5) == []
    assert index.contents("alpha", "model") == {}
    assert len(index.contents("alpha", "model")) == 0
    assert index.generation("alpha", "model") == ""
    index.delete("alpha", "model", ["x"])
    index.drop("alpha", "model")


def test_chroma_knows_without_opening_it_whether_a_collection_is_the_same(tmp_path: Path) -> None:
    first = ChromaIndex(tmp_path / "chroma")
    assert not first.is_unopened("alpha", "model", "")
    put(first, "alpha", a=0)
    generation = first.generation("alpha", "model")
    assert not first.is_unopened("alpha", "model", generation)
    first.close()
    again = ChromaIndex(tmp_path / "chroma")
    assert again.is_unopened("alpha", "model", generation)
    assert not again.is_unopened("alpha", "model", "another")
    assert not again.is_unopened("beta", "model", generation)
    (tmp_path / "chroma" / "chroma.sqlite3").write_bytes(b"no database")
    assert not again.is_unopened("alpha", "model", generation)


def test_nearest_come_first_and_at_most_as_many_as_asked(index: VectorIndex) -> None:
    put(index, "alpha", a=0, b=1, c=2)
    query = np.array([0.8, 0.6, 0.0, 0.0], dtype=np.float32)
    assert index.nearest("alpha", "model", query, 2) == ["a", "b"]
    assert len(index.nearest("alpha", "model", query, 10)) == 3


def test_projects_and_models_are_kept_apart(index: VectorIndex) -> None:
    put(index, "alpha", a=0)
    put(index, "beta", b=0)
    assert index.nearest("alpha", "model", axis(0), 5) == ["a"]
    assert index.nearest("alpha", "other", axis(0), 5) == []


def test_writing_again_replaces_and_deleting_removes(index: VectorIndex) -> None:
    put(index, "alpha", a=0, b=1)
    put(index, "alpha", a=2)
    assert np.allclose(index.contents("alpha", "model")["a"], axis(2))
    assert len(index.contents("alpha", "model")) == 2
    index.delete("alpha", "model", ["a", "unknown"])
    assert set(index.contents("alpha", "model")) == {"b"}


def test_a_collection_made_anew_has_another_generation(index: VectorIndex) -> None:
    put(index, "alpha", a=0)
    before = index.generation("alpha", "model")
    put(index, "alpha", b=1)
    assert index.generation("alpha", "model") == before != ""
    index.drop("alpha", "model")
    put(index, "alpha", a=0)
    assert index.generation("alpha", "model") not in {"", before}


def test_what_was_written_is_there_after_opening_again(tmp_path: Path) -> None:
    first = ChromaIndex(tmp_path / "chroma")
    put(first, "alpha", a=0)
    generation = first.generation("alpha", "model")
    first.close()
    second = ChromaIndex(tmp_path / "chroma")
    assert second.nearest("alpha", "model", axis(0), 1) == ["a"]
    assert second.generation("alpha", "model") == generation
    second.close()


def test_a_damaged_folder_is_put_aside(tmp_path: Path) -> None:
    folder = tmp_path / "chroma"
    folder.mkdir()
    (folder / "chroma.sqlite3").write_bytes(b"not a database at all" * 400)
    index = ChromaIndex(folder)
    put(index, "alpha", a=0)
    assert index.nearest("alpha", "model", axis(0), 1) == ["a"]
    index.close()
    assert list(tmp_path.glob("chroma.damaged-*/chroma.sqlite3"))


@pytest.mark.parametrize("call", ["put", "nearest", "contents"])
def test_a_folder_whose_database_is_damaged_in_use_is_put_aside(tmp_path: Path, call: str) -> None:
    """Its inode stays the same, so that only the error tells."""
    folder = tmp_path / "chroma"
    index = ChromaIndex(folder)
    put(index, "alpha", a=0)
    (folder / "chroma.sqlite3").write_bytes(os.urandom(100_000))
    calls = {
        "put": lambda: put(index, "alpha", b=1),
        "nearest": lambda: index.nearest("alpha", "model", axis(0), 1),
        "contents": lambda: index.contents("alpha", "model"),
    }
    for _ in range(3):  # what Chroma holds in memory is answered from there
        with suppress(IndexFailure):
            put(index, "alpha", b=1)
            calls[call]()
    assert list(tmp_path.glob("chroma.damaged-*/chroma.sqlite3"))
    put(index, "alpha", c=2)
    assert "c" in index.contents("alpha", "model")
    assert index.nearest("alpha", "model", axis(2), 1) == ["c"]
    index.close()


def test_a_folder_that_was_deleted_or_replaced_while_open_is_opened_anew(tmp_path: Path) -> None:
    folder = tmp_path / "chroma"
    index, other = ChromaIndex(folder), ChromaIndex(tmp_path / "other")
    put(index, "alpha", a=0)
    shutil.rmtree(folder)
    assert index.generation("alpha", "model") == ""
    put(index, "alpha", b=1)
    assert list(index.contents("alpha", "model")) == ["b"]
    put(other, "alpha", c=2)
    other.close()
    shutil.rmtree(folder)
    (tmp_path / "other").rename(folder)
    assert list(index.contents("alpha", "model")) == ["c"]
    index.close()


def test_a_server_that_is_not_there_is_an_index_failure(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    index = ChromaIndex(tmp_path, f"http://127.0.0.1:{port}")
    with pytest.raises(IndexFailure):
        index.nearest("alpha", "model", axis(0), 1)
    index.close()


def test_what_is_erased_is_gone_and_can_be_filled_again(index: VectorIndex) -> None:
    put(index, "alpha", a=0, b=1)
    before = index.generation("alpha", "model")
    index.erase("alpha", "model")
    assert index.contents("alpha", "model") == {}
    assert index.generation("alpha", "model") == ""
    put(index, "alpha", b=1)
    assert index.nearest("alpha", "model", axis(1), 5) == ["b"]
    assert index.generation("alpha", "model") not in {"", before}


def test_a_folder_that_is_kept_elsewhere_is_erased_there(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "chroma").symlink_to(tmp_path / "elsewhere")
    index = ChromaIndex(tmp_path / "chroma")
    put(index, "alpha", a=0)
    index.erase("alpha", "model")
    assert list((tmp_path / "elsewhere").iterdir()) == []
    put(index, "alpha", b=1)
    assert index.nearest("alpha", "model", axis(1), 5) == ["b"]
    index.close()
    assert (tmp_path / "chroma").is_symlink()


def test_a_collection_that_was_lost_is_begun_anew(chroma_server: str, tmp_path: Path) -> None:
    index, other = (ChromaIndex(tmp_path / "unused", chroma_server) for _ in range(2))
    index.upsert("lost", "model", ["a"], np.stack([axis(0)]), [{"user": "ann"}])
    other.drop("lost", "model")
    with pytest.raises(IndexFailure):
        index.upsert("lost", "model", ["b"], np.stack([axis(1)]), [{"user": "ann"}])
    assert index.generation("lost", "model") == ""
    index.upsert("lost", "model", ["b"], np.stack([axis(1)]), [{"user": "ann"}])
    assert list(index.contents("lost", "model")) == ["b"]


def test_entries_hold_texts_and_metadata_which_can_be_replaced(index: VectorIndex) -> None:
    vectors = np.stack([axis(0), axis(1)])
    told = [{"q_value": 0.5, "ticket": "A-1"}, {"q_value": 0.5}]
    index.upsert("alpha", "model", ["a", "b"], vectors, told, ["task a", "task b"])
    index.describe("alpha", "model", ["a", "gone"], [{"q_value": 0.65, "team": "x"}, {"q_value": 0.1}])
    index.describe("beta", "model", ["a"], [{"q_value": 0.1}])
    assert index.descriptions("alpha", "model") == {
        "a": ("task a", {"q_value": 0.65, "team": "x"}),
        "b": ("task b", {"q_value": 0.5}),
    }
    assert index.descriptions("beta", "model") == {}


@pytest.mark.process
def test_a_server_is_asked_for_its_tenant_and_database_in_small_writes(chroma_server: str, tmp_path: Path) -> None:
    made = urllib.request.Request(
        f"{chroma_server}/api/v2/tenants/default_tenant/databases",
        json.dumps({"name": "second"}).encode(),
        {"Content-Type": "application/json"},
    )
    with urllib.request.urlopen(made):
        pass
    passed: list[Request] = []
    with recording_proxy(chroma_server, passed) as url:
        first = ChromaIndex(tmp_path / "unused", url)
        second = ChromaIndex(tmp_path / "unused", url, token="secret", tenant="default_tenant", database="second")
        ids = [f"m{number}" for number in range(301)]
        vectors = np.stack([axis(number % 3) for number in range(301)])
        second.upsert("tenants", "model", ids, vectors, [{"user": "ann"}] * 301)
        second.describe("tenants", "model", ids, [{"user": "bob"}] * 301)
        assert second.contents("tenants", "model").keys() == set(ids)
        assert 0 < len(second.nearest("tenants", "model", axis(0), 301)) <= 300
        second.delete("tenants", "model", ids[1:])
        assert second.contents("tenants", "model").keys() == {"m0"}
        of_second, passed[:] = list(passed), []
        assert first.contents("tenants", "model") == {}
        assert not any("authorization" in request.headers for request in passed)
        missing = ChromaIndex(tmp_path / "unused", url, database="third")
        with pytest.raises(IndexFailure):
            missing.contents("tenants", "model")
        for index in (first, second, missing):
            index.close()
    for request in of_second:
        assert request.headers["authorization"] == "Bearer secret"
        assert request.headers["x-chroma-token"] == "secret"
        assert len(request.body.get("ids") or ()) <= 300
        assert max(request.body.get("limit") or 0, request.body.get("n_results") or 0) <= 300
    written = [len(request.body["ids"]) for request in of_second if request.path.endswith(("upsert", "update"))]
    assert written == [300, 1, 300, 1]
