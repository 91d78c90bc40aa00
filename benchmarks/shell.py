"""Runs a command line as a coding agent does, for what is recorded with real tools."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path


def run_line(line: str, folder: Path, environ: Mapping[str, str], limit_s: float) -> subprocess.CompletedProcess[str]:
    """Run a line in bash with both outputs as one text and no input. Raises TimeoutExpired after `limit_s` seconds."""
    return subprocess.run(
        ["/bin/bash", "-c", line],
        cwd=folder,
        env=environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
        timeout=limit_s,
        stdin=subprocess.DEVNULL,
    )
