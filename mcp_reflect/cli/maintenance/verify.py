"""`mcp-reflect verify` and `reindex`: carried out by the owner of the home."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from mcp_reflect.cli.common_options import JsonOption
from mcp_reflect.cli.console import err, out, print_warnings, show_json, show_progress
from mcp_reflect.cli.error_report import report_errors
from mcp_reflect.cli.formats import format_count
from mcp_reflect.cli.settings import current_settings

AllOption = Annotated[bool, typer.Option("--all", help="Every project of the home, not only the present one.")]


def verify_command(everything: AllOption = False, as_json: JsonOption = False) -> None:
    """Check the ledger against the index and every q_value against its replay; exit code 1 if something differs."""
    findings = _maintain("verify", everything=everything, shown=not as_json)
    if as_json:
        found = [{"store": each.get("store"), "finding": each["line"]} for each in findings]
        show_json({"agrees": not found, "findings": found})
    elif findings:
        of_index = any(finding.get("store") == "index" for finding in findings)
        remedy = "mcp-reflect reindex` mends the index" if of_index else "mcp-reflect restore` puts a backup back"
        err.print(f"{format_count(len(findings), 'finding')}; `{remedy}")
    else:
        out.print("Everything agrees.")
    if findings:
        raise typer.Exit(1)


def reindex_command(everything: AllOption = False, as_json: JsonOption = False) -> None:
    """Embed what the present model has not embedded and fill the index anew from the ledger."""
    done = _maintain("reindex", everything=everything, shown=not as_json)
    if as_json:
        show_json({"done": [each["line"] for each in done]})


def _maintain(command: str, *, everything: bool, shown: bool) -> list[dict[str, Any]]:
    """Have the owner of the home carry out a command, show its progress and lines, and return the events of lines."""
    from mcp_reflect.wire.maintenance import MaintenanceEvent, request_maintenance  # noqa: PLC0415 - with sockets

    lines: list[dict[str, Any]] = []
    with report_errors(), show_progress(command) as told:

        def show(event: MaintenanceEvent) -> None:
            if "line" in event:
                lines.append(event)
                if shown:
                    out.print(event["line"], markup=False, soft_wrap=True)
            elif "doing" in event:
                told(event["done"], event["total"])
            elif "warning" in event:
                print_warnings([event["warning"]])

        settings = current_settings()
        request_maintenance(command, str(settings.home), "" if everything else settings.project, show)
    return lines
