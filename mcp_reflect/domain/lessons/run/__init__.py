"""What a run did: its steps, commands and edits, and the calls of tools as text."""
