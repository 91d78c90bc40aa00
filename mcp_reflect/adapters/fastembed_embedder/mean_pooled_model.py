"""An ONNX text model with mean pooling, run without fastembed.

The import of fastembed costs twice the CPU time of loading the bundled model, and 40 MB, for what these lines do: the
vectors are the same, bit for bit.
"""

from __future__ import annotations

import ctypes
import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mcp_reflect.adapters.fastembed_embedder.quantised_table import cut_behind_table
from mcp_reflect.domain.values import Vector

_BATCH = 8
"""Texts that go through the model together: with more of them the padding costs more than they save."""

_BATCH_TOKENS = 256
"""Tokens, with the padding, that go through the model together. The largest run takes 24 MB with one text of this
length, 194 MB with eight, which are no quicker together."""

_MOST_PADDING = 12
"""Tokens of padding in a batch that cost no more than one text less on its own does."""

_TOKENS_KEPT_FOR = 128
"""Tokens of the largest run whose memory ONNX Runtime keeps for the next, 8 MB. To give back and to take again what 256
need costs a tenth of the time that the model needs for them."""


class MeanPooledModel:
    """A transformer whose vector of a text is the mean of its tokens' vectors. Thread-safe.

    `weights` is the ONNX file, whose table of words is quantised; it stays mapped. `folder` holds tokenizer.json and
    tokenizer_config.json, whose `model_max_length` is the number of tokens that are read. `threads` is how many ONNX
    Runtime may use for one text.
    """

    def __init__(self, weights: Path, folder: Path, threads: int) -> None:
        import onnxruntime  # noqa: PLC0415 - heavy
        from tokenizers import Tokenizer  # noqa: PLC0415 - heavy

        config = json.loads((folder / "tokenizer_config.json").read_text(encoding="utf-8"))
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.enable_truncation(max_length=config["model_max_length"])
        self._tokenizer.no_padding()
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = threads
        # A second text of 256 tokens would take 18 MB for good: a plan of the memory for inputs of that shape.
        options.enable_mem_pattern = False
        graph, self._table = cut_behind_table(weights)
        with _written(graph) as source:
            self._session = onnxruntime.InferenceSession(source, options, providers=["CPUExecutionProvider"])
        del graph, source
        self._inputs = {each.name for each in self._session.get_inputs()}
        self._giving_back = onnxruntime.RunOptions()
        self._giving_back.add_run_config_entry("memory.enable_memory_arena_shrinkage", "cpu:0")
        _return_free_memory()

    def embed(self, texts: Sequence[str]) -> Iterator[Vector]:
        """Yield the vector of each text, not normalised.

        Texts of like length go through the model together, a quarter less work for each. The bundled weights are
        quantised, its activations are not: neighbours move a vector by 1e-7 at most. What long texts took is given back
        after the last of them.
        """
        tokens = [self._tokenizer.encode(text) for text in texts]
        lengths = [len(each.ids) for each in tokens]
        batches = list(_batches(sorted(range(len(tokens)), key=lengths.__getitem__), lengths))
        is_large = any(len(batch) * lengths[batch[-1]] > _TOKENS_KEPT_FOR for batch in batches)
        found: dict[int, Vector] = {}
        for batch in batches:
            options = self._giving_back if is_large and batch is batches[-1] else None
            found.update(zip(batch, self._run([tokens[number] for number in batch], options), strict=True))
        if is_large:
            _return_free_memory()
        yield from (found[number] for number in range(len(tokens)))

    def _run(self, tokens: Sequence[Any], options: Any) -> Iterator[Vector]:
        width = max(len(each.ids) for each in tokens)
        given = {"input_ids": "ids", "attention_mask": "attention_mask", "token_type_ids": "type_ids"}
        rows: dict[str, NDArray[Any]] = {
            name: np.zeros((len(tokens), width), dtype=np.int64) for name in given if name in self._inputs
        }
        for name, row in rows.items():
            for number, each in enumerate(tokens):
                row[number, : len(each.ids)] = getattr(each, given[name])
        rows[self._table.found] = self._table.rows(rows[self._table.indices])
        for each, states in zip(tokens, self._session.run(None, rows, options)[0], strict=True):
            count = len(each.ids)
            # In float64, and back to the type of the model, as fastembed does.
            yield (np.sum(states[:count], axis=0, dtype=np.float64) / count).astype(states.dtype)


def _batches(by_length: Sequence[int], lengths: Sequence[int]) -> Iterator[list[int]]:
    """Yield texts, given by their numbers, shortest first, in batches that one run takes; a long text goes alone."""
    batch: list[int] = []
    for number in by_length:
        tokens = (len(batch) + 1) * lengths[number]
        padding = tokens - lengths[number] - sum(lengths[each] for each in batch)
        if batch and (len(batch) == _BATCH or tokens > _BATCH_TOKENS or padding > _MOST_PADDING):
            yield batch
            batch = []
        batch.append(number)
    if batch:
        yield batch


@contextmanager
def _written(model: bytes) -> Iterator[str | bytes]:
    """Yield the path of a file of the model, as a session that is given bytes keeps them; those where there is none."""
    with ExitStack() as stack:
        source: str | bytes = model
        with suppress(OSError):
            file = Path(stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True))) / "model.onnx"
            file.write_bytes(model)
            source = str(file)
        yield source


def _return_free_memory() -> None:
    """Give the system back what is free: glibc keeps 60 MB after loading, and 24 MB or more after a long text."""
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):  # another C library
            ctypes.CDLL(None).malloc_trim(0)
