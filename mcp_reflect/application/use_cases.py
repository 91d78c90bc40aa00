"""The use cases of a connection that a query needs none of.

They are half of the package: `MemoryService` imports this for its types alone, and has it built when it is used first.
"""

from __future__ import annotations

from dataclasses import dataclass

from mcp_reflect.application.connection_context import ConnectionContext
from mcp_reflect.application.guide import WrittenGuide, write_guide
from mcp_reflect.application.insights import Insights
from mcp_reflect.application.intake.run_intake import RunIntake
from mcp_reflect.application.known_errors import ErrorFixes
from mcp_reflect.application.review.review_service import ReviewService


@dataclass(frozen=True)
class UseCases:
    """Intake and review of runs, known errors, insights and the guide, for one connection."""

    context: ConnectionContext
    reviews: ReviewService
    errors: ErrorFixes
    insights: Insights
    intake: RunIntake

    def guide(self) -> WrittenGuide:
        """Return the project guide, from every memory in use."""
        return write_guide(self.context.ledger, self.context.profile)
