"""`mcp-reflect backup` and `restore`: a whole home, all its projects, in one file."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from mcp_reflect.cli.console import Yes, confirmed, errors_told, out, progress, refuse_own, settings
from mcp_reflect.errors import HomeInUse

_PATIENCE_S = 30.0


def backup(file: Annotated[Path, typer.Argument(help="Where to; what is there is replaced.")]) -> None:
    """Write ledger, settings and prompts of the home into one file, also while the home is in use."""
    from mcp_reflect.application.maintenance.backups import back_up  # noqa: PLC0415 - heavy
    from mcp_reflect.bootstrap import open_ledger_access  # noqa: PLC0415 - heavy
    from mcp_reflect.bootstrap.parts import ledger_file  # noqa: PLC0415 - heavy

    with errors_told():
        wanted = settings()
        refuse_own(file, wanted)
        ledger = ledger_file(wanted)
        with open_ledger_access(
            wanted
        ):  # a home that was never used has a ledger then, and an old one its present tables
            pass
        with progress("copying the ledger") as told:
            manifest = back_up(wanted.home, ledger, file, told)
    size = sum(each.bytes for each in manifest.files.values())
    out.print(
        f"{', '.join(sorted(manifest.files))} ({size / 1e6:.1f} MB) written to {file}", markup=False, soft_wrap=True
    )


def restore(file: Annotated[Path, typer.Argument(help="A file that backup wrote.")], yes: Yes = False) -> None:
    """Put a backup in the place of what the home holds now, which is kept aside. A running hub is asked to leave."""
    from mcp_reflect.application.maintenance.backups import restore as put_back  # noqa: PLC0415 - heavy
    from mcp_reflect.bootstrap.parts import ledger_file  # noqa: PLC0415 - heavy

    with errors_told():
        wanted = settings()
        ledger = ledger_file(wanted)
        confirmed(f"Replace everything in {wanted.home} by {file}?", yes=yes)
        with _owned(wanted.home), progress("restoring the ledger") as told:
            aside = put_back(wanted.home, ledger, file, told)
    out.print(f"{file} restored; the index is filled anew by the next server.", markup=False, soft_wrap=True)
    if aside is not None:
        out.print(f"What was there before: {aside}", markup=False, soft_wrap=True)


@contextmanager
def _owned(home: Path) -> Iterator[None]:
    """The home, for this process alone. A client that is connected may start a hub again before we have it."""
    from mcp_reflect.config.home import Home  # noqa: PLC0415 - heavy
    from mcp_reflect.wire import hub_launcher  # noqa: PLC0415 - as above

    until = time.monotonic() + _PATIENCE_S
    while True:
        asked = hub_launcher.retire(str(home), until, "stop")
        owner = Home(home, "mcp-reflect restore")
        try:
            owner.__enter__()
        except HomeInUse:
            if not asked or time.monotonic() > until:
                raise
        else:
            break
    try:
        yield
    finally:
        owner.__exit__(None, None, None)
