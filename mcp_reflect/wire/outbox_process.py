"""Puts a run into the outbox of the home where no hub can be had. Standard library only: every shim imports this."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import Any

KEEPING_TIMEOUT_S = 30.0


class NotKept(Exception):
    """The run could not be put into the outbox; the message says why."""


def keep_in_outbox(
    arguments: Mapping[str, Any],
    environ: Mapping[str, str],
    cwd: str,
    *,
    trace_key: str = "",
    source: str = "",
    connection: str = "",
) -> None:
    """Keep a run, the arguments of submit_trace, for the next hub; settings are those of `environ` and `cwd`.

    `trace_key` counts where the arguments have none, and one of the two must be given; `source` is what a program took
    the verdict from; `connection` is that whose retrievals the run may have used. Raises NotKept.
    """
    import subprocess  # noqa: PLC0415 - nothing else in a shim starts it

    told = {"arguments": dict(arguments), "trace_key": trace_key, "source": source, "connection": connection}
    try:
        done = subprocess.run(
            # -P: the project's folder must not be searched for modules.
            [sys.executable, "-P", "-m", "mcp_reflect.hub.outbox_writer"],
            input=json.dumps(told).encode(),
            capture_output=True,
            env=dict(environ),
            cwd=cwd,
            timeout=KEEPING_TIMEOUT_S,
            check=False,
        )
        answer = json.loads(done.stdout)
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        raise NotKept(f"the outbox could not be written: {type(error).__name__}") from error
    if answer.get("error"):
        raise NotKept(str(answer["error"]))
