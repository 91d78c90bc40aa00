"""Commands that found nothing to do: what they were to bring about was so already. They mend nothing."""

from __future__ import annotations

from mcp_reflect.domain import lazy_re as re

_MOST_CHARS = 20_000
_IDLE = re.compile(
    r"already (?:satisfied|installed|up[- ]to[- ]date|the newest version|enabled|exists|running|at the latest)"
    r"|is (?:already )?up[- ]to[- ]date|^up to date\b|nothing to (?:do|be done|install|commit|migrate|update)"
    r"|nothing (?:has )?changed|no (?:changes|migrations to apply|packages? to (?:install|update|upgrade))"
    r"|0 upgraded, 0 newly installed|^Audited \d+ packages?",
    re.IGNORECASE | re.MULTILINE,
)
_ACTED = re.compile(
    r"successfully (?:installed|built|created|applied)|\b(?:installed|added|changed|updated|removed) [1-9]\d* "
    r"|[1-9]\d* (?:upgraded|newly installed|to remove|packages? (?:added|changed|installed|updated))"
    r"|^(?:setting up|unpacking|installing|downloading|collecting|created?|applying|compiling)\b",
    re.IGNORECASE | re.MULTILINE,
)
"""What else it then did: of several packages some may have been there."""


def did_nothing(output: str) -> bool:
    """Return true for the output of a command that says that there was nothing to do, and of nothing else done."""
    shown = output[:_MOST_CHARS]
    return _IDLE.search(shown) is not None and _ACTED.search(shown) is None
