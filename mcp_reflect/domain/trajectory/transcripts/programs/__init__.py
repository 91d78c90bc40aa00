"""Transcripts of known programs: one module for each way in which a program prints its runs."""
