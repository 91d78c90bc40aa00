"""Tests, in the folders of what they test."""

import os

# Workers stand beside each other already; threads of numpy's that wait for work would take the processor from them.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
