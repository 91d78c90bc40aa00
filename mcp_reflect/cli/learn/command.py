"""`mcp-reflect learn`: shows what it found and how long it takes, asks, and learns."""

from __future__ import annotations

import os
import re
from collections import Counter
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mcp_reflect.cli.common_options import JsonOption, YesOption
from mcp_reflect.cli.console import confirm, err, out, show_json, show_progress
from mcp_reflect.cli.error_report import report_errors
from mcp_reflect.cli.formats import format_count
from mcp_reflect.cli.layout import head
from mcp_reflect.cli.settings import current_settings
from mcp_reflect.errors import ConfigurationError

if TYPE_CHECKING:
    from mcp_reflect.cli.learn.intake import Learned
    from mcp_reflect.cli.learn.progress_file import LearnedFiles
    from mcp_reflect.cli.learn.survey import Estimate, Survey
    from mcp_reflect.config.settings import Settings

_DAYS = re.compile(r"(\d{1,4})([dw])")
_SHOWN = 10
"""Files that are named of those passed over."""


class PastClient(StrEnum):
    """A client whose sessions can be read, or a format of files."""

    CLAUDE_CODE = "claude-code"
    CODEX = "codex"
    GEMINI = "gemini"
    CURSOR = "cursor"
    COPILOT = "copilot"
    OPENCODE = "opencode"
    OPENHANDS = "openhands"
    ATIF = "atif"
    OTEL = "otel"


def learn_command(
    paths: Annotated[
        list[str] | None,
        typer.Argument(
            help="Files of sessions, or folders of such files; without any, the folders in which clients keep theirs.",
            metavar="PATH",
            show_default=False,
        ),
    ] = None,
    client: Annotated[
        list[PastClient] | None, typer.Option("--client", help="Only this client's or format's; may be repeated.")
    ] = None,
    project: Annotated[str, typer.Option("--project", help="Only this project's: its id, or a folder.")] = "",
    since: Annotated[
        str, typer.Option("--since", help="Only runs that ended since: 2026-10-01, or 30d or 8w ago.")
    ] = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what there is, learn nothing.")] = False,
    yes: YesOption = False,
    as_json: JsonOption = False,
) -> None:
    """Learn from the sessions that coding agents left on this machine; nothing is sent anywhere."""
    from mcp_reflect.cli.learn.progress_file import LearnedFiles  # noqa: PLC0415 - heavy
    from mcp_reflect.cli.learn.survey import estimate, survey_sessions  # noqa: PLC0415 - heavy

    with report_errors():
        if paths and not any(Path(path).exists() for path in paths):
            raise ConfigurationError(f"{', '.join(paths)}: {'is' if len(paths) == 1 else 'are'} not there")
        base = _local_settings()
        learned = LearnedFiles(Path(base.home))
        survey = survey_sessions(
            base,
            os.environ,
            Path.home(),
            clients=[each.value for each in client or PastClient],
            paths=paths or (),
            project=project,
            since=_moment(since),
            learned=learned,
        )
        expected = estimate(survey.sessions)
        if not as_json:
            _show(survey, expected, everywhere=not (paths or client or project or since))
        if dry_run or not survey.sessions:
            if as_json:
                show_json(_document(survey, expected, None))
            return
        confirm("Learn from them?", yes=yes)
        done = _learn(base, survey, learned, expected.runs)
        if as_json:
            show_json(_document(survey, expected, done))
        else:
            _tell(done)


def _local_settings() -> Settings:
    """Return the settings. Raises ConfigurationError where texts would be sent away to be embedded."""
    base = current_settings()
    if base.embedding.model.startswith("openai:"):
        raise ConfigurationError(
            f"embedding.model = {base.embedding.model}: learn sends nothing anywhere, so it needs a model on this "
            'machine, such as "bundled"'
        )
    return base


def _learn(base: Settings, survey: Survey, learned: LearnedFiles, runs: int) -> Learned:
    from mcp_reflect.bootstrap.beside_owner import open_store_beside_owner  # noqa: PLC0415 - heavy
    from mcp_reflect.cli.learn.intake import learn_sessions  # noqa: PLC0415 - heavy
    from mcp_reflect.cli.learn.reader_pool import ReaderPool, reader_count  # noqa: PLC0415 - heavy

    total, count = len(survey.sessions), 0
    with (
        ReaderPool(reader_count(runs)) as pool,
        open_store_beside_owner(base) as store,
        show_progress("learning") as told,
    ):

        def step() -> None:
            nonlocal count
            count += 1
            told(count, total)

        told(0, total)
        return learn_sessions(store, survey, learned, step, pool)


