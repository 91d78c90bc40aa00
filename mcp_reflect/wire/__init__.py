"""The clients' side of the hub: start it, connect, call tools. Standard library only, as everybody waits for it.

Both sides of a connection: `address`, `handshake`, `owner_note`, `request_meta`, `json_rpc`.
Reaching a hub: `hub_launcher`.
Programs that call tools: `caller` over a `transport`.
The shim that an MCP client starts: `shim`, which runs a `relay`. Its client's side is `stdio`; until there is a hub,
`front` answers (`settings_check` tells whether it may); its hub's side is `upstream` with `hub_finder`, `hub_link`,
`client_handshake` and `line_queue`.
"""
