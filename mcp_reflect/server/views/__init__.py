"""Views of records for tools and commands: as JSON, in full or concise, and as text."""
