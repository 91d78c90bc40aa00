"""Which recorded errors are called the same where they come back within the log of something else (`frames.py`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from rich.console import Console
from rich.table import Table

from benchmarks.error_pairs.frames import FRAMES
from benchmarks.error_pairs.report import read_recorded
from mcp_reflect.domain.error_matching.signatures import SignatureGroup, error_signatures, is_same


class _Known:
    """The signatures of the errors as first printed, by case."""

    def __init__(self, groups: Mapping[str, SignatureGroup]) -> None:
        self._groups = groups
        self._by_opening: dict[str, set[str]] = {}
        for label, group in groups.items():
            for signature in group:
                self._by_opening.setdefault(signature.opening, set()).add(label)

    def same(self, text: str) -> list[str]:
        """The cases whose error a text reports."""
        asked = error_signatures(text)
        candidates = {label for each in asked for label in self._by_opening.get(each.opening, ())}
        return [label for label in candidates if is_same(asked, self._groups[label])]


def print_frames(console: Console) -> None:
    """Ask for every error from another folder, and for its look-alike, within each frame; print the figures."""
    cases = list(read_recorded())
    known = _Known({case.label: error_signatures(case.outputs["base"]) for case in cases})
    table = Table("frame", "same error found", "called same: right", "look-alikes announced")
    table.title = f"{len(cases)} errors of real tools, each within the log of something else"
    total = Counter[str]()
    for name, frame in FRAMES.items():
        count = Counter[str]()
        for case in cases:
            back = known.same(frame(case.outputs["moved"].splitlines()))
            other = known.same(frame(case.outputs["look_alike"].splitlines()))
            count.update(found=case.label in back, called=len(back) + len(other), announced=bool(other), asked=1)
        table.add_row(name, *_row(count))
        total += count
    table.add_row("all", *_row(total))
    console.print(table)


def _row(count: Counter[str]) -> tuple[str, str, str]:
    return (
        f"{count['found'] / count['asked']:.3f} of {count['asked']}",
        f"{count['found'] / max(count['called'], 1):.3f} of {count['called']}",
        f"{count['announced'] / count['asked']:.3f} of {count['asked']}",
    )
