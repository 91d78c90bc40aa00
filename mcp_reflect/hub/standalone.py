"""One process for one client: the server over this process's stdin and stdout."""

from __future__ import annotations

import logging
import sys
from contextlib import nullcontext

from mcp_reflect.errors import ReflectError
from mcp_reflect.wire.json_rpc import refuse_first_request
from mcp_reflect.wire.relay import print_to_stderr


def serve_standalone() -> int:
    """Serve until the client closes stdin; the exit code. What stops the start is one line on stderr and an answer."""
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format="mcp-reflect: %(levelname)s: %(message)s")
    from mcp_reflect.bootstrap import open_memory  # noqa: PLC0415 - after logging is on stderr
    from mcp_reflect.config.load import load_settings  # noqa: PLC0415 - heavy
    from mcp_reflect.server import build_server  # noqa: PLC0415 - heavy

    try:
        # Opened before the server looks at stdin, so that a failure can still answer the first request.
        with open_memory(load_settings()) as memory:
            build_server(lambda: nullcontext(memory)).run("stdio")
    except ReflectError as error:
        print_to_stderr(str(error))
        refuse_first_request(str(error))
        return 2
    except KeyboardInterrupt:
        return 130
    return 0
