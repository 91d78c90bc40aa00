"""The MCP server: tools, resources and prompts over a MemoryService, knowing nothing of transports.

`app.build_server` puts it together. Nothing is imported here, since commands show memories by `views` without the SDK.
"""
