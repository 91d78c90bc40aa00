"""Durability of acknowledged writes: SQLite's journal, its checkpoints, and the number of the last commit."""
