"""The outcome of a turn: its last test run, or what the user said next."""
