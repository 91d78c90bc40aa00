"""How a turn of a session ended: its last test run, or what the user said next."""
