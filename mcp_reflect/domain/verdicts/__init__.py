"""Verdicts on a run in what its user says: plain praise and plain blame, in many languages."""
