"""Commands that change, remove, move or check what is stored."""
