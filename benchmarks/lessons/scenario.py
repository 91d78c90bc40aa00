"""A scenario: a small project with a fault in it, and the steps by which an agent finds and mends it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

Client = Literal["claude-code", "codex", "codex-exec", "gemini", "openhands", "log"]


class Run(NamedTuple):
    """A command; `folder` is where it runs, below the project."""

    command: str
    folder: str = ""


class Edit(NamedTuple):
    """A change of a file, by its client's tool."""

    path: str
    old: str
    new: str


class Write(NamedTuple):
    """A new file, by its client's tool."""

    path: str
    content: str


class Say(NamedTuple):
    """What the agent says."""

    text: str


class Hear(NamedTuple):
    """What the user says in between."""

    text: str


Step = Run | Edit | Write | Say | Hear


@dataclass(frozen=True)
class Scenario:
    """`task` is what was asked, `reworded` what somebody else asks for later; `files` are there at the beginning.

    `decisive` is what the next run needs verbatim: the command that worked, or the change that made it work.
    """

    name: str
    ecosystem: str
    task: str
    reworded: str
    files: dict[str, str]
    steps: tuple[Step, ...]
    decisive: str
    setup: str = ""
    client: Client = "claude-code"
