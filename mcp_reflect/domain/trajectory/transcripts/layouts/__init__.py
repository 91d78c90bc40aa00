"""Transcripts of any program, told by how they are laid out: one module for each layout."""
