"""Drafting of a lesson from a whole run, and checks of a model's draft against the run."""
