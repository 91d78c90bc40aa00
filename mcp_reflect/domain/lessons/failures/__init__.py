"""Failures in a run and what mended them: error lines, repairs, triggers, and what was done over again."""
