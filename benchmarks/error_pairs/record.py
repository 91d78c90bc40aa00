"""Runs the cases with real tools and records what they print: `python -m benchmarks.error_pairs.record [WHICH …]`.

WHICH is an ecosystem, or one of its cases as `ecosystem/case`. Every case is run in several ways, in a folder of its
own each time:

- `base`: the command as it is;
- `moved`: in another folder, with more lines above the fault;
- `wrapped`: from a makefile, a program or a traced shell that fails because of it, in turn, with times before the lines
  for every other case;
- `again`: with the other options of the case;
- `look_alike`, `look_alike_wrapped`: another error of the same shape, as it is and wrapped in the same way.

The folders of this machine and the hosts of package registries are replaced, and the versions of the tools noted in
`versions.json`. A tool that is not there leaves its recorded cases as they are.
"""

from __future__ import annotations

import json
import os
import platform
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.error_pairs.case import Case, read_cases
from benchmarks.shell import run_line

RECORDED = Path(__file__).parent / "recorded"
VERSIONS = Path(__file__).parent / "versions.json"
CASES = read_cases()

_SHIFTED = re.compile(r"\.(?:py|js|mjs|ts|rb|lua|pl|tcl|c|cpp|rs|java|go|sh|asm|sql|tf)$|CMakeLists\.txt$")
_REGISTRY = re.compile(r"https?://(?:registry|repo|packages?|index|mirror)\.[\w.-]+(?=/)")
_MOST_OUTPUT = 5_000
_LIMIT_S = 120
_PLACES = {"base": "/home/dev/project", "moved": "/builds/team-7/checkout_41/project"}
_CLOCK = (
    "import sys,datetime\n"
    "for n, line in enumerate(sys.stdin):\n"
    "    at = datetime.datetime(2026, 3, 4, 5, 6, 7) + datetime.timedelta(seconds=n)\n"
    "    print(at.isoformat() + '.1234567Z', line, end='')\n"
)
_WRAPPERS = (
    "printf 'run:\\n\\t@bash step.sh\\n' > Wrap.mk; make -f Wrap.mk run",
    "python -c \"import subprocess; subprocess.run(['bash', 'step.sh'], check=True)\"",
    "bash -ex step.sh",
)


def record(case: Case, number: int) -> dict[str, Any] | None:
    """Run a case in every way; None where its tool is not there or where it did not fail."""
    wrapper = _WRAPPERS[number % len(_WRAPPERS)]
    timed = number % 2 == 0
    ways = {
        "base": _run(case, case.command),
        "moved": _run(case, case.command, place="moved"),
        "wrapped": _run(case, case.command, place="moved", wrapper=wrapper, timed=timed),
        "look_alike": _run(case, case.command, look_alike=True),
        "look_alike_wrapped": _run(case, case.command, wrapper=wrapper, timed=timed, look_alike=True),
    }
    if case.again:
        ways["again"] = _run(case, case.again)
    if any(output is None for output in ways.values()):
        return None
    if ways["base"] == ways["look_alike"]:
        print(f"  prints the same: {case.ecosystem} {case.name}")
        return None
    return {"ecosystem": case.ecosystem, "name": case.name, "outputs": ways}


def _run(
    case: Case,
    command: str,
    *,
    place: str = "base",
    wrapper: str = "",
    timed: bool = False,
    look_alike: bool = False,
) -> str | None:
    """What a failing command prints, both streams together; None where it worked or was not found."""
    with tempfile.TemporaryDirectory() as top:
        folder = Path(top) / "project"
        folder.mkdir()
        for name, content in case.files.items():
            file = folder / case.filled(name, look_alike=look_alike)
            file.parent.mkdir(parents=True, exist_ok=True)
            above = "\n" * 4 if place == "moved" and _SHIFTED.search(file.name) else ""
            file.write_text(above + case.filled(content, look_alike=look_alike), encoding="utf-8")
        line = case.filled(command, look_alike=look_alike)
        if wrapper:
            (folder / "step.sh").write_text(line + "\n", encoding="utf-8")
            line = wrapper
        if timed:
            (Path(top) / "clock.py").write_text(_CLOCK, encoding="utf-8")
            line = f"set -o pipefail; ( {line} ) 2>&1 | python ../clock.py"
        done = run_line(line, folder, _environment(top), _LIMIT_S)
        if done.returncode == 0:
            print(f"  worked: {case.ecosystem} {case.name}: {line}")
            return None
        return _anonymous(done.stdout, folder, place)


