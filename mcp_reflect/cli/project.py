"""The project that a command works on: that of `--project`, or the one of the settings."""

from __future__ import annotations

import os

from mcp_reflect.cli.error_report import report_errors
from mcp_reflect.errors import ConfigurationError

_PROJECT_VARIABLE = "MCP_REFLECT_PROJECT"
_typed = {"project": ""}


def set_project(project: str) -> None:
    """Work on the project of `--project`, also where a hub is asked; an empty one leaves that of the settings.

    One that no project can have is reported, and ends the command.
    """
    _typed["project"] = project
    if project:
        from mcp_reflect.config.project import check_project_id  # noqa: PLC0415 - only where one is named

        with report_errors():
            try:
                check_project_id(project)
            except ValueError as error:
                raise ConfigurationError(f"--project: got {project!r}, {error}") from None
        os.environ[_PROJECT_VARIABLE] = project  # one process runs one command


def origin_of_project(told: str) -> str:
    """Return what the project was taken from, as the person sees it; `told` is what the settings say."""
    return "--project" if _typed["project"] and told == _PROJECT_VARIABLE else told
