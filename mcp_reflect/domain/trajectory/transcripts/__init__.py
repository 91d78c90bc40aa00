"""Plain-text transcripts, as agent frameworks print their runs, read into chat messages."""
