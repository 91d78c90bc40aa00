"""An error with its fix, and a long trace that ends in it."""

from __future__ import annotations

TRACE = (
    "Traceback (most recent call last):\n"
    + "".join(f'  File "/srv/app/step{n}.py", line {n}, in step\n    go()\n' for n in range(100))
    + "TypeError: secret undefined"
)
AUTH = {
    "task": "implement auth",
    "mistake": "JWT validation failed",
    "fix": "Added JWT_SECRET to .env",
    "evidence": "TypeError: secret undefined",
    "rule": "Check env vars before auth implementation",
    "tests": ["Verify .env vars", "Test JWT signing"],
}
