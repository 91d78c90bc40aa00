"""Tables for people, and the goals with whether they were met."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

WIDTH = 150
"""Columns where the output is no terminal."""


class Report:
    """Prints as it goes; at the end it repeats the goals."""

    def __init__(self) -> None:
        self.console = Console(record=True, width=None if sys.stdout.isatty() else WIDTH, highlight=False)
        self.goals: list[tuple[str, bool]] = []

    def table(self, title: str, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
        self.console.print(f"\n{title}", style="bold", markup=False)
        table = Table(*columns)
        for row in rows:
            table.add_row(*row)
        self.console.print(table)

    def say(self, text: str) -> None:
        self.console.print(text, markup=False)

    def goal(self, what: str, value: float, bound: float, *, least: bool, digits: int = 3, judged: bool = True) -> None:
        """A value that must be at least, or at most, `bound`; one that is not judged is only told."""
        if not judged:
            self.say(f"  {what}: {value:.{digits}f}")
            return
        met = value >= bound if least else value <= bound
        text = f"{what}: {value:.{digits}f} (goal {'≥' if least else '≤'} {bound:g}: {'met' if met else 'missed'})"
        self.goals.append((text, met))
        self.say(f"  {text}")

    def summary(self) -> None:
        if self.goals:
            met = sum(ok for _, ok in self.goals)
            self.say(f"\n{met} of {len(self.goals)} goals met; missed:" if met < len(self.goals) else "\nall goals met")
            for text, ok in self.goals:
                if not ok:
                    self.say(f"  {text}")

    def save(self, path: Path) -> None:
        path.write_text(self.console.export_text(), encoding="utf-8")
