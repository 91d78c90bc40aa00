"""What a hub's process does not import although it is installed."""

from __future__ import annotations

import subprocess
import sys

from tests.support.waiting import HANG_S

CODE = """
import sys
from mcp_reflect.hub.unused_packages import leave_out_unused_packages

leave_out_unused_packages()
import mcp_reflect.hub.owner
from mcp_reflect.server.app import build_server

build_server()
import chromadb.api.client, chromadb.api.fastapi, fastembed, openai  # what a hub may import later
print(*{"rich", "uvicorn", "watchfiles"} & {name for name, module in sys.modules.items() if module})
"""


def test_a_hub_loads_neither_an_http_server_nor_what_colours_logs() -> None:
    done = subprocess.run([sys.executable, "-c", CODE], check=True, timeout=HANG_S, capture_output=True, text=True)
    assert not done.stdout.split()
