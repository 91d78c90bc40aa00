"""Lines without secrets: real code, logs, lock files and commands, and generated hashes, ids and images.

What a redaction changes here counts as wrongly caught, also where it may be right: a password in the example of a
document, say.
"""

from __future__ import annotations

import base64
import difflib
import json
import re
import subprocess
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

from benchmarks.quality.data import DATA

ROOT = Path(__file__).parents[2]
BLOCK = 60
"""Lines that are redacted together, so that rules over several lines have their chance to be wrong."""
_FENCE = re.compile(r"^ {0,3}```(?:bash|sh|shell|console|zsh)\n(.*?)^ {0,3}```", re.DOTALL | re.MULTILINE)
_LONGEST_FILE = 400_000


def innocent_lines(most: int, seed: int, *, git: bool = True) -> Iterator[tuple[str, list[str]]]:
    """Yield each source's name with up to `most` of its lines, in runs of BLOCK lines that stood together.

    Without `git` the log of this repository, which takes a process, is left out.
    """
    rng = Random(seed)
    site = Path(json.__file__).parent
    packages = Path(difflib.__file__).parent
    sources: dict[str, Callable[[], Iterator[str]]] = {
        "this repository": lambda: _files(_own_files()),
        "Python's library": lambda: _files(_found(site.parent, "*.py", rng)),
        "packages of Python": lambda: _files(_found(site_packages(), "*.py", rng)),
        "packages of npm": lambda: _files(_found(_node_modules(packages), "*.js", rng)),
        "documents of npm": lambda: _files(_found(_node_modules(packages), "*.md", rng)),
        "lock files": lambda: _files(_lock_files()),
        "real runs and reports": lambda: _files(sorted(DATA.glob("*.jsonl"))),
        "git log": _git_log,
        "hashes, ids, images": lambda: iter(["\n".join(_generated(rng, most))]),
    }
    if not git:
        del sources["git log"]
    for name, read in sources.items():
        yield name, _sample(read(), most, rng)


def commands(most: int, seed: int) -> list[str]:
    """Return up to `most` commands from fenced blocks of real documents."""
    rng = Random(seed)
    documents = [*_found(_node_modules(Path()), "*.md", rng), *ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]
    found = [
        line.strip().removeprefix("$ ")
        for text in _files(documents)
        for block in _FENCE.findall(text)
        for line in block.splitlines()
        if line.strip() and not line.lstrip().startswith("#")
    ]
    return rng.sample(sorted(set(found)), min(most, len(set(found))))


def changed_lines(lines: list[str], redact: Callable[[str], str]) -> list[tuple[str, str]]:
    """Return the lines that redaction changes, each with what it became."""
    changed: list[tuple[str, str]] = []
    for first in range(0, len(lines), BLOCK):
        before = lines[first : first + BLOCK]
        after = redact("\n".join(before)).split("\n")
        if before == after:
            continue
        matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
        for tag, a0, a1, b0, b1 in matcher.get_opcodes():
            if tag != "equal":
                changed += [(line, "\n".join(after[b0:b1])) for line in before[a0:a1]]
    return changed


def _sample(texts: Iterator[str], most: int, rng: Random) -> list[str]:
    blocks: list[list[str]] = []
    for text in texts:
        lines = text.splitlines()
        blocks += [lines[first : first + BLOCK] for first in range(0, len(lines), BLOCK)]
    rng.shuffle(blocks)
    taken: list[str] = []
    for block in blocks:
        if len(taken) + len(block) <= most:
            # Of one length each, so that blocks stay blocks; an empty line at the end changes nothing.
            taken += block + [""] * (BLOCK - len(block))
    return taken


def _files(paths: list[Path]) -> Iterator[str]:
    for path in paths:
        try:
            yield path.read_text("utf-8")[: _LONGEST_FILE * 10]
        except (OSError, UnicodeDecodeError):
            continue


def _own_files() -> list[Path]:
    # These are made of secrets, or of what looks like them.
    secrets = ("tests/domain/redaction/", "tests/security/", "benchmarks/secrets/", "mcp_reflect/domain/redaction/")
    folders = ("mcp_reflect", "tests", "benchmarks", "docs", "prompts", "plugin")
    found = [path for folder in folders for path in sorted((ROOT / folder).rglob("*.*")) if path.is_file()]
    return [path for path in found if not path.relative_to(ROOT).as_posix().startswith(secrets)]


def _found(folder: Path, pattern: str, rng: Random) -> list[Path]:
    paths = sorted(path for path in folder.rglob(pattern) if path.is_file() and path.stat().st_size < _LONGEST_FILE)
    return rng.sample(paths, min(1_500, len(paths)))


def site_packages() -> Path:
    import pydantic  # noqa: PLC0415 - only asked where packages are

    return Path(pydantic.__file__).parents[1]


def _node_modules(_: Path) -> Path:
    folders = (ROOT / "node_modules", Path("/usr/lib/node_modules"), Path("/usr/local/lib/node_modules"))
    return next((folder for folder in folders if folder.is_dir()), folders[0])


def _lock_files() -> list[Path]:
    names = ("package-lock.json", "yarn.lock", "uv.lock", "poetry.lock", "Cargo.lock", "RECORD", "go.sum")
    folders = (ROOT, site_packages(), _node_modules(Path()))
    return [path for folder in folders if folder.is_dir() for name in names for path in sorted(folder.rglob(name))]


def _git_log() -> Iterator[str]:
    yield subprocess.run(
        ["git", "log", "--stat", "-n", "2000"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout


def _generated(rng: Random, count: int) -> Iterator[str]:
    """Yield lines as programs print them with hashes, ids and encoded data in them."""
    for _ in range(count):
        data = rng.randbytes(rng.choice((16, 20, 32, 64)))
        number = rng.randrange(10**9)
        name = str(uuid.UUID(int=rng.getrandbits(128), version=4))
        letters = base64.b64encode(data).decode()
        plain = re.sub(r"[+/=]", "x", letters)
        yield rng.choice(
            (
                f"commit {data.hex()[:40]}",
                f'"integrity": "sha512-{base64.b64encode(rng.randbytes(64)).decode()}",',
                f'    {{file = "x-1.0-py3-none-any.whl", hash = "sha256:{rng.randbytes(32).hex()}"}},',
                f"2024-03-0{rng.randrange(1, 9)}T04:05:06Z INFO request_id={name} user={number} status=200 took=31ms",
                f"data:image/png;base64,iVBORw0KGgo{base64.b64encode(rng.randbytes(3000)).decode()}",
                f'{{"type": "tool_use", "id": "toolu_01{plain[:22]}", "name": "Bash"}}',
                f'{{"id": "call_{plain[:24]}", "token_count": {number}, "key": "{name}"}}',
                f'Digest: sha256:{rng.randbytes(32).hex()}  etag: W/"{data.hex()[:32]}"',
                f'  {data.hex()[:12]}  app:1.2  "python app.py"  3 hours ago  Up 3 hours',
                f"GET /static/js/main.{data.hex()[:8]}.chunk.js?v={number} HTTP/1.1 200",
                f"-----BEGIN CERTIFICATE-----\nMIID{letters}\n-----END CERTIFICATE-----",
                f"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{letters[:43]} bob@host",
                f"key {name} expired, session {data.hex()[:8]} closed after {number} tokens",
                f"cache key: {data.hex()[:32]}; primary key ({number}); tokens: {number % 4096}",
                f"object-{data.hex()[:20]} 0x{data.hex()[:16]} [{number}] at 0x7f{data.hex()[:10]}",
                f"trace_{plain[:12].lower()} mem_{plain[:12].lower()} run-{name}",
            )
        )
