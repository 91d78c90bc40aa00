"""A recorded session with a command that failed and one that worked, and the commands of later sessions."""

from __future__ import annotations

from typing import NamedTuple

from benchmarks.lessons.scenario import Scenario

PROJECT = "{project}"
"""Stands in a later command for the folder in which it runs."""


class Case(NamedTuple):
    """`repeats` would fail as the recorded command did, `others` would not: they are none of its business.

    Both run in the project as it was before the session.
    """

    scenario: Scenario
    repeats: tuple[str, ...]
    others: tuple[str, ...]