def _moment(since: str) -> float:
    """Seconds since the epoch. Raises ConfigurationError."""
    if not since:
        return 0.0
    if ago := _DAYS.fullmatch(since):
        return (datetime.now(UTC) - timedelta(days=int(ago[1]) * (7 if ago[2] == "w" else 1))).timestamp()
    try:
        return datetime.fromisoformat(since).timestamp()
    except (ValueError, OverflowError) as error:
        raise ConfigurationError(f"--since {since}: must be a date such as 2026-10-01, or 30d or 8w") from error


def _rows(survey: Survey) -> list[tuple[str, str, int, int]]:
    """Client, project, sessions and bytes."""
    counts: Counter[tuple[str, str]] = Counter()
    sizes: Counter[tuple[str, str]] = Counter()
    for project, sessions in survey.wanted.items():
        for session in sessions:
            counts[session.client, project] += 1
            sizes[session.client, project] += session.size
    return [(*key, counts[key], sizes[key]) for key in sorted(counts)]


def _show(survey: Survey, expected: Estimate, *, everywhere: bool) -> None:
    rows = _rows(survey)
    if rows:
        for client, project, sessions, size in rows:
            facts = (client, format_count(sessions, "session"), f"{size / 1e6:,.1f} MB")
            out.print(head(project, *facts), soft_wrap=True)
        out.print(f"About {format_count(expected.runs, 'run')}, which take about {_duration(expected.seconds)}.")
    elif everywhere and not (survey.known or survey.in_use or survey.passed_over):
        out.print(
            "No sessions of Claude Code, Codex or other coding agents are where these keep them; "
            "`mcp-reflect learn PATH` reads those that lie elsewhere.",
            soft_wrap=True,
        )
    else:
        out.print("There is nothing new to learn from.")
    if survey.known:
        out.print(f"{format_count(survey.known, 'session')} known already.")
    if survey.in_use:
        out.print(f"{format_count(survey.in_use, 'session')} of the last ten minutes left for later.")
    _name(survey.passed_over)


def _name(passed_over: list[Any]) -> None:
    for each in passed_over[:_SHOWN]:
        err.print(f"passed over: {each.path} {each.reason}", markup=False, soft_wrap=True)
    if len(passed_over) > _SHOWN:
        err.print(f"passed over: {len(passed_over) - _SHOWN:,} more; --json names all", markup=False)


def _tell(done: Learned) -> None:
    unreviewed = done.runs - done.passed - done.failed
    out.print(
        f"{format_count(done.runs, 'run')} learned from: {done.passed:,} passed, {done.failed:,} failed, "
        f"{unreviewed:,} without plain evidence; {format_count(done.memories, 'memory', 'memories')}."
    )
    if done.refused:
        err.print(f"{format_count(done.refused, 'run')} refused, without a task that can be stored")
    _name(done.passed_over)


def _duration(seconds: float) -> str:
    if seconds < 90:  # noqa: PLR2004 - beyond that minutes say enough
        return format_count(max(round(seconds), 1), "second")
    return format_count(round(seconds / 60), "minute")


def _document(survey: Survey, expected: Estimate, done: Learned | None) -> dict[str, Any]:
    document: dict[str, Any] = {
        "found": [
            {"client": client, "project": project, "sessions": sessions, "bytes": size}
            for client, project, sessions, size in _rows(survey)
        ],
        "estimated_runs": expected.runs,
        "estimated_seconds": round(expected.seconds, 1),
        "known_sessions": survey.known,
        "sessions_in_use": survey.in_use,
        "passed_over": [each._asdict() for each in [*survey.passed_over, *(done.passed_over if done else ())]],
    }
    if done is not None:
        document |= {"runs": done.runs, "passed": done.passed, "failed": done.failed}
        document |= {"memories": done.memories, "refused": done.refused}
    return document