def _anonymous(output: str, folder: Path, place: str) -> str:
    """Output without the folders of the machine that recorded it; of a long one the beginning and the end."""
    places = {
        str(folder): _PLACES[place],
        str(folder.parent): str(Path(_PLACES[place]).parent),
        str(Path(sys.prefix)): "/opt/venv",
        str(Path(sys.base_prefix)): "/usr",
        os.environ.get("ERROR_PAIRS_TOOLS", "/nowhere"): "/opt/tools",
        str(Path.home()): "/home/dev",
        platform.node(): "buildhost",
    }
    for found, name in places.items():
        output = output.replace(found, name)
    output = re.sub(r"/[\w./-]*?/\.venv(?=/)", "/opt/venv", output)
    output = _REGISTRY.sub("https://packages.example", output)
    if len(output) > _MOST_OUTPUT:
        output = output[: _MOST_OUTPUT // 2] + "\n" + output[-_MOST_OUTPUT // 2 :]
    return output


def _environment(top: str) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("HOME", "LANG", "CARGO_HOME", "RUSTUP_HOME") if name in os.environ}
    quiet = {"GIT_CONFIG_GLOBAL": "/dev/null", "NO_UPDATE_NOTIFIER": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    go = {"GOPROXY": "off", "GOFLAGS": "-mod=mod", "GOTOOLCHAIN": "local", "CARGO_TARGET_DIR": f"{top}/target"}
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return kept | quiet | go | {"PATH": path, "TERM": "dumb", "PYTHONDONTWRITEBYTECODE": "1"}


_VERSION = {
    "pytest": "python -m pytest --version",
    "rust": "rustc --version",
    "java": "javac -version",
    "maven": "mvn --version",
    "go": "go version",
    "tcl": "echo 'puts [info patchlevel]' | tclsh",
    "lua": "lua -v",
    "sqlite": "sqlite3 --version",
    "kubectl": "kubectl version --client",
    "ssh": "ssh -V",
    "segfault": "uname -r",
    "nasm": "nasm -v",
}
"""What prints the version of a tool that does not print it for `--version`."""


def version_of(ecosystem: str) -> str:
    """Return the first line that the tool of an ecosystem says of its version; empty where it is not there."""
    command = _VERSION.get(ecosystem, f"{ecosystem} --version")
    with tempfile.TemporaryDirectory() as top:
        done = subprocess.run(
            ["/bin/bash", "-c", f"{command} 2>&1"],
            env=_environment(top),
            capture_output=True,
            text=True,
            check=False,
            timeout=_LIMIT_S,
        )
    said = [line for line in re.sub(r"\x1b\[[\d;]*m", "", done.stdout).splitlines() if any(map(str.isdigit, line))]
    return said[0].strip() if said and done.returncode == 0 else ""


def main(arguments: Sequence[str]) -> None:
    wanted = set(arguments)
    RECORDED.mkdir(exist_ok=True)
    versions = json.loads(VERSIONS.read_text(encoding="utf-8")) if VERSIONS.is_file() else {}
    for ecosystem in dict.fromkeys(case.ecosystem for case in CASES):
        chosen = [
            (number, each)
            for number, each in enumerate(CASES)
            if each.ecosystem == ecosystem and (not wanted or wanted & {ecosystem, f"{ecosystem}/{each.name}"})
        ]
        if not chosen:
            continue
        if version := version_of(ecosystem):
            versions[ecosystem] = version
            VERSIONS.write_text(json.dumps(versions, indent=1) + "\n", encoding="utf-8")
        file = RECORDED / f"{ecosystem}.json"
        known = {each["name"]: each for each in json.loads(file.read_text())} if file.is_file() else {}
        for number, each in chosen:
            recorded = record(each, number)
            if recorded is not None:
                known[each.name] = recorded
        there = [known[each.name] for each in CASES if each.ecosystem == ecosystem and each.name in known]
        file.write_text(json.dumps(there, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        print(f"{ecosystem}: {len(there)}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
