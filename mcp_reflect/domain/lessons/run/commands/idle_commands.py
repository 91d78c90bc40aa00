"""Commands that found nothing to do: what they were to bring about was so already. They mend nothing."""

from __future__ import annotations

from mcp_reflect.domain import lazy_re as re

_MOST_CHARS = 20_000
_IDLE = re.compile(
    r"already (?:satisfied|installed|up[- ]to[- ]date|the newest version|enabled|exists|running|at the latest)"
    r"|(?<!lockfile )is (?:already )?up[- ]to[- ]date|^up to date\b"
    r"|nothing to (?:do|be done|install|commit|migrate|update)"
    r"|nothing (?:has )?changed|no (?:changes|migrations to apply|packages? to (?:install|update|upgrade))"
    r"|0 upgraded, 0 newly installed|^Audited \d+ packages?",
    re.IGNORECASE | re.MULTILINE,
)
"""That a lock file is up to date says nothing of what it lists."""
_ACTED = re.compile(
    r"successfully (?:installed|built|created|applied)"
    r"|\b(?:installed|added|changed|updated|removed) [1-9]\d*(?=[\s,;)]|\.?$)|^packages: [+-]\d"
    r"|(?<!\d)[1-9]\d* (?:upgraded|newly installed|to remove|packages? (?:added|changed|installed|updated))"
    r"|^(?:setting up|downloading|collecting|created?)\b|^\[\s{0,2}\d{1,3}%\] (?:building|linking|generating)\b"
    r"|^[^\w\n]{0,8}(?:unpacking|installing|applying|compiling|pouring|upgrading|linking)\b"
    r"|^[ \t]*(?:/\S*/)?(?-i:install|mkdir|cp|mv|ln|gcc|g\+\+|cc|c\+\+|clang|clang\+\+|ld|ar|ranlib|libtool: \w+:) +\S"
    r"|^[ \t]+(?-i:CC|CXX|CCLD|CXXLD|LD|AR|AS|GEN)[ \t]+\S",
    re.IGNORECASE | re.MULTILINE,
)
"""What else it then did: of several packages some may have been there, and of several targets some done."""


def did_nothing(output: str) -> bool:
    """Return true for the output of a command that says that there was nothing to do, and of nothing else done."""
    shown = output[:_MOST_CHARS]
    return _IDLE.search(shown) is not None and _ACTED.search(shown) is None
