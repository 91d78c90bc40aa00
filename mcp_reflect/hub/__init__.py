"""The hub: the one process that owns a home and serves every client of it.

`owner` runs it, `listener` accepts connections, `handshake` answers their first line, `session` serves an MCP client,
`maintenance` does what only the owner of a home can. The clients' side is `mcp_reflect.wire`. Importing this package
imports none of its modules.
"""
