"""The clients' side of the hub: start it, connect, call tools. Standard library only, as everybody waits for it.

Both sides of a connection: `address`, `handshake`, `owner_note`, `request_meta`, `json_rpc`, `version`.
Reaching a hub: `hub_connection`, and `hub_launcher` where one may have to be started.
Programs that call tools: `caller`, over a `transport` that `connector` makes; `remote_error` is what a server refuses
a call with. `maintenance` asks the owner of a home for what no tool does, `outbox_process` keeps a run for a later hub.
The process that an MCP client starts: `shim/`.
"""
