"""Jupyter notebooks as their sources: what an agent wrote is the text of the cells, and not the JSON around it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mcp_reflect.domain.surrogates import replace_surrogates
from mcp_reflect.domain.trajectory.tool_json import parse_json_object

_MOST_CHARS = 1_000_000


def notebook_source(path: str, text: str) -> str:
    """Return the sources of a notebook's cells, apart by empty lines; any other text as it is."""
    if not path.endswith(".ipynb") or len(text) > _MOST_CHARS:
        return text
    cells = (parse_json_object(text) or {}).get("cells")
    return replace_surrogates("\n\n".join(_sources(cells))) if isinstance(cells, list) else text


def _sources(cells: list[Any]) -> Iterator[str]:
    for cell in cells:
        source = cell.get("source") if isinstance(cell, dict) else None
        if isinstance(source, list):
            yield "".join(line for line in source if isinstance(line, str))
        elif isinstance(source, str):
            yield source
