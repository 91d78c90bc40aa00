"""Files that are there as a whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from mcp_reflect.domain.ids import new_id

PRIVATE = 0o600
"""Mode of a file that only its owner may read."""


def replace_file(file: Path, text: str) -> None:
    """Put the text there in one step: nobody ever sees half of it."""
    with replacing(file) as out:
        out.write(text.encode())


@contextmanager
def replacing(file: Path, mode: int = 0o666) -> Iterator[BinaryIO]:
    """What is written takes the file's place when all of it is on the disk; after an error nothing has changed.

    A file that is there keeps its mode, a new one gets `mode` as far as the process's umask allows. A device or a pipe
    is written to: it must not become a file. Raises OSError.
    """
    if file.exists() and not file.is_file():
        with file.open("wb") as out:
            yield out
        return
    target = file.resolve()  # a link stays a link
    target.parent.mkdir(parents=True, exist_ok=True)
    kept = target.stat().st_mode & 0o777 if target.exists() else None
    whole = target.with_name(f".{target.name}.{new_id('new')}")
    try:
        with os.fdopen(os.open(whole, os.O_RDWR | os.O_CREAT | os.O_EXCL, mode), "w+b") as out:
            yield out
            out.flush()
            os.fsync(out.fileno())
        if kept is not None:
            whole.chmod(kept)
        whole.replace(target)
    except BaseException:  # also an interrupt must not leave half a file beside the real one; raised on
        whole.unlink(missing_ok=True)
        raise
