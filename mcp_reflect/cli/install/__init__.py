"""Putting mcp-reflect into the configuration of MCP clients, and taking it out again.

`clients` knows which file is whose, `entry` what to write, `json_edit` and `toml_edit` how to change a text without
touching the rest of it, `plan` what would change, `files` how it reaches the disk, `commands` how people ask for it.
"""
