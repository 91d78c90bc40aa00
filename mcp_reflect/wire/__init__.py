"""How a client process reaches the hub. Standard library only: shims, hooks and programs wait for these imports."""
