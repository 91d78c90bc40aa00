"""Which commands of a run failed and passed when, and so which of its edits the run itself has borne out."""

from __future__ import annotations

from dataclasses import dataclass, field

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.provenance.command_words import simple_commands

REDIRECTION = re.compile(r"(?<!\s)\s*\d?>+\s*(?:&\d|\S+)")


@dataclass
class CommandOutcomes:
    """The places in a run at which each command, or part of a compound one, passed and failed."""

    failed: dict[str, list[int]] = field(default_factory=dict)
    passed: dict[str, list[int]] = field(default_factory=dict)

    def add(self, place: int, command: str, *, failed: bool) -> None:
        """Add the outcome of a command line. Which part of one failed is not known, so each counts as failed."""
        for part in _normalized(command):
            (self.failed if failed else self.passed).setdefault(part, []).append(place)

    def bear_out(self, place: int) -> bool:
        """Return true for what was done at a place between the failure of a command and its next passing."""
        for part, failures in self.failed.items():
            passing = min((each for each in self.passed.get(part, ()) if each > place), default=0)
            if failures[0] < place < passing and not any(place < each < passing for each in failures):
                return True
        return False

    def had_failed(self, command: str) -> bool:
        """Return true for a command of which a part failed before."""
        return any(part in self.failed for part in _normalized(command))


def _normalized(command: str) -> list[str]:
    parts = (REDIRECTION.sub("", part).strip() for part in simple_commands(command))
    return [part for part in parts if part]
