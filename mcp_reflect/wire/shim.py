"""The process that a client starts: it relays the client to the hub. Standard library only, as people wait for it."""

from __future__ import annotations

import os
import threading

from mcp_reflect import __version__
from mcp_reflect.wire import address, handshake, hub_launcher
from mcp_reflect.wire.json_rpc import refuse_first_request
from mcp_reflect.wire.relay import Relay, exit_now, print_to_stderr


def serve_through_hub() -> None:
    """Serve the client on stdin and stdout. Returns only where this process is to serve it without a hub."""
    environ = dict(os.environ)
    try:
        cwd = os.getcwd()
    except OSError:  # it was deleted under the process
        cwd = os.path.expanduser("~")
    home = address.home_folder(environ, cwd)
    if not address.hub_enabled(environ, home, cwd):
        return
    relay = Relay(home, handshake.build_hello(__version__, home, environ, cwd, handshake.new_connection_id()))
    threading.Thread(target=relay.watch, args=(os.getppid(),), daemon=True).start()
    try:
        relay.connect()
        relay.run()
    except hub_launcher.HubUnavailable as error:
        print_to_stderr(str(error))
        if error.alone:
            print_to_stderr("serving this client without a hub")
            return
        refuse_first_request(str(error))
        exit_now(error.exit_code)
    except KeyboardInterrupt:
        exit_now(130)
    exit_now(0)
