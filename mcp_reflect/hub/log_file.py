"""The hub's log: what it would say on stderr, in a file of the home that never grows far."""

from __future__ import annotations

import logging
import os
import sys
from pathlib import Path

from mcp_reflect.wire.hub_launcher import open_log

MAX_HUB_LOG_BYTES = 1_000_000
"""Bytes; one older file of about that length is kept."""


class HubLog:
    """Takes this process's stdout and stderr, so that what libraries print ends there too."""

    def __init__(self, file: Path) -> None:
        self._file = file
        logging.basicConfig(
            level=logging.WARNING,
            stream=sys.stderr,
            format="%(asctime)s %(process)d %(levelname)s %(name)s: %(message)s",
        )
        self.keep_short()

    def keep_short(self) -> None:
        """Begin a new file where the present one is long."""
        try:
            if self._file.stat().st_size > MAX_HUB_LOG_BYTES:
                self._file.replace(self._file.with_suffix(".log.1"))
                self.take(2)
                self.take(1)
        except OSError:  # the home is gone, or no descriptor is left; neither may end the hub from here
            return

    def take(self, descriptor: int) -> None:
        """Send what is written to a descriptor to the file."""
        opened = open_log(self._file)
        os.dup2(opened, descriptor)
        os.close(opened)
