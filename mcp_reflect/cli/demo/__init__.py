"""The loop, shown through a real MCP client: see `script.run`."""

from mcp_reflect.cli.demo.script import run

__all__ = ["run"]
