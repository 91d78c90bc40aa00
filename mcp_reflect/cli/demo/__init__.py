"""The loop, shown through a real MCP client: see `script.run_demo`."""

from mcp_reflect.cli.demo.script import run_demo

__all__ = ["run_demo"]
