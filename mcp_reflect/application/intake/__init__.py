"""Intake of runs: read, prepared, stored; and of those that waited for a hub."""
