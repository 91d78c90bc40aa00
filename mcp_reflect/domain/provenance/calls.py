"""The calls that a run made, as texts may have led to them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from mcp_reflect.domain.provenance.dictated_commands import may_be_told
from mcp_reflect.domain.provenance.observed import Observed
from mcp_reflect.domain.provenance.tokens import stems_of, tokens_of
from mcp_reflect.domain.trajectory.command_lists import in_one_command_line
from mcp_reflect.domain.truncate import CUT, in_one_line


@dataclass(frozen=True)
class Call:
    """A call of a run. `text` is its arguments, `command` the command line that it runs, if any."""

    place: int
    text: str
    command: str = ""
    is_edit: bool = False

    @cached_property
    def _lines(self) -> tuple[str, ...]:
        told = self.text, in_one_line(self.text), in_one_command_line(self.text.strip())
        return told if self.command in {"", self.text} else (*told, self.command)

    def holds(self, quoted: str) -> bool:
        """Return true for a text that is in it, also where a lesson put it into one line and cut its end off."""
        said = quoted.removesuffix(CUT).rstrip()
        return any(said in text for text in self._lines)

    @cached_property
    def tokens(self) -> frozenset[str]:
        """Return the words, names and paths in it."""
        return tokens_of(self.text)

    @cached_property
    def stems(self) -> frozenset[str]:
        """Return the stems of its words."""
        return stems_of(self.tokens)

    def is_the_agents(self, observed: Observed) -> bool:
        """Return true where the agent made it of itself, or it is one that texts may dictate."""
        if self.place < observed.place:
            return True
        if self.command:
            return may_be_told(self.command, observed.failed)
        return self.is_edit and bool(observed.failed)
