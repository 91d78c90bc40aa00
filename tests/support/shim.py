"""`python shim.py SERVER [ARGUMENT …]`: `python -m mcp_reflect`, whose hubs are forked by that server.

Where hubs are switched off, the server of the client itself is forked, with the descriptors of this process.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).resolve().parents[2])
    from tests.support.forking import fork, hubs_forked

    del sys.path[0]
    from mcp_reflect.__main__ import main

    server = sys.argv.pop(1)
    if os.environ.get("MCP_REFLECT_HUB__ENABLED") == "false":
        alone = fork(server, ["mcp_reflect", *sys.argv[1:]], os.environ, os.getcwd(), (0, 1, 2))  # noqa: PTH109
        sys.exit(alone.wait())
    with hubs_forked(lambda: server):
        main()
