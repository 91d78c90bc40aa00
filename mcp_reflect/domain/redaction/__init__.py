"""Redaction of secrets in text and JSON before anything is stored or sent."""
