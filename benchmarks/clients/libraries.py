"""Agent libraries, each with its own time-outs and in an environment of its own, as some need another SDK than ours."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
import venv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.clients.library_drivers import BEGINNING, DRIVERS, ENDING, NODE_BEGINNING, NODE_DRIVERS, NODE_ENDING
from benchmarks.clients.result import AGAIN, LESSON, MISSPELT, REFUSAL, SUBMIT, ClientResult
from tests.support.hubs import hubs_ended
from tests.support.servers import environment
from tests.support.waiting import HANG_S

LIBRARIES = (*DRIVERS, *NODE_DRIVERS)


def try_library(requirement: str, environments: Path) -> ClientResult:
    """Return what was seen of a library, which is installed below the folder `environments` where it is not there."""
    package = requirement.partition("[")[0]
    is_node = requirement in NODE_DRIVERS
    folder = environments / package.replace("/", "-")
    if not (_install_from_npm if is_node else _install)(requirement, folder):
        return ClientResult(package, "", *["not tried: it cannot be installed here"] * 4)
    if is_node:
        driver = NODE_BEGINNING + NODE_DRIVERS[requirement] + NODE_ENDING
        command = ["node", "--input-type=module", "--eval", driver]
    else:
        command = [str(folder / "bin" / "python"), "-c", BEGINNING + DRIVERS[requirement] + ENDING]
    with tempfile.TemporaryDirectory() as home_folder, hubs_ended(Path(home_folder) / "home") as home:
        return _result(package, _driven(command, folder, package, home))


def _install(requirement: str, folder: Path) -> bool:
    python = folder / "bin" / "python"
    if python.is_file():
        return True
    venv.create(folder, with_pip=True)
    return _succeeds([str(python), "-m", "pip", "install", "--quiet", requirement])


def _install_from_npm(package: str, folder: Path) -> bool:
    if (folder / "node_modules" / package).is_dir():
        return True
    npm = shutil.which("npm")
    folder.mkdir(parents=True, exist_ok=True)
    return npm is not None and _succeeds([npm, "install", "--no-audit", "--no-fund", "--prefix", str(folder), package])


def _succeeds(command: Sequence[str]) -> bool:
    return subprocess.run(command, check=False, capture_output=True, timeout=2 * HANG_S).returncode == 0


def _driven(command: Sequence[str], folder: Path, package: str, home: Path) -> dict[str, Any]:
    given = {
        "package": package,
        "command": [sys.executable, "-P", "-m", "mcp_reflect"],
        "environ": environment(home, MCP_REFLECT_HUB__IDLE_EXIT_S="30", MCP_REFLECT_HUB__ANSWER_WITHIN_S=""),
        "submit": dict(SUBMIT),
        "query": {"task": AGAIN},
        "misspelt": dict(MISSPELT),
        "lesson": LESSON,
    }
    done = subprocess.run(
        command,
        input=json.dumps(given),
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
        timeout=HANG_S,
    )
    return dict(json.loads(done.stdout.splitlines()[-1]))


def _result(package: str, report: dict[str, Any]) -> ClientResult:
    (listed_s, names), *answers = report["said"]
    if isinstance(names, str) or len(answers) < 3:  # it ended before it had all
        problem = names if isinstance(names, str) else [text for _, text in answers]
        return ClientResult(package, report["version"], f"no: {problem}", "not tried", "–", "not tried")
    called_s = answers[0][0] - listed_s
    submitted, refused = answers[0][1], answers[-1][1]
    queries = [text for _, text in answers[1:-1]]
    cold = f"yes, {listed_s:.1f} s; its first call {called_s:.1f} s" if "query_memories" in names else "no"
    if '"waiting"' in submitted or "'waiting'" in submitted or "waits in its outbox" in submitted:
        cold += ", kept in the outbox"
    loop = "yes" if LESSON in queries[-1] else f"no: {submitted} {queries[-1]}"
    if len(queries) > 1 and loop == "yes":
        loop += f", by query {len(queries)}"
    errors = "yes" if REFUSAL in refused else f"no: {refused}"
    return ClientResult(package, report["version"], cold, loop, "–", errors)
