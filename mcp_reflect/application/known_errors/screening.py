"""Screening of an error that a run fixed: what of it may be stored, and what of it nobody vouches for."""

from __future__ import annotations

from dataclasses import replace

from mcp_reflect.domain.lessons.fixed_errors import FixedError
from mcp_reflect.domain.lessons.triggers import command_of_trigger
from mcp_reflect.domain.provenance.screening import Screening


def screened_error(screening: Screening, fixed: FixedError) -> FixedError | None:
    """Return an error without what its output wanted; None where its mistake or its fix is such a thing."""
    if not all(screening.passes(text) for text in (fixed.mistake, fixed.fix, fixed.command)):
        return None
    evidence = screening.without_orders(fixed.evidence)
    told = (fixed.mistake, fixed.fix, fixed.command, *map(command_of_trigger, fixed.triggers))
    unvouched = tuple(text for text in told if text and screening.unvouched(text))
    return replace(fixed, evidence=evidence, unvouched=unvouched) if evidence else None
