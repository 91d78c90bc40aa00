"""The process that an MCP client starts: carries its lines to the hub and the hub's lines back.

`command` runs a `relay`. Its client's side is `stdio`; until there is a hub, `front` answers (`settings_check` tells
whether it may). The way to the hub is `upstream` with `hub_finder`, `hub_link`, `client_handshake` and `line_queue`,
the way back `downstream`; what no hub answers in time is `overdue`.
"""
