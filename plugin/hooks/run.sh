#!/bin/sh
# Hands a hook's call to mcp-reflect. Whatever happens, the session goes on: the exit code is 0, as 2 would block it
# (and is what a version without hooks would end with).
. "${0%/*}/../find_program.sh"
if [ -n "$program" ]; then
    "$program" hook claude-code "$1" 2>/dev/null
elif [ "$1" = SessionStart ]; then
    cat >/dev/null
    echo '{"systemMessage": "mcp-reflect is not on PATH, so nothing is recalled or learned. Install it, or run `mcp-reflect install claude-code` where it is."}'
else
    cat >/dev/null
fi
exit 0
