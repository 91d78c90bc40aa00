"""Secrets without a known format or name, recognised because they look drawn at random."""
