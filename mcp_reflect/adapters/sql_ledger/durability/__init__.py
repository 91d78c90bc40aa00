"""What makes an acknowledged write last: SQLite's journal, its checkpoints, and the number of the last commit."""
