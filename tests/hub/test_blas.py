"""Numpy reads the number of its threads when it is imported, so whatever sets it must come first."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.support.waiting import HANG_S

CODE = """
import os, sys
import mcp_reflect.hub.standalone
from mcp_reflect.hub.blas import use_one_blas_thread
assert "numpy" not in sys.modules
use_one_blas_thread()
import numpy, numpy.linalg
vectors = numpy.ones((4_000, 400), numpy.float32)
for _ in range(20):
    vectors @ vectors[0]
if sys.platform == "linux":
    assert len(os.listdir("/proc/self/task")) == 1, os.listdir("/proc/self/task")
"""


@pytest.mark.process
def test_a_process_that_ranks_computes_in_one_thread() -> None:
    subprocess.run([sys.executable, "-c", CODE], check=True, timeout=HANG_S)
