"""`mcp-reflect doctor`."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from mcp_reflect.cli.console import out
from mcp_reflect.cli.doctor.report import DoctorFinding, FindingStatus, TimedCheck, run_checks
from mcp_reflect.cli.layout import show_beside
from mcp_reflect.own_files import foreign_owner
from mcp_reflect.wire.version import __version__

_OF_THE_HOME = {"outbox", "hub", "ledger", "mirror", "llm"}
_STYLES: dict[FindingStatus, str] = {"ok": "green", "warning": "yellow", "wrong": "red"}


def doctor_command(
    as_json: Annotated[bool, typer.Option("--json", help="As JSON, for programs.")] = False,
) -> None:
    """Check the installation, the home, the hub, the LLM and the clients; exit code 1 if something is wrong."""
    findings = run_doctor()
    wrong = any(finding.status == "wrong" for finding in findings)
    if as_json:
        told = [{"check": f.check, "status": f.status, "detail": f.detail, "remedy": f.remedy} for f in findings]
        typer.echo(json.dumps({"version": __version__, "ok": not wrong, "findings": told}, indent=2))
    else:
        _show(findings)
    if wrong:
        raise typer.Exit(1)


def run_doctor() -> list[DoctorFinding]:
    """Check everything, for this process's environment and working directory."""
    from mcp_reflect.cli.doctor import (  # noqa: PLC0415 - with the rest
        client_configs,
        environment,
        home_check,
        hook_configs,
        services,
        storage,
    )
    from mcp_reflect.config.project import repository_root  # noqa: PLC0415 - with the rest
    from mcp_reflect.wire.address import home_folder  # noqa: PLC0415 - with the rest

    environ = dict(os.environ)
    cwd = _working_directory()
    # Not from the settings: these may be what is wrong.
    folder = Path(home_folder(environ, str(cwd)))
    settings, of_settings = environment.check_settings(environ, cwd)
    user_home = Path(os.path.expanduser("~"))  # noqa: PTH111 - Path.home() raises for a user without one
    repository = repository_root(environ, cwd)
    checks = [
        TimedCheck("python", environment.check_python, 5),
        TimedCheck("package", environment.check_package, 15),
        TimedCheck("settings", lambda: of_settings, 5),
        TimedCheck("model", lambda: environment.check_model(settings), 60),
        TimedCheck("home", lambda: home_check.check_home(folder), 10),
        TimedCheck("outbox", lambda: home_check.check_outbox(folder), 10),
        TimedCheck("hub", lambda: services.check_hub(folder, environ, str(cwd)), 20),
        TimedCheck("ledger", lambda: storage.check_ledger(folder, settings), storage.EXAMINATION_S + 20),
        TimedCheck("mirror", lambda: storage.check_mirror(folder, settings), 20),
        TimedCheck("llm", lambda: services.check_llm(settings), 20),
        TimedCheck(
            "clients", lambda: client_configs.check_client_configs(environ, user_home, repository, str(cwd)), 15
        ),
        TimedCheck("hooks", lambda: hook_configs.check_hook_configs(environ, user_home, repository), 15),
    ]
    # What is in a home of another user was put there by that user.
    is_foreign = foreign_owner(folder) is not None
    return run_checks([each for each in checks if not (is_foreign and each.name in _OF_THE_HOME)])


def _working_directory() -> Path:
    try:
        return Path.cwd()
    except OSError:  # it was deleted under the process
        return Path(os.path.expanduser("~"))  # noqa: PTH111 - as above


def _show(findings: list[DoctorFinding]) -> None:
    checks, states = max(len(finding.check) for finding in findings), max(map(len, _STYLES))
    for finding in findings:
        detail = Text(finding.detail)
        if finding.remedy:
            detail.append(f"\n→ {finding.remedy}", style="bold")
        name, status = f"{finding.check:{checks}}  ", f"{finding.status:{states}}  "
        show_beside(Text.assemble(name, (status, _STYLES[finding.status])), detail)
    counts = {status: sum(finding.status == status for finding in findings) for status in _STYLES}
    out.print(f"{counts['ok']} ok, {counts['warning']} with a warning, {counts['wrong']} wrong")
