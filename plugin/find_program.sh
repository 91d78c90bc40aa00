# Sourced: sets `program` to the command that starts mcp-reflect, empty where there is none. Looks where
# `mcp-reflect install` would find it and where installers put programs, which desktop programs have not on their PATH.
# Never in the project's folder: a repository must not bring the program that is started.
# Not MCP_REFLECT_…: those are settings, and one that is no setting stops the server.
program=
data=${XDG_DATA_HOME:-$HOME/.local/share}
for candidate in \
    "${REFLECT_PROGRAM:-}" \
    mcp-reflect \
    "${MCP_REFLECT_HOME:+$MCP_REFLECT_HOME/launch}" \
    "$data/mcp-reflect/launch" \
    "$HOME/Library/Application Support/mcp-reflect/launch" \
    "${PIPX_BIN_DIR:+$PIPX_BIN_DIR/mcp-reflect}" \
    "${UV_TOOL_BIN_DIR:+$UV_TOOL_BIN_DIR/mcp-reflect}" \
    "${XDG_BIN_HOME:+$XDG_BIN_HOME/mcp-reflect}" \
    "$HOME/.local/bin/mcp-reflect" \
    "$HOME"/Library/Python/*/bin/mcp-reflect \
    /opt/homebrew/bin/mcp-reflect \
    /usr/local/bin/mcp-reflect
do
    if [ -n "$candidate" ] && command -v "$candidate" >/dev/null 2>&1; then
        program=$candidate
        break
    fi
done
