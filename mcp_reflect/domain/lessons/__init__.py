"""Extraction of lessons from a run without a model: decisions, corrections, repairs, commands that worked."""
