"""Lessons that amend an earlier one in everyday words, and decoys on the same subject: `amendments.json`, by hand.

No rule of `domain/lessons/supersession.py` was made for them.
"""

from __future__ import annotations

import json
from pathlib import Path

from mcp_reflect.domain.lessons.supersession import Statement, amendment

_PAIRS = Path(__file__).with_name("amendments.json")


def recognise_amendments(*, true: bool) -> tuple[int, int]:
    """Return how many pairs are taken for an amendment, and how many there are: of the `true` ones or of the decoys."""
    rows = [row for row in json.loads(_PAIRS.read_text(encoding="utf-8")) if row["amends"] is true]
    told = [
        [Statement(task, lesson) for task, lesson in zip(row["tasks"], row["lessons"], strict=True)] for row in rows
    ]
    return sum(amendment(later, earlier) > 0 for earlier, later in told), len(rows)
