"""What the tools and commands show: records as JSON, in full or concise, and as text."""
