"""SIGKILL at random moments of each operation, and a look at what is left: `python -m benchmarks.kills`."""
