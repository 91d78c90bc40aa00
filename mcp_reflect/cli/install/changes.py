"""A change of a text as people read it."""

from __future__ import annotations

import difflib
from collections.abc import Iterator

from rich.text import Text

from mcp_reflect.config.masking import mask_secrets
from mcp_reflect.domain.truncate import truncate

_STYLES = {"+": "green", "-": "red", "@": "cyan"}
_LONGEST = 200
_AROUND = 60


def diff_lines(before: str, after: str, path: str) -> Iterator[Text]:
    """Yield a unified diff, line by line. What looks like a secret in the lines that were there is not shown.

    Of long lines (some clients write their file in one) only the part is shown that differs.
    """
    old, new = before.splitlines(), after.splitlines()
    if len(old) == len(new) == 1 and max(len(old[0]), len(new[0])) > _LONGEST:
        old, new = _around(old[0], new[0])
    else:
        # A line that only got a comma is still what was there before.
        known = {line.rstrip(" ,") for line in old}
        new = [mask_secrets(line) if line.rstrip(" ,") in known else line for line in new]
        old = [mask_secrets(line) for line in old]
    for line in difflib.unified_diff(old, new, path, path, lineterm="", n=2):
        yield Text(truncate(line, _LONGEST), _STYLES.get(line[:1], ""))


def _around(old: str, new: str) -> tuple[list[str], list[str]]:
    """Two long lines without most of what they share."""
    shorter = min(len(old), len(new))
    head = next((at for at in range(shorter) if old[at] != new[at]), shorter)
    most = shorter - head
    tail = next((at for at in range(most) if old[-1 - at] != new[-1 - at]), most)
    before, behind = mask_secrets(old[:head]), mask_secrets(old[len(old) - tail :])
    lead = ("…" if len(before) > _AROUND else "") + before[-_AROUND:]
    end = behind[:_AROUND] + ("…" if len(behind) > _AROUND else "")
    removed, added = old[head : len(old) - tail], new[head : len(new) - tail]
    return [lead + mask_secrets(removed) + end], [lead + added + end]
