"""`mcp-reflect mirror accept`: consent to a file of errors that came with a repository."""

from __future__ import annotations

import typer

from mcp_reflect.cli.console import YesOption, confirm, format_count, ledger_access, make_table, one_line, out

mirror_app = typer.Typer(help="The file of errors in the project's repository.", no_args_is_help=True)


@mirror_app.callback()
def _group() -> None:
    """Keep `accept` a command of its own while it is the only one."""


@mirror_app.command("accept")
def accept_command(yes: YesOption = False) -> None:
    """Show the errors in the file that came with the repository and take them in; asked once per repository."""
    with ledger_access() as access:
        waiting = access.mirror.waiting()
        if not waiting:
            out.print("No errors wait for consent.")
            return
        table = make_table("mistake", "fix")
        for line in waiting:
            table.add_row(one_line(line.mistake), one_line(line.fix))
        out.print(table)
        confirm(f"Take in {format_count(len(waiting), 'error')}, and later changes of the file?", yes=yes)
        out.print(f"{format_count(access.mirror.accept(), 'error')} taken in")
