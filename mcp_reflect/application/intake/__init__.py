"""How runs are taken in: read, prepared, stored; and those that wait for a hub."""
