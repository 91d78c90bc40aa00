"""A survey of what there is to learn from: sessions by client and project, those passed over, and the time it takes."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from mcp_reflect.cli.learn.progress_file import LearnedFiles
from mcp_reflect.config.load import load_settings
from mcp_reflect.config.settings import Settings
from mcp_reflect.errors import ConfigurationError
from mcp_reflect.hooks.past_sessions import PastSession, Unreadable, find_named_sessions, find_sessions, read_past_runs

IN_USE_S = 600.0
"""Seconds since its last line within which a session may still be going on."""
STORED_A_SECOND = 50.0
"""Runs; see `python -m benchmarks.learn`."""
_SAMPLE_S = 0.5
"""Seconds that are spent on reading some sessions, for the estimate."""
_NOT_OF_A_SESSION = ("CLAUDE_PROJECT_DIR", "MCP_REFLECT_PROJECT", "WORKSPACE_FOLDER_PATHS")
"""Variables that say which project this command is started in."""


@dataclass
class Survey:
    """`wanted` are the sessions to learn from, by their projects, the oldest first; `settings` those of the projects.

    `passed_over` cannot be read, `in_use` may still be going on, `known` were read before and have not changed since.
    Runs that ended before `since`, in seconds since the epoch, are not wanted.
    """

    wanted: dict[str, list[PastSession]] = field(default_factory=dict)
    settings: dict[str, Settings] = field(default_factory=dict)
    passed_over: list[Unreadable] = field(default_factory=list)
    since: float = 0.0
    in_use: int = 0
    known: int = 0

    def add(self, session: PastSession, settings: Settings, learned: LearnedFiles, *, is_over: bool) -> None:
        """Add a session that can be read; `is_over` says that it does not go on, however new it is."""
        if not is_over and time.time() - session.modified < IN_USE_S:
            self.in_use += 1
        elif learned.has(session):
            self.known += 1
        else:
            self.wanted.setdefault(settings.project, []).append(session)
            self.settings[settings.project] = settings

    @property
    def sessions(self) -> list[PastSession]:
        """All sessions to learn from."""
        return [session for found in self.wanted.values() for session in found]


@dataclass(frozen=True)
class Estimate:
    """Roughly how many runs there are, and how many seconds they take."""

    runs: int
    seconds: float


def survey_sessions(
    base: Settings,
    environ: Mapping[str, str],
    user: Path,
    *,
    clients: Collection[str],
    paths: Sequence[str],
    project: str,
    since: float,
    learned: LearnedFiles,
) -> Survey:
    """Find the sessions of these clients that were written at `since` or later, in seconds since the epoch.

    With `paths` those in these files and folders, in place of those in the clients' folders; one whose folder is not on
    this machine belongs to the project of `base`. `project` is an id or a folder, empty for every project. Raises
    ConfigurationError.
    """
    found = Survey(since=since)
    here = _without_side_effects(base)
    of_folder: dict[str, Settings | None] = {}
    for each in find_named_sessions(paths, clients) if paths else _find_all(clients, environ, user):
        if isinstance(each, Unreadable):
            found.passed_over.append(each)
            continue
        if each.modified < since:
            continue
        if each.cwd not in of_folder:
            of_folder[each.cwd] = _settings_of(base, environ, each.cwd) or (here if paths else None)
        settings = of_folder[each.cwd]
        if settings is None:
            found.passed_over.append(Unreadable(each.client, each.path, f"its folder {each.cwd} is gone"))
        elif not project or _is_in(each, settings, project):
            found.add(each, settings, learned, is_over=bool(paths))
    for sessions in found.wanted.values():
        sessions.sort(key=lambda session: (session.modified, session.path))
    return found


def _find_all(clients: Collection[str], environ: Mapping[str, str], user: Path) -> Iterator[PastSession | Unreadable]:
    for client in clients:
        yield from find_sessions(client, environ, str(user))


def estimate(sessions: list[PastSession]) -> Estimate:
    """Read some of the sessions, and conclude from them on all."""
    total = sum(session.size for session in sessions)
    began, size, runs = time.perf_counter(), 0, 0
    for session in sorted(sessions, key=lambda each: each.size)[len(sessions) // 4 :: max(len(sessions) // 20, 1)]:
        try:
            runs += sum(1 for _ in read_past_runs(session))
        except OSError:
            continue
        size += session.size
        if time.perf_counter() - began > _SAMPLE_S:
            break
    share = total / size if size else 0.0
    reading = (time.perf_counter() - began) * share
    return Estimate(round(runs * share), reading + runs * share / STORED_A_SECOND)


def _settings_of(base: Settings, environ: Mapping[str, str], folder: str) -> Settings | None:
    """The settings of a session's folder; None where it is gone, and with it the name of its project."""
    if not Path(folder).is_absolute() or not Path(folder).is_dir():
        return None
    theirs = {name: value for name, value in environ.items() if name not in _NOT_OF_A_SESSION}
    try:
        settings = load_settings(theirs | {"MCP_REFLECT_HOME": str(base.home)}, Path(folder))
    except ConfigurationError as error:
        raise ConfigurationError(f"{folder}: {error}") from error
    return _without_side_effects(settings)


def _without_side_effects(settings: Settings) -> Settings:
    """The settings with which no model is asked for lessons and no file is written in a repository."""
    return settings.model_copy(
        update={
            "reflection": settings.reflection.model_copy(update={"author": "extractive"}),
            "errors": settings.errors.model_copy(update={"mirror": ""}),
        }
    )


def _is_in(session: PastSession, settings: Settings, project: str) -> bool:
    """Return whether a session belongs to a project, given by its id or by a folder."""
    if settings.project == project:
        return True
    folder = Path(project).expanduser().resolve()
    return bool(session.cwd) and folder.is_dir() and Path(session.cwd).resolve().is_relative_to(folder)
