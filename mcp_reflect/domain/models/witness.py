"""Runs that taught the same lesson as an earlier one: evidence for its memory in place of memories of their own."""

from __future__ import annotations

from datetime import datetime

from mcp_reflect.domain.models.common import Author
from mcp_reflect.domain.models.trace import ReflectionDraft
from mcp_reflect.domain.record import Record


class Witness(Record):
    """A run that taught a memory's lesson, with the words in which it did; `success` says whether it passed.

    A memory that one run alone taught has none. The first by `created_at`, then by trace, is the memory's source.
    """

    memory_id: str
    trace_id: str
    draft: ReflectionDraft
    author: Author
    success: bool
    created_at: datetime
