"""Numbers and times as commands print them."""

from __future__ import annotations

from datetime import datetime


def format_day(moment: str | None) -> str:
    """Return the local date of a time in ISO 8601; `never` for None."""
    return "never" if moment is None else datetime.fromisoformat(moment).astimezone().strftime("%Y-%m-%d")


def format_minute(moment: str) -> str:
    """Return a time in ISO 8601 to the minute, local, with its offset from UTC: `2026-11-22 18:35+01:00`."""
    return datetime.fromisoformat(moment).astimezone().isoformat(" ", "minutes")


def format_count(number: int, thing: str, things: str = "") -> str:
    """Return a number with its noun: `1 memory`, `2 memories`."""
    return f"{number:,} {thing if number == 1 else things or thing + 's'}"
