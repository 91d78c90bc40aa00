"""Snowball's English stemmer, without the other languages of its package."""

from __future__ import annotations

import sys
import threading
from importlib import import_module
from importlib.util import find_spec, module_from_spec
from typing import Any

_PACKAGE = "snowballstemmer"
_lock = threading.Lock()


def english_stemmer() -> Any:
    """Return a new Porter stemmer for English (Snowball, 2nd version). Raises ImportError where the package is missing.

    The package's own import loads 36 languages, 3 MB and 20 ms that a first query would wait for. Meanwhile a package
    that was not run stands in its place, so that the one module is found.
    """
    with _lock:
        spec = find_spec(_PACKAGE)
        if spec is None:
            raise ImportError(f"the package {_PACKAGE} is missing; install mcp-reflect again", name=_PACKAGE)
        not_run = module_from_spec(spec)
        package = sys.modules.setdefault(_PACKAGE, not_run)
        try:
            return import_module(f"{_PACKAGE}.english_stemmer").EnglishStemmer()
        finally:
            if package is not_run:
                del sys.modules[_PACKAGE]
