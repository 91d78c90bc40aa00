"""What follows from a memory's change for those who search by it."""

from __future__ import annotations

from typing import get_args

import numpy as np
import pytest

from mcp_reflect.domain.models import Author, Kind, Status, successor_in_force
from tests.support.values import make_change


@pytest.mark.parametrize(
    ("kind", "author", "solved", "by_error_only"),
    [
        ("error", "agent", True, False),
        ("error", "extractive", True, True),
        ("reflection", "agent", True, False),
        ("reflection", "extractive", False, False),
    ],
)
def test_who_wrote_a_memory_decides_what_it_solves_and_who_finds_it(
    kind: Kind, author: Author, solved: bool, by_error_only: bool
) -> None:
    change = make_change(1, np.zeros(2, np.float32), kind=kind, author=author, has_correct_action=True)
    assert (change.solved, change.by_error_only) == (solved, by_error_only)
    assert not make_change(1, np.zeros(2, np.float32), kind=kind, author=author).solved


def test_only_a_superseded_memory_stands_behind_its_successor() -> None:
    shown = {status for status in get_args(Status) if successor_in_force(status, "mem_2")}
    assert shown == {"superseded"}
