"""The MCP server: tools, resources and prompts over a MemoryService, knowing nothing of transports."""

from mcp_reflect.server.app import build_server

__all__ = ["build_server"]
