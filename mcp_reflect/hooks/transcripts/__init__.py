"""Sessions that clients wrote, read into turns: transcripts of one client each, and formats of past sessions."""
