"""The Python API: a client of the hub for programs that run agents. Its public names are those of `mcp_reflect`.

Importing it costs the standard library only. Nothing in it touches the store: every call goes to the hub.
"""
