"""Pure functions: no I/O, no third-party types."""
