"""Innocent lines of another kind than `innocent.py` reads: files of the operating system and of other languages."""

from __future__ import annotations

import base64
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from random import Random

from benchmarks.secrets.innocent import ROOT

_ROOTS = (Path("/usr"), Path("/etc"), Path("/var/log"), Path("/var/lib/dpkg"))
_SKIPPED = frozenset(("proc", "tmp", ".git", "redaction", "secrets", "security"))
SOURCES: dict[str, tuple[str, ...]] = {
    "headers of C": (".h", ".c"),
    "modules of Perl": (".pm", ".pl"),
    "pages in HTML": (".html", ".xml", ".svg"),
    "styles and minified JavaScript": (".css", ".min.js", ".map"),
    "documents": (".rst", ".txt", ".md"),
    "types of Python": (".pyi",),
    "data in JSON": (".json", ".ipynb"),
    "settings": (".yaml", ".yml", ".toml", ".conf", ".ini"),
    "checksums and logs": (".md5sums", ".log", ".list"),
    "certificates": (".crt", ".pem"),
    "modules of Go and Rust": (".go", ".rs", ".sum", ".lock"),
}
_FILES_READ = 250
_MOST_BYTES = 300_000
_PICTURE_LINE = 76


def system_lines(most: int, seed: int) -> Iterator[tuple[str, list[str]]]:
    """Yield the name of each source with up to `most` lines from it, in runs that stood together."""
    rng = Random(seed)
    found: dict[str, list[Path]] = {name: [] for name in SOURCES}
    pictures: list[Path] = []
    for folder in _ROOTS:
        for directory, folders, names in os.walk(folder):
            folders[:] = sorted(set(folders) - _SKIPPED)
            for file in sorted(names):
                if file.endswith(".png"):
                    pictures.append(Path(directory, file))
                for name, ends in SOURCES.items():
                    if file.endswith(ends):
                        found[name].append(Path(directory, file))
    for name, paths in found.items():
        yield name, list(_some_lines(rng.sample(paths, min(_FILES_READ, len(paths))), most, rng))
    yield "pictures in base64", list(_encoded(rng.sample(pictures, min(40, len(pictures)))))
    for name, command in (("git log -p", ["log", "-p", "-n", "60"]), ("git ls-tree", ["ls-tree", "-r", "HEAD"])):
        others = [*command, "--", ".", ":!*redact*", ":!*secret*", ":!tests/security"] if "log" in command else command
        done = subprocess.run(["git", *others], cwd=ROOT, capture_output=True, text=True, check=True, errors="replace")
        yield name, done.stdout.splitlines()[:most]


def _some_lines(paths: list[Path], most: int, rng: Random) -> Iterator[str]:
    """Yield up to so many lines, of each file a run of at most an equal share."""
    share = max(60, most // max(len(paths), 1))
    for path in paths:
        try:
            with path.open("rb") as file:
                lines = file.read(_MOST_BYTES).decode("utf-8").splitlines()
        except (OSError, UnicodeDecodeError):
            continue
        if any("PRIVATE KEY" in line for line in lines):
            continue
        first = rng.randrange(max(len(lines) - share, 0) + 1)
        yield from lines[first : first + share]


def _encoded(paths: list[Path]) -> Iterator[str]:
    for number, path in enumerate(paths):
        text = base64.b64encode(path.read_bytes()[:9_000]).decode()
        if number % 2:
            yield f'<img src="data:image/png;base64,{text}" alt="">'
        else:
            yield from (text[start : start + _PICTURE_LINE] for start in range(0, len(text), _PICTURE_LINE))
