"""What several models are made of."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

Scalar = str | int | float | bool
Metadata = dict[str, Scalar | list[Scalar]]

Result = Literal["pass", "fail"]
Author = Literal["agent", "llm", "sampling", "extractive", "import"]
Origin = Literal["run", "error", "insight", "import"]
"""Where a trace came from. Only a `run` was submitted; the others are the provenance of what was recorded directly."""


class Frozen(BaseModel):
    """The base of immutable models that refuse unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")
