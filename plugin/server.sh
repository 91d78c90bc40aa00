#!/bin/sh
# Starts the MCP server.
. "${0%/*}/find_program.sh"
if [ -z "$program" ]; then
    echo "mcp-reflect was not found. Install it, or run \`mcp-reflect install claude-code\` where it is." >&2
    exit 1
fi
exec "$program"
