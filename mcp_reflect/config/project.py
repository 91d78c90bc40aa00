"""Detects the project that a process belongs to, and the user whose run it is.

The id must be the same for everyone who works on one thing and differ between two things that
merely share a folder name. Hence a readable part for people and a short hash that separates:

- a repository with an `origin` is named after it, so clones, worktrees and moved folders share a project;
- one without is named after its folder and told apart by its absolute path;
- where the working directory is in none, the folders that the client works in count: its MCP roots, then those of
  `WORKSPACE_FOLDER_PATHS` (Cursor);
- a folder outside of any repository is a project of its own, told apart by its absolute path.

Git's own files are read, never a git process started: there may be none, and a start must be quick.
"""

from __future__ import annotations

import hashlib
import os
import re
import unicodedata
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from mcp_reflect.config.git_files import find_common_dir, find_repository, is_dir, read_origin

PROJECT_ID = re.compile(r"[A-Za-z0-9._-]{1,100}")
PROJECT_ID_RULE = "1 to 100 characters out of A-Z a-z 0-9 . _ -"
DEFAULT_PROJECT = "default"
WORKSPACE_VARIABLE = "WORKSPACE_FOLDER_PATHS"

_SLUG_LENGTH = 80
_HASH_LENGTH = 8
_DEFAULT_PORTS = {"ssh": 22, "git+ssh": 22, "https": 443, "http": 80, "git": 9418}
_SCP_LIKE = re.compile(r"(?:[^@/\s]+@)?(?P<host>\[[^\]]+\]|[^:/\s]{2,}):(?P<path>(?!//).+)")
_LOGIN_VARIABLES = ("LOGNAME", "USER", "LNAME", "USERNAME")


def check_project_id(value: str) -> str:
    """Return `value` if it is a project id; ValueError with a usable proposal if not."""
    if PROJECT_ID.fullmatch(value):
        return value
    proposal = _slug(value)
    hint = f", for example {proposal}" if PROJECT_ID.fullmatch(proposal) else ""
    raise ValueError(f"must be {PROJECT_ID_RULE}{hint}")


class LocatedProject(NamedTuple):
    """A project id (PROJECT_ID), and as words what it was taken from.

    `is_settled` is false where it is that of the working directory for want of anything better: what the client says of
    its roots then counts more.
    """

    project: str
    origin: str
    is_settled: bool = True


def locate_project(environ: Mapping[str, str], cwd: Path, roots: Sequence[Path] = ()) -> LocatedProject:
    """Return the project that a process or client with that environment and working directory belongs to.

    The git repository around `CLAUDE_PROJECT_DIR` counts, or the one around `cwd` where that variable names no folder;
    then the first of the client's `roots`, or else of `WORKSPACE_FOLDER_PATHS`, that is in a repository, or the first
    of them; then the folder itself. Folders that cannot be read count as absent.
    """
    start = _start(environ, cwd)
    found = find_repository(start)
    if found is not None:
        return LocatedProject(_repository_id(*found), f"the git repository {found[0]}")
    for folders, source in ((roots, "the client's roots"), (_workspace(environ), WORKSPACE_VARIABLE)):
        if folders:
            name = f"{source}, of which there are {len(folders)}" if len(folders) > 1 else source
            inside = next(((folder, it) for folder in folders if (it := find_repository(folder))), None)
            if inside is not None:
                return LocatedProject(_repository_id(*inside[1]), f"the git repository {inside[1][0]}, by {name}")
            return LocatedProject(_folder_id(folders[0]), f"the folder {folders[0]}, by {name}; no git repository")
    origin = f"the folder {start}, in no git repository; the client's roots or MCP_REFLECT_PROJECT may name another"
    return LocatedProject(_folder_id(start), origin, is_settled=False)


def detect_project(environ: Mapping[str, str], cwd: Path) -> str:
    """Return the id of `locate_project` for a client that tells no roots."""
    return locate_project(environ, cwd).project


def _workspace(environ: Mapping[str, str]) -> list[Path]:
    """The folders that Cursor gives a server, between commas or as in PATH."""
    given = re.split(rf"[,{re.escape(os.pathsep)}]", environ.get(WORKSPACE_VARIABLE, ""))
    return [Path(each.strip()) for each in given if each.strip() and is_dir(Path(each.strip()))]


def _folder_id(folder: Path) -> str:
    path = os.path.realpath(folder)
    return _identified(path.replace("\\", "/").rstrip("/").rpartition("/")[2] or "root", path)


def repository_root(environ: Mapping[str, str], cwd: Path) -> Path:
    """Return the working tree's folder that `detect_project` looks at; without a repository the starting folder."""
    start = _start(environ, cwd)
    found = find_repository(start)
    return start if found is None else found[0]


def _start(environ: Mapping[str, str], cwd: Path) -> Path:
    given = environ.get("CLAUDE_PROJECT_DIR")
    return Path(given) if given and is_dir(Path(given)) else cwd


def login_name(environ: Mapping[str, str]) -> str:
    """Return the name of the person whose process this is. Never raises; `user` where nobody can tell."""
    names = (_printable(environ.get(variable, "")) for variable in _LOGIN_VARIABLES)
    return next((name for name in names if name), "") or _account_name() or "user"


def _account_name() -> str:
    try:
        import pwd  # noqa: PLC0415 - does not exist on Windows

        return _printable(pwd.getpwuid(os.getuid()).pw_name)
    except (ImportError, AttributeError, KeyError, OSError):
        return ""


def _printable(name: str) -> str:
    return "".join(c for c in name if c.isprintable()).strip()[:100]


def _repository_id(folder: Path, git_dir: Path) -> str:
    common = find_common_dir(folder, git_dir)
    root = folder if common == git_dir else common.parent if common.name == ".git" else common
    origin = read_origin(folder, common)
    identity = _normalised_remote(origin, root) if origin else str(root)
    return _identified(re.split(r"[/\\]", identity)[-1].removesuffix(".git"), identity)


def _identified(name: str, identity: str) -> str:
    """A readable name with a hash of what it stands for."""
    digest = hashlib.sha256(identity.encode("utf-8", "surrogatepass")).hexdigest()[:_HASH_LENGTH]
    return f"{_slug(name) or 'project'}-{digest}"


def _slug(name: str) -> str:
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    return re.sub(r"[^A-Za-z0-9._-]+", "-", plain)[:_SLUG_LENGTH].strip("-._")


def _normalised_remote(url: str, base: Path) -> str:
    """One spelling for the addresses of one repository: `host[:port]/path`, without scheme, user or password.

    So https and ssh clones of a repository share their project, and no credential ends up in what is hashed.
    Local paths become absolute, taken from `base` where they are relative.
    """
    try:
        parts = urlsplit(url) if "://" in url else None
    except ValueError:  # brackets that hold no IPv6 address
        return url
    if parts is not None and parts.scheme.lower() != "file":
        try:
            port = parts.port
        except ValueError:
            port = None
        host = (parts.hostname or "").lower()
        if port is not None and port != _DEFAULT_PORTS.get(parts.scheme.lower()):
            host = f"{host}:{port}"
        return f"{host}/{_trimmed(unquote(parts.path))}"
    if parts is None and (scp := _SCP_LIKE.fullmatch(url)):
        return f"{scp['host'].strip('[]').lower()}/{_trimmed(scp['path'])}"
    local = unquote(parts.path) if parts is not None else url
    return f"file:/{_trimmed(os.path.normpath(base / local))}"


def _trimmed(path: str) -> str:
    return path.replace("\\", "/").strip("/").removesuffix(".git").rstrip("/")
