"""`python -m mcp_reflect.hub HOME`: the hub of that home; started by shims, not by people."""

from __future__ import annotations

import gc
import os
import sys

if __name__ == "__main__":
    # Hardly anything that a start creates is garbage, and looking for it takes time; `run_hub` ends this.
    gc.disable()
    from mcp_reflect.hub.blas import use_one_blas_thread
    from mcp_reflect.hub.heaps import share_heaps
    from mcp_reflect.hub.unused_packages import leave_out_unused_packages

    use_one_blas_thread()
    share_heaps()
    leave_out_unused_packages()
    from mcp_reflect.hub.owner import run_hub

    os.environ["MCP_REFLECT_HOME"] = sys.argv[1]
    code = run_hub()
    # Threads may still wait for a language model; all that counts is in the ledger.
    sys.stderr.flush()
    os._exit(code)
