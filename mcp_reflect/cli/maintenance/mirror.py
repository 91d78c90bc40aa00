"""`mcp-reflect mirror accept`: consent to a file of errors that came with a repository."""

from __future__ import annotations

import typer

from mcp_reflect.cli.common_options import JsonOption, PlainGroup, YesOption, register
from mcp_reflect.cli.console import confirm, out, show_json
from mcp_reflect.cli.formats import format_count
from mcp_reflect.cli.layout import flat, show_entry
from mcp_reflect.cli.memory_access import ledger_access
from mcp_reflect.errors import ArchiveError

mirror_app = typer.Typer(help="The file of errors in the project's repository.", no_args_is_help=True, cls=PlainGroup)


@mirror_app.callback()
def _group() -> None:
    """Keep `accept` a command of its own while it is the only one."""


def accept_command(yes: YesOption = False, as_json: JsonOption = False) -> None:
    """Show the errors in the file that came with the repository and take them in; asked once per repository."""
    from mcp_reflect.application.known_errors.mirror_file import LeftAloneError  # noqa: PLC0415 - heavy

    with ledger_access() as access:
        try:
            waiting = access.mirror.waiting(whole=True)
        except LeftAloneError as reason:
            raise ArchiveError(f"{reason}; nothing was taken in") from reason
        if not access.mirror.asks_consent:
            show_json({"accepted": 0}) if as_json else out.print("No errors wait for consent.")
            return
        for line in waiting if not as_json or not yes else ():
            show_entry(flat(line.mistake, "bold"), flat(line.fix or "no fix yet"))
        confirm(f"Take in {format_count(len(waiting), 'error')}, and later changes of the file?", yes=yes)
        accepted = access.mirror.accept()
        if as_json:
            show_json({"accepted": accepted})
        else:
            out.print(f"{format_count(accepted, 'error')} taken in")


register(mirror_app, "accept", accept_command, "mirror accept")
