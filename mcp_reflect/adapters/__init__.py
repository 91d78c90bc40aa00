"""Implementations of the ports; each keeps its third-party types to itself and imports none of the others."""
