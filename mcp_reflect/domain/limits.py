"""The most that may be handed in, each limit said once; longer input is refused, or shortened by our own programs."""

from __future__ import annotations

MAX_TASK = 32_000
"""Characters of a task."""

MAX_TRAJECTORY = 4_000_000
"""Characters of a trajectory, as text or as JSON."""

MAX_TEXT = 200_000
"""Characters of a final response, a reference context, feedback or an error."""

MAX_FIELD = 8_000
"""Characters of a field of a lesson or of an error's fix."""

MAX_NAME = 200
"""Characters of an id, a trace_key or the name of a model or tool."""

MAX_METADATA_KB = 16
MAX_METADATA_BYTES = MAX_METADATA_KB * 1_024
"""Bytes of metadata as JSON."""

MAX_IDS = 100
"""Entries of a list of ids, names or texts."""

MAX_LIMIT = 100
"""Results that may be asked for."""

MAX_CLAIMS = 3
"""Claims of a run."""

MAX_CLAIM_CHARS = 500
"""Characters of a claim."""

CHARS_PER_TOKEN = 4
"""Characters per token in estimates: OpenAI's rule of thumb for English text."""
