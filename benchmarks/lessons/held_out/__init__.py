"""Sessions that no rule was made for: other clients, other kinds of mending, runs in which much fails."""

from __future__ import annotations

from benchmarks.lessons.held_out.building import BUILDING
from benchmarks.lessons.held_out.code import CODE
from benchmarks.lessons.held_out.fresh import FRESH
from benchmarks.lessons.held_out.later import LATER
from benchmarks.lessons.held_out.running import RUNNING

__all__ = ["FIRST", "FRESH", "LATER"]

FIRST = (*BUILDING, *CODE, *RUNNING)
