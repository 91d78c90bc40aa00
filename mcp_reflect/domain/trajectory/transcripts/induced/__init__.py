"""Reading of transcripts whose layout nobody has described: it is taken from the transcript itself."""
