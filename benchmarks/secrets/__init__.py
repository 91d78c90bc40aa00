"""Redaction of secrets on a generated set: kinds of secrets times the shapes that they are written in."""
