"""`python -m mcp_reflect.hub HOME`: the hub of that home; started by shims, not by people."""

from __future__ import annotations

import os
import sys

from mcp_reflect.hub.owner import run_hub

if __name__ == "__main__":
    os.environ["MCP_REFLECT_HOME"] = sys.argv[1]
    code = run_hub()
    # Threads may still wait for a language model; all that counts is in the ledger.
    sys.stderr.flush()
    os._exit(code)
