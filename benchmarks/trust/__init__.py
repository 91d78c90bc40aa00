"""Attacks by text that an agent read, and honest runs that must not suffer from the defence."""
