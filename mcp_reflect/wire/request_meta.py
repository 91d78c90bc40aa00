"""What a program tells the server beside a tool's arguments, in a request's `_meta`: no model has to read about it."""

from __future__ import annotations

WAIT = "mcp-reflect/wait"
"""False: the reflection is not waited for."""

REVIEW_SOURCE = "mcp-reflect/review_source"
"""What a verdict was taken from, as `Review.source` names it."""
