"""What is known of a form in which transcripts come."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.trajectory.messages import Message


class TranscriptFormat(NamedTuple):
    """A form in which transcripts come: a sign that is quickly looked for, and the reader that decides."""

    sign: re.Pattern[str]
    """What such a transcript has in its first lines. Others may have it too."""
    read: Callable[[str], list[Message] | None]
    """Return the messages of such a transcript, None for any other text. It takes time linear in the text."""
