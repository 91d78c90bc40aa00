"""`mcp-reflect` without arguments is what a client starts, `hook` what its hooks call; the rest is for people."""

from __future__ import annotations

import gc
import os
import sys


def main() -> None:
    """Serve a client, run a hook or run the command line, depending on the arguments."""
    # Each way imports only what it needs: clients wait for the first and hooks, a person for the rest.
    # A shell that completes a command line starts the program without arguments too, and says so by this variable.
    if len(sys.argv) == 1 and "_MCP_REFLECT_COMPLETE" not in os.environ:
        if sys.stdin.isatty() and sys.stdout.isatty():
            _introduce()
            return
        from mcp_reflect.wire.shim.command import serve_through_hub  # noqa: PLC0415

        relay = serve_through_hub()
        from mcp_reflect.hub import standalone  # noqa: PLC0415

        # Reached only where this client is to be served, or must be, without a hub.
        sys.exit(standalone.serve_standalone(relay))
    if sys.argv[1:2] == ["hook"] and "--help" not in sys.argv:
        from mcp_reflect.hooks import command  # noqa: PLC0415

        command.run_hook(sys.argv[2:])
    # What imports make stays. The command looks for garbage again when it has all it needs.
    gc.disable()
    from mcp_reflect.cli.app import run_command_line as run_command  # noqa: PLC0415

    run_command()


def _introduce() -> None:
    """Tell a person at a terminal what this is: a client would speak MCP through pipes."""
    sys.stdout.write(
        "mcp-reflect is a memory for coding agents: an MCP server that a client starts,\nnot a person.\n\n"
        "  mcp-reflect demo                  see it work, in a temporary folder\n"
        "  mcp-reflect install claude-code   put it into a client; --help lists the others\n"
        "  mcp-reflect doctor                check the installation\n"
        "  mcp-reflect --help                every command\n"
    )


if __name__ == "__main__":
    main()
