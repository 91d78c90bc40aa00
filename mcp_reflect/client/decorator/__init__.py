"""The decorator `reflect_trace`: every call of a function is a run."""
