"""Labelled sessions with endings of every kind, as each client keeps them."""
