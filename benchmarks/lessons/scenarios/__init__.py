"""Small projects with a fault in each, and how an agent finds and mends it: what `record.py` runs with real tools."""

from __future__ import annotations

from benchmarks.lessons.scenarios.c import C
from benchmarks.lessons.scenarios.git import GIT
from benchmarks.lessons.scenarios.java import JAVA
from benchmarks.lessons.scenarios.node import NODE
from benchmarks.lessons.scenarios.python import PYTHON
from benchmarks.lessons.scenarios.rust import RUST
from benchmarks.lessons.scenarios.scripts import SCRIPTS

SCENARIOS = (*PYTHON, *NODE, *RUST, *C, *JAVA, *GIT, *SCRIPTS)
