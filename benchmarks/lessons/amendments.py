"""Lessons that amend an earlier one in everyday words, and decoys on the same subject: `amendments*.json`, by hand.

A pair is recognised where the earlier lesson is superseded, or where the later one stands before it as a change.
"""

from __future__ import annotations

import json
from pathlib import Path

from mcp_reflect.domain.lessons.comparison.everyday_amendment import changes
from mcp_reflect.domain.lessons.comparison.supersession import Statement, amendment

_FOLDER = Path(__file__).parent


def recognise_amendments(*, true: bool, name: str) -> tuple[int, int, int]:
    """Return of the `true` pairs of a file, or of its decoys: how many are superseded, changed, and there at all."""
    rows = [row for row in json.loads((_FOLDER / name).read_text(encoding="utf-8")) if row["amends"] is true]
    superseded = changed = 0
    for row in rows:
        earlier, later = map(Statement, row["tasks"], row["lessons"])
        superseded += amendment(later, earlier) > 0
        changed += changes(later.lesson, earlier.lesson, earlier.task)
    return superseded, changed, len(rows)
