"""What is installed from a wheel works without the repository: prompts and model data are inside."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]

USE_WHAT_IS_INSIDE = """
import sys
from pathlib import Path
import mcp_reflect
from mcp_reflect.adapters.fastembed_embedder import FastembedEmbedder
from mcp_reflect.adapters.prompts import TEMPLATES, package_folder
assert Path(mcp_reflect.__file__).is_relative_to(sys.argv[1]), mcp_reflect.__file__
folder = package_folder()
assert Path(str(folder)).is_relative_to(sys.argv[1]), folder
assert Path(mcp_reflect.__file__).with_name("py.typed").is_file()
assert mcp_reflect.ReflectClient and mcp_reflect.AsyncReflectClient and mcp_reflect.reflect_trace
assert sorted(file.name for file in folder.iterdir()) == sorted(TEMPLATES)
assert FastembedEmbedder().embed(["a task"]).shape == (1, 384)
"""


@pytest.mark.slow
def test_an_installed_wheel_brings_prompts_and_model_data(tmp_path: Path) -> None:
    build = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--quiet",
        "--no-deps",
        "--wheel-dir",
        str(tmp_path),
        str(REPOSITORY),
    ]
    subprocess.run(build, check=True, cwd=tmp_path)
    wheel = next(tmp_path.glob("mcp_reflect-*.whl"))
    unpacked = tmp_path / "installed"
    with zipfile.ZipFile(wheel) as archive:
        assert not [name for name in archive.namelist() if name.startswith(("tests", "benchmarks"))]
        archive.extractall(unpacked)
    # -P keeps the working directory off the path; the unpacked wheel goes before the editable install.
    subprocess.run(
        [sys.executable, "-P", "-c", USE_WHAT_IS_INSIDE, str(unpacked)],
        check=True,
        cwd=tmp_path,
        env={"PYTHONPATH": str(unpacked), "HOME": str(tmp_path)},
    )
