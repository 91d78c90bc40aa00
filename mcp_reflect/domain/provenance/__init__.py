"""Provenance of the words of a lesson, and which of them may stand in it: taint tracking of a run's texts."""
