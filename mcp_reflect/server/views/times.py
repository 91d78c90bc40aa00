"""Times as every result shows them."""

from __future__ import annotations

from datetime import UTC, datetime


def time_view(moment: datetime) -> str:
    """Return a time as every result shows it: ISO 8601 in UTC, with a Z."""
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")
