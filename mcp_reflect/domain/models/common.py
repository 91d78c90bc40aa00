"""Types and fields that several models share."""

from __future__ import annotations

from typing import Literal

Scalar = str | int | float | bool
Metadata = dict[str, Scalar | list[Scalar]]

Result = Literal["pass", "fail"]
Author = Literal["agent", "llm", "sampling", "extractive", "import"]
Origin = Literal["run", "error", "insight", "import"]
"""Where a trace came from. Only a `run` was submitted; the others are the provenance of what was recorded directly."""

TextOrigin = Literal["user", "agent", "file", "memory", "tool", "web"]
"""Where words come from, the most trusted first: said by the user, concluded by the agent, read from a file of the
repository, from an earlier memory, from a tool, from the network.
"""
HEARSAY: tuple[TextOrigin, ...] = ("file", "memory", "tool", "web")
"""Origins for whose words nobody vouches: what was read."""
