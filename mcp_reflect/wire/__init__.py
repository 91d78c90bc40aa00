"""The clients' side of the hub: start it, connect, call tools. Standard library only, as everybody waits for it."""
