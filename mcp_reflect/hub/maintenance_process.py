"""Owns a home for one command where no hub runs: `python -m mcp_reflect.hub.maintenance_process COMMAND PROJECT ID`.

Programs and commands for people start it by `wire.maintenance`. Settings are read as a server would in this process's
place. Events go to stdout, as a hub sends them.
"""

from __future__ import annotations

import os
import sys

from mcp_reflect.bootstrap.store import open_store
from mcp_reflect.config.load import load_settings
from mcp_reflect.errors import MemoryUnavailable, ReflectError
from mcp_reflect.hub.handshake import refusal_line
from mcp_reflect.hub.maintenance import run_maintenance
from mcp_reflect.hub.outbox_intake import empty_outbox
from mcp_reflect.wire.handshake import encode_line
from mcp_reflect.wire.maintenance import MaintenanceEvent


def maintain_home(command: str, project: str, thing: str) -> int:
    """Carry out a command of MAINTENANCE_COMMANDS, and return the exit code."""
    events = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)  # what libraries print is no event

    def tell(event: MaintenanceEvent) -> None:
        events.write(encode_line(event))

    try:
        settings = load_settings()
        with open_store(settings, f"mcp-reflect {command}") as store:
            if command == "forget":
                empty_outbox(settings, store)
            run_maintenance(command, store, project, tell, thing)
    except BrokenPipeError:  # nobody listens any more
        return 1
    except (ReflectError, OSError) as error:
        problem = error if isinstance(error, ReflectError) else MemoryUnavailable(str(error))
        tell(refusal_line(problem, 2))
        return 2
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(maintain_home(*sys.argv[1:]))
