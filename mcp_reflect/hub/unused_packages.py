"""Packages that the SDK imports where they are installed, and a hub has no use for."""

from __future__ import annotations

import sys
from typing import cast

_UNUSED = ("uvicorn", "rich")
"""An HTTP server, whose end the SDK's event streams want to hear of, and colours for logs on a terminal. The SDK does
without them where they are absent."""


def leave_out_unused_packages() -> None:
    """Have imports of these packages fail in this process: 5 MB and a tenth of the time that the SDK takes to import.

    It has no effect on one that is imported already.
    """
    for name in _UNUSED:
        # None is Python's mark of a module that is not to be found.
        cast("dict[str, object]", sys.modules).setdefault(name, None)
