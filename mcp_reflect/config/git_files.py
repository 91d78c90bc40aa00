"""Git's own files, as far as they tell where a repository is and where it came from.

As git does, only what belongs to the user or to root is taken for a repository: anybody may put a `.git` into a folder
above one's own. For root the owner of the starting folder counts as well, as in a container that works on somebody's
files, and for anybody the owner of a working tree that git's `safe.directory` names.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from mcp_reflect.own_files import foreign_owner, read_plain

_LARGEST = 1_000_000


def find_repository(start: Path) -> tuple[Path, Path] | None:
    """The working tree around a folder, with its git directory; None where there is none."""
    owners = _trusted_owners(start)
    for folder in _ancestors(start):
        git_dir = _git_dir(folder, _with_owner_of_safe(folder, owners))
        if git_dir is not None:
            return folder, git_dir
    return None


def find_common_dir(folder: Path, git_dir: Path) -> Path:
    """Return the git directory that all worktrees of a repository share; its own where there is one alone."""
    # A linked worktree's git directory names it in its file `commondir`.
    shared = _read(git_dir / "commondir", _with_owner_of_safe(folder, _trusted_owners(folder))).strip()
    return Path(os.path.realpath(git_dir / shared)) if shared else git_dir


def read_origin(folder: Path, common_dir: Path) -> str:
    """Return the address of remote `origin` as it stands in the repository's configuration; empty without one."""
    return _origin_url(_read(common_dir / "config", _with_owner_of_safe(folder, _trusted_owners(folder))))


def _git_dir(folder: Path, owners: frozenset[int] | None) -> Path | None:
    """The git directory of the working tree at `folder`, or None where there is none that `owners` made.

    `.git` is that directory in a plain clone, and a file `gitdir: PATH` in a worktree or a submodule.
    See gitrepository-layout(5).
    """
    git_dir = folder / ".git"
    if not (_belongs_to(git_dir, owners) and _belongs_to(folder, owners)):
        return None
    if not is_dir(git_dir):
        marker, _, target = _read(git_dir, owners).strip().partition(":")
        if marker != "gitdir" or not target.strip():
            return None
        git_dir = folder / target.strip()
    # An empty or foreign `.git` is no repository: git itself looks for HEAD.
    return git_dir if _exists(git_dir / "HEAD") and _belongs_to(git_dir, owners) else None


def _trusted_owners(start: Path) -> frozenset[int] | None:
    """The user ids whose files are read as a repository; None, where there are none, for everybody's."""
    if os.name != "posix":
        return None
    trusted = {os.geteuid(), 0}
    if os.geteuid() == 0 and (owner := foreign_owner(start)) is not None:
        trusted.add(owner)
    return frozenset(trusted)


def _with_owner_of_safe(folder: Path, owners: frozenset[int] | None) -> frozenset[int] | None:
    """Return the owners, with that of a folder where git was told to trust it."""
    owner = foreign_owner(folder)
    return owners if owners is None or owner is None or not _is_safe(folder) else owners | {owner}


def _is_safe(folder: Path) -> bool:
    """Return whether git's configuration of the user or the machine names a folder, see `safe.directory` of git."""
    home = Path(os.environ.get("HOME") or "/")  # a user id that a container made up has none
    shared = Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config")
    ours = frozenset({os.geteuid(), 0})
    safe = list[str]()
    for file in (Path("/etc/gitconfig"), shared / "git" / "config", home / ".gitconfig"):
        for value in _values(_read(file, ours), "safe", "directory"):
            safe = [*safe, value] if value else []  # as git does: an empty value takes back all before it
    place = str(folder)
    return any(each == "*" or each.rstrip("/") == place or _is_below(place, each) for each in safe)


def _is_below(place: str, pattern: str) -> bool:
    return pattern.endswith("/*") and place.startswith(pattern[:-1])


def _belongs_to(path: Path, owners: frozenset[int] | None) -> bool:
    """Return whether a path belongs to one of `owners`, and where it is a link, what it leads to as well."""
    try:
        return owners is None or {path.lstat().st_uid, path.stat().st_uid} <= owners
    except (OSError, ValueError):  # ValueError: a NUL inside
        return False


def _read(path: Path, owners: frozenset[int] | None) -> str:
    """The text of a file, without NULs, which no path may hold; empty where it is none, or of nobody in `owners`."""
    try:
        return read_plain(path, _LARGEST, owners).decode("utf-8", "replace").replace("\0", "")
    except OSError:
        return ""


def _origin_url(config: str) -> str:
    """The first `url` of remote `origin` in the text of a git config file; empty where there is none.

    Covers what git writes itself: sections, quoted values, comments. Included files and `insteadOf` are left
    out, as they differ between machines and would give clones of one repository different ids.
    """
    return next(_values(config, r'remote\s+"origin"', "url"), "")


def _values(config: str, section: str, name: str) -> Iterator[str]:
    """Yield the values of a setting in the text of a git config file; `section` is a pattern."""
    inside = False
    for raw in config.splitlines():
        line = raw.strip()
        if line.startswith("["):
            inside = re.match(rf"\[\s*{section}\s*\]", line, re.IGNORECASE) is not None
        elif inside and (entry := re.fullmatch(rf"{name}\s*=\s*(.*)", line, re.IGNORECASE)):
            yield re.sub(r"\s+[#;].*$", "", entry[1]).strip().strip('"')


def is_dir(path: Path) -> bool:
    """Return whether a path means a folder; false for one that cannot be looked at."""
    try:
        return path.is_dir()
    except (OSError, ValueError):  # ValueError: a NUL inside
        return False


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:
        return False


def _ancestors(start: Path) -> Iterator[Path]:
    try:
        resolved = start.resolve()
    except (OSError, RuntimeError, ValueError):  # RuntimeError: a loop of symbolic links
        return
    yield resolved
    yield from resolved.parents
