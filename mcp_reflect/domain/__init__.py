"""The vocabulary and the pure functions: no I/O, nothing of ours above this layer."""
