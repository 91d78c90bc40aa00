"""The bundled model, models by name and folders: what only they promise."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest

from mcp_reflect.adapters.fastembed_embedder import FastembedEmbedder, mean_pooled_model, sources
from mcp_reflect.adapters.fastembed_embedder.quantised_table import cut_behind_table
from mcp_reflect.errors import ModelUnavailable
from tests.support.embedding_models import TEXTS, model_folder
from tests.support.waiting import HANG_S

pytestmark = pytest.mark.slow  # the model at work


def test_the_bundled_model_knows_likeness_of_meaning() -> None:
    embedder = FastembedEmbedder()
    query, near, far = embedder.embed(
        ["Cancel my flight to Boston", "I want a refund for my airline ticket", "Repair the unit test of the tokenizer"]
    )
    assert query @ near >= embedder.default_threshold > query @ far


def test_the_bundled_model_reads_256_tokens() -> None:
    # Its tokenizer file says 128, padded to 128; both are replaced.
    embedder = FastembedEmbedder()
    short, longer, longest, beyond = embedder.embed(
        ["word " * 120, "word " * 120 + "flight " * 100, "word " * 254, "word " * 254 + "flight " * 100]
    )
    assert short @ longer < 0.99
    np.testing.assert_array_equal(longest, beyond)


def test_a_graph_behind_its_table_computes_what_the_whole_does_bit_for_bit() -> None:
    weights = sources._Bundled().verified()
    graph, table = cut_behind_table(weights)
    numbers = np.random.default_rng(5).integers(0, len(table.levels), (3, 17))
    given = {"input_ids": numbers, "attention_mask": np.ones_like(numbers), "token_type_ids": np.zeros_like(numbers)}
    states = [
        onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"]).run(None, inputs)[0]
        for model, inputs in ((weights.read_bytes(), given), (graph, {**given, table.found: table.rows(numbers)}))
    ]
    np.testing.assert_array_equal(*states)


@pytest.mark.skipif(sys.platform != "linux", reason="/proc tells the memory")
def test_the_table_of_words_takes_no_memory_however_many_words_were_read() -> None:
    weights = sources._Bundled().verified()
    graph, table = cut_behind_table(weights)
    assert len(graph) < weights.stat().st_size - table.levels.nbytes
    table.rows(np.arange(0, len(table.levels), 100))
    assert resident_bytes(table.levels.ctypes.data) < table.levels.nbytes / 10


def resident_bytes(address: int) -> int:
    """What of the mapping with this address is in memory: other tests may have mapped the same file."""
    for mapping in re.split(r"\n(?=[0-9a-f]+-)", Path("/proc/self/smaps").read_text(encoding="utf-8")):
        first, last = (int(end, 16) for end in mapping.split()[0].split("-"))
        if first <= address < last:
            return int(mapping.split("Rss:")[1].split()[0]) * 1024
    raise AssertionError("nothing is mapped there")


@pytest.mark.skipif(sys.platform != "linux", reason="/proc tells the memory")
def test_many_long_texts_take_no_more_memory_than_one() -> None:
    def own_mb() -> float:
        told = Path("/proc/self/status").read_text(encoding="utf-8")
        return int(told.split("RssAnon:")[1].split()[0]) / 1024

    embedder = FastembedEmbedder()
    embedder.embed(["word " * 250])
    with_one = own_mb()
    embedder.embed([f"{number} {'word ' * 250}" for number in range(8)])
    assert own_mb() - with_one < 100  # 290 where they go through the model together


@pytest.mark.skipif(sys.platform != "linux", reason="/proc tells the memory")
def test_what_a_long_text_took_is_given_back() -> None:
    code = (
        "from pathlib import Path\n"
        "from mcp_reflect.adapters.fastembed_embedder import FastembedEmbedder\n"
        "def own_mb():\n"
        "    return int(Path('/proc/self/status').read_text().split('RssAnon:')[1].split()[0]) / 1024\n"
        "embedder = FastembedEmbedder()\n"
        "embedder.embed(['one'])\n"
        "before = own_mb()\n"
        "for word in ('two ', 'three '):\n"
        "    embedder.embed([word * 256])\n"
        "print(own_mb() - before)\n"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=HANG_S, check=True)
    assert float(told.stdout) < 9  # 24 where it is kept, 18 more where it is planned for each length


def test_short_texts_go_through_the_model_together_and_long_ones_alone() -> None:
    lengths = [3, 250, 3, 100, 4, 130, *[5] * 20]
    batches = list(mean_pooled_model._batches(sorted(range(len(lengths)), key=lengths.__getitem__), lengths))
    assert sorted(number for batch in batches for number in batch) == list(range(len(lengths)))
    assert [len(batch) for batch in batches] == [8, 8, 7, 1, 1, 1]


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"\xff" * 9, "ends within a number"),
        (b"\x0c", "a field of kind 4"),
        (b"\x08\x0a", "no graph"),
        (b"\x3a\x00", "no quantised table"),
    ],
)
def test_a_file_without_such_a_table_is_told_apart(tmp_path: Path, content: bytes, problem: str) -> None:
    weights = tmp_path / "model.onnx"
    weights.write_bytes(content)
    with pytest.raises(ValueError, match=problem):
        cut_behind_table(weights)


def test_a_model_without_a_folder_for_its_graph_is_loaded_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = FastembedEmbedder().embed(["a text"])

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(mean_pooled_model.tempfile, "TemporaryDirectory", full)
    np.testing.assert_array_equal(FastembedEmbedder().embed(["a text"]), expected)


def test_nothing_heavy_is_imported_before_the_first_text() -> None:
    code = (
        "import sys\n"
        "from mcp_reflect.adapters.fastembed_embedder import FastembedEmbedder\n"
        "from mcp_reflect.adapters.openai_embedder import OpenAIEmbedder\n"
        "e, o = FastembedEmbedder(), OpenAIEmbedder('m', 'http://localhost:1', '', 1)\n"
        "e.identity, e.dimension, e.default_threshold, o.identity, o.default_threshold\n"
        "print(sorted({'fastembed', 'onnxruntime', 'openai', 'huggingface_hub'} & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=HANG_S)
    assert done.stdout.strip() == "[]"


def test_the_bundled_model_is_loaded_without_fastembed() -> None:
    code = (
        "import sys\n"
        "from mcp_reflect.adapters.fastembed_embedder import FastembedEmbedder\n"
        "FastembedEmbedder().embed(['a text'])\n"
        "print(sorted({'fastembed', 'huggingface_hub', 'PIL'} & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=HANG_S)
    assert done.stdout.strip() == "[]"


def test_a_model_that_is_prepared_is_loaded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    loads: list[int] = []
    load = mean_pooled_model.MeanPooledModel.__init__

    def counted(*given: Any) -> None:
        loads.append(1)
        load(*given)

    monkeypatch.setattr(mean_pooled_model.MeanPooledModel, "__init__", counted)
    embedder = FastembedEmbedder()
    embedder.prepare()
    embedder.prepare()
    assert embedder.embed(["a text"]).shape == (1, 384)
    assert loads == [1]


def test_embedding_leaves_nothing_in_the_users_home(tmp_path: Path) -> None:
    code = "from mcp_reflect.adapters.fastembed_embedder import FastembedEmbedder as E; E().embed(['a text'])"
    environ = {"HOME": str(tmp_path), "PATH": os.defpath}
    subprocess.run([sys.executable, "-c", code], env=environ, check=True, timeout=HANG_S)
    assert list(tmp_path.iterdir()) == []


def run_offline(code: str, cache: Path) -> str:
    """Run code for which every host name leads to a closed port."""
    environ = {**os.environ, "HF_ENDPOINT": "http://127.0.0.1:9", "CACHE": str(cache), "HF_HUB_OFFLINE": ""}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environ, capture_output=True, text=True, check=True, timeout=HANG_S
    )
    return done.stdout


def test_the_bundled_model_works_where_no_socket_can_be_opened(tmp_path: Path) -> None:
    code = (
        "import socket\n"
        "def refuse(*a, **k): raise AssertionError('a socket was opened')\n"
        "socket.socket.connect = socket.getaddrinfo = refuse\n"
        "from mcp_reflect.adapters.fastembed_embedder import FastembedEmbedder\n"
        "print(FastembedEmbedder().embed(['hello']).shape)\n"
    )
    assert run_offline(code, tmp_path).strip() == "(1, 384)"


def test_a_named_model_that_cannot_be_downloaded_is_said_within_seconds(tmp_path: Path) -> None:
    code = (
        "import os, pathlib\n"
        "from mcp_reflect.adapters.fastembed_embedder import FastembedEmbedder\n"
        "from mcp_reflect.errors import ModelUnavailable\n"
        "try: FastembedEmbedder('BAAI/bge-small-en-v1.5', pathlib.Path(os.environ['CACHE'])).embed(['a'])\n"
        "except ModelUnavailable as error: print(error)\n"
    )
    assert "BAAI/bge-small-en-v1.5 is not in" in run_offline(code, tmp_path)


def test_a_model_that_fastembed_does_not_know_names_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailable, match=r"'BAAI/bge-smal-en-v1\.5'; did you mean BAAI/bge-small-en-v1\.5\?"):
        FastembedEmbedder("BAAI/bge-smal-en-v1.5", tmp_path).embed(["a"])


@pytest.mark.parametrize(("file", "constant"), [("model.onnx", "_WEIGHTS"), ("tokenizer.json", "_TOKENIZER")])
def test_another_file_than_the_expected_is_refused(monkeypatch: pytest.MonkeyPatch, file: str, constant: str) -> None:
    monkeypatch.setattr(sources, f"{constant}_SHA256", "0" * 64)
    with pytest.raises(ModelUnavailable, match=f"{file} is not the expected file"):
        FastembedEmbedder().embed(["a"])


def test_a_folder_gives_the_vectors_of_the_model_in_it(tmp_path: Path) -> None:
    folder = model_folder(tmp_path / "mine")
    np.testing.assert_array_equal(FastembedEmbedder(str(folder)).embed(TEXTS), FastembedEmbedder().embed(TEXTS))


def test_the_identity_of_a_folder_follows_its_content(tmp_path: Path) -> None:
    folder = model_folder(tmp_path / "mine")
    before = FastembedEmbedder(str(folder)).identity
    assert before.startswith("folder:mine@")
    (folder / "1_Pooling" / "config.json").write_text('{"pooling_mode_cls_token": true}')
    pooled = FastembedEmbedder(str(folder))
    assert pooled.identity != before
    assert not np.array_equal(pooled.embed(TEXTS[:1]), FastembedEmbedder().embed(TEXTS[:1]))


def spoil(folder: Path, how: str) -> None:
    if how == "gone":
        shutil.rmtree(folder)
    elif how == "two":
        (folder / "model.onnx").rename(folder / "one.onnx")
        (folder / "two.onnx").touch()
    elif how == "garbage":
        (folder / "model.onnx").write_bytes(b"not a model")
    elif how == "pooling":
        (folder / "1_Pooling" / "config.json").write_text('{"pooling_mode_max_tokens": true}')
    else:
        (folder / how).unlink()


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ("gone", "is no folder"),
        ("model.onnx", "holds no ONNX file"),
        ("two", "holds 2 ONNX files"),
        ("tokenizer.json", r"tokenizer\.json"),
        ("tokenizer_config.json", r"tokenizer_config\.json"),
        ("garbage", "embedding model"),
        ("pooling", "only cls, mean and last token"),
    ],
)
def test_a_folder_that_holds_no_usable_model_is_said(tmp_path: Path, how: str, message: str) -> None:
    folder = model_folder(tmp_path / "mine")
    spoil(folder, how)
    with pytest.raises(ModelUnavailable, match=message):
        FastembedEmbedder(str(folder)).embed(["a"])
