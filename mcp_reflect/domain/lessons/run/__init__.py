"""The steps of a run: its commands and edits, and its calls of tools as text."""
