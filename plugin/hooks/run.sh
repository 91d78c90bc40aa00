#!/bin/sh
# Hands a hook's call to mcp-reflect. Whatever happens, the session goes on: the exit code is 0, as 2 would block it
# (and is what a version without hooks would end with).
# Not MCP_REFLECT_…: those are settings, and one that is no setting stops the server.
program=${REFLECT_PROGRAM:-mcp-reflect}
if ! command -v "$program" >/dev/null 2>&1; then
    # Where `pip install --user`, pipx and uv put programs, which desktop programs often have not on their PATH.
    program=$HOME/.local/bin/mcp-reflect
fi
if command -v "$program" >/dev/null 2>&1; then
    "$program" hook claude-code "$1" 2>/dev/null
elif [ "$1" = SessionStart ]; then
    cat >/dev/null
    echo '{"systemMessage": "mcp-reflect is not on PATH, so nothing is recalled or learned. Install it, or set REFLECT_PROGRAM to the program."}'
else
    cat >/dev/null
fi
exit 0
