"""Replaces generated blocks in documents; each stands between two comments that name it."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def with_block(document: str, name: str, text: str) -> str:
    """The document with `text` as its block `name`. Raises ValueError where the block's two comments are missing."""
    begin, end = f"<!-- generated: {name} -->\n", f"<!-- end: {name} -->\n"
    before, found, rest = document.partition(begin)
    _, closed, after = rest.partition(end)
    if not (found and closed):
        raise ValueError(f"the document has no block {name!r}: {begin.strip()} … {end.strip()}")
    return f"{before}{begin}\n{text.strip()}\n\n{end}{after}"


def write_block(file: Path, name: str, text: str, *, check: bool = False) -> bool:
    """Write one block of a file; True if it differed. With `check` the file stays as it is."""
    old = file.read_text(encoding="utf-8")
    new = with_block(old, name, text)
    if new != old and not check:
        file.write_text(new, encoding="utf-8")
    return new != old
