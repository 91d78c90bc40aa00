"""The process that puts one run into the outbox of the home: `python -m mcp_reflect.hub.outbox_writer`.

Shims and hooks import the standard library only; so they start this one where no hub can be had. On stdin it takes a
JSON object: `arguments` of submit_trace, `trace_key` that counts where these have none, `source` of the verdict and
`connection` of the client. Settings are read as a server of that client would. On stdout it says `{}`, or as
`{"error": …}`, the data of an error, why the run cannot be kept.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from mcp_reflect.application.outbox import WaitingRun, keep_run
from mcp_reflect.application.requests import Submission, parse_arguments
from mcp_reflect.config.load import load_settings
from mcp_reflect.errors import MemoryUnavailable, ReflectError, error_data


def keep_submission(given: dict[str, Any]) -> None:
    """Keep a run as this process's settings say. Raises UsageError, ConfigurationError, MemoryUnavailable, OSError."""
    filled_in = {name: given[name] for name in ("trace_key", "source") if given.get(name)}
    own = given["arguments"]
    if not own.get("trace_key"):
        own = {name: value for name, value in own.items() if name != "trace_key"}
    submission = parse_arguments(Submission, own, "submit_trace", filled_in)
    settings = load_settings()
    arguments = submission.model_dump(mode="json", exclude_defaults=True, exclude={"source"})
    run = WaitingRun(
        settings.project,
        settings.user,
        arguments,
        source=submission.source,
        connection=str(given.get("connection", "")),
    )
    keep_run(settings.home, run)


def keep_run_on_stdin() -> None:
    """Keep the run on stdin; the outcome goes to stdout."""
    given = sys.stdin.buffer.read()
    if not given:  # it was started in case of need
        return
    try:
        keep_submission(json.loads(given))
    except ReflectError as error:
        sys.stdout.write(json.dumps({"error": error_data(error)}))
    except OSError as error:
        sys.stdout.write(json.dumps({"error": error_data(MemoryUnavailable(str(error)))}))
    else:
        sys.stdout.write("{}")


if __name__ == "__main__":
    keep_run_on_stdin()
