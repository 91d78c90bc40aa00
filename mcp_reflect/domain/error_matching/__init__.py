"""Matching of error texts, and the file format of recorded errors."""
