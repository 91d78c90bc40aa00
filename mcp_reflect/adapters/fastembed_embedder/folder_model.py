"""A model in a folder of the user's, which fastembed loads."""

from __future__ import annotations

import hashlib
import json
import threading
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from mcp_reflect.adapters.fastembed_embedder.model_files import THREADS, family_threshold, sha256_of
from mcp_reflect.errors import ModelUnavailable

if TYPE_CHECKING:
    from fastembed import TextEmbedding


_ONNX_FILES = ("model.onnx", "onnx/model.onnx", "model_optimized.onnx", "model_quantized.onnx")

_registration = threading.Lock()


@dataclass(frozen=True)
class FolderModel:
    """A folder as sentence-transformers exports it: an ONNX file, tokenizer.json and tokenizer_config.json.

    The pooling mode is read from `1_Pooling/config.json`, default mean; a model with one vector per text needs none.
    """

    path: Path

    @cached_property
    def identity(self) -> str:
        """Return the name of the folder with a digest of its files. Raises ModelUnavailable and OSError."""
        # By content: the same path may hold another model tomorrow.
        files = [self.weights, *(self.path / name for name in ("tokenizer.json", "tokenizer_config.json"))]
        files += sorted(self.weights.parent.glob(f"{self.weights.name}?data"))
        digest = hashlib.sha256("".join([self.pooling, *map(sha256_of, files)]).encode()).hexdigest()
        return f"folder:{self.path.name}@{digest[:8]}"

    @property
    def threshold(self) -> float:
        """Return the default threshold of the model's family, a cosine."""
        return family_threshold(self.path.name)

    @cached_property
    def weights(self) -> Path:
        """Return the ONNX file in use. Raises ModelUnavailable where there is none, or no telling which."""
        named = [self.path / name for name in _ONNX_FILES if (self.path / name).is_file()]
        found = named or sorted(self.path.rglob("*.onnx"))
        if len(found) == 1 or named:
            return found[0]
        problem = f"holds {len(found)} ONNX files, none of them called model.onnx" if found else "holds no ONNX file"
        raise ModelUnavailable(f"embedding.model: {self.path} {problem if self.path.is_dir() else 'is no folder'}")

    @cached_property
    def pooling(self) -> str:
        """Return the pooling mode, as fastembed names it. Raises ModelUnavailable for one that cannot be used."""
        config = self.path / "1_Pooling" / "config.json"
        if not config.is_file():
            return "MEAN"
        modes = {key for key, value in json.loads(config.read_text(encoding="utf-8")).items() if value is True}
        for mode, name in (("cls_token", "CLS"), ("mean_tokens", "MEAN"), ("lasttoken", "LAST_TOKEN")):
            if f"pooling_mode_{mode}" in modes:
                return name
        raise ModelUnavailable(f"{config}: only cls, mean and last token pooling can be used")

    def load(self) -> TextEmbedding:
        """Return the loaded model."""
        output, pooled = _output(self.weights)
        return _load_custom(
            f"mcp-reflect/{self.identity}", self.path, self.weights, "DISABLED" if pooled else self.pooling, output
        )


def _output(weights: Path) -> tuple[str, bool]:
    """Return the name of the output that holds embeddings, and true where it has one vector per text already."""
    import onnxruntime  # noqa: PLC0415 - heavy

    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    outputs = onnxruntime.InferenceSession(str(weights), options, providers=["CPUExecutionProvider"]).get_outputs()
    best = next((output for output in outputs if output.name == "sentence_embedding"), outputs[0])
    return str(best.name), len(best.shape) == 2  # noqa: PLR2004 - (texts, dimension)


def _load_custom(name: str, folder: Path, weights: Path, pooling: str, output: str | None) -> TextEmbedding:
    """Load a model from local files; fastembed requires registering it under a free name."""
    from fastembed import TextEmbedding  # noqa: PLC0415 - a second to import
    from fastembed.common.model_description import ModelSource, PoolingType  # noqa: PLC0415 - as above

    with _registration:
        if not any(entry["model"] == name for entry in TextEmbedding.list_supported_models()):
            TextEmbedding.add_custom_model(
                model=name,
                pooling=PoolingType[pooling],
                normalization=False,
                sources=ModelSource(hf=name),  # demanded, never used: specific_model_path comes first
                dim=1,  # likewise: the dimension is that of the vectors
                model_file=str(weights),
                output_name=output,
            )
    return TextEmbedding(
        name,
        # fastembed makes its cache folder whether it needs one or not; this one exists.
        cache_dir=str(folder),
        threads=THREADS,
        specific_model_path=str(folder),
        local_files_only=True,
    )
