"""`mcp-reflect guide`: what earlier runs say about a project, as Markdown or JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mcp_reflect.cli.common_options import JsonOption
from mcp_reflect.cli.console import out, show_json
from mcp_reflect.cli.error_report import report_errors
from mcp_reflect.cli.memory_access import ledger_access
from mcp_reflect.cli.settings import current_settings, refuse_own_file


def guide_command(
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write it into this file.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Write what works here, what fails, known errors and decisions in force, each with the runs that show it."""
    import json  # noqa: PLC0415 - only here

    from mcp_reflect.application.atomic_file import write_atomically  # noqa: PLC0415 - as its siblings
    from mcp_reflect.application.guide import write_guide  # noqa: PLC0415 - heavy
    from mcp_reflect.domain.text.inert import escaped_json  # noqa: PLC0415 - only here
    from mcp_reflect.server.views.guide import guide_view  # noqa: PLC0415 - heavy

    with ledger_access() as access:
        found = write_guide(access.ledger, access.profile)
    if output is None and as_json:
        show_json(guide_view(found))
    elif output is None:
        typer.echo(found.markdown.encode("utf-8", "backslashreplace"), nl=False)
    else:
        document = json.dumps(guide_view(found), ensure_ascii=False, indent=2) + "\n"
        text = escaped_json(document) if as_json else found.markdown
        with report_errors():
            refuse_own_file(output, current_settings())
            write_atomically(output, text)
        out.print(f"The guide of project {found.project} was written to {output}", markup=False, soft_wrap=True)
