"""Secrets out of text and JSON before anything is stored or sent."""
