"""The guide to a project as results show it, each line with its evidence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # as in `memories.py`
    from mcp_reflect.application.guide import WrittenGuide
    from mcp_reflect.domain.guide.composition import GuideLine


def guide_view(written: WrittenGuide) -> dict[str, Any]:
    """Return a project guide with all of its sections."""
    guide = written.guide
    sections = ("works", "fails", "errors", "decisions", "insights")
    return {
        "project": written.project,
        "runs": {"passed": written.passed, "failed": written.failed},
        **{name: [guide_line_view(line) for line in getattr(guide, name)] for name in sections},
    }


def guide_line_view(line: GuideLine) -> dict[str, Any]:
    """Return a line with its evidence: the runs that it comes from, and how it fared where it was recalled since."""
    return {
        "text": line.text,
        **({"task": line.task} if line.task else {}),
        "memory_ids": list(line.memory_ids),
        "evidence": list(line.trace_ids),
        "passed": line.passed,
        "failed": line.failed,
        "q_value": round(line.q_value, 3),
        "reviews": line.reviews,
        "passes": line.passes,
    }
