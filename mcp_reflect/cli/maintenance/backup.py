"""`mcp-reflect backup` and `restore`: a whole home, all its projects, in one file."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from mcp_reflect.cli.common_options import JsonOption, YesOption
from mcp_reflect.cli.console import confirm, err, out, show_json, show_progress
from mcp_reflect.cli.error_report import report_errors
from mcp_reflect.cli.settings import current_settings, refuse_own_file
from mcp_reflect.errors import ConfigurationError, HomeInUse

_PATIENCE_S = 60.0
_CONFIG = "config.toml"


def backup_command(
    file: Annotated[Path, typer.Argument(help="Where to; what is there is replaced.")], as_json: JsonOption = False
) -> None:
    """Write ledger, settings and prompts of the home into one file, also while the home is in use."""
    from mcp_reflect.application.maintenance.backups import back_up  # noqa: PLC0415 - heavy
    from mcp_reflect.bootstrap.ledger import open_ledger_access  # noqa: PLC0415 - heavy
    from mcp_reflect.bootstrap.parts import home_ledger_file  # noqa: PLC0415 - heavy

    with report_errors():
        wanted = current_settings()
        refuse_own_file(file, wanted)
        ledger = home_ledger_file(wanted)
        with open_ledger_access(
            wanted
        ):  # a home that was never used has a ledger then, and an old one its present tables
            pass
        with show_progress("copying the ledger") as told:
            manifest = back_up(wanted.home, ledger, file, told)
    size = sum(each.bytes for each in manifest.files.values())
    if as_json:
        show_json({"file": str(file), "contents": sorted(manifest.files), "bytes": size})
        return
    out.print(
        f"{', '.join(sorted(manifest.files))} ({size / 1e6:.1f} MB) written to {file}", markup=False, soft_wrap=True
    )


def restore_command(
    file: Annotated[Path, typer.Argument(help="A file that backup wrote.")],
    yes: YesOption = False,
    with_prompts: Annotated[
        bool, typer.Option("--with-prompts", help="Take over its prompts too; the home's own stay otherwise.")
    ] = False,
    with_settings: Annotated[
        bool, typer.Option("--with-settings", help="Take over its config.toml too; the home's own stays otherwise.")
    ] = False,
    allow: Annotated[
        list[str] | None,
        typer.Option("--allow", metavar="SETTING", help="Take over this setting, which may send texts elsewhere."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Put a backup in the place of what the home holds now, which is kept aside. A running hub is asked to leave."""
    from mcp_reflect.application.maintenance.backup_file import offered  # noqa: PLC0415 - heavy
    from mcp_reflect.application.maintenance.backups import restore as put_back  # noqa: PLC0415 - heavy
    from mcp_reflect.bootstrap.parts import home_ledger_file  # noqa: PLC0415 - heavy

    with report_errors():
        if file.name.startswith("mem_") and not file.exists():
            raise ConfigurationError(
                f"{file}: is no file. This puts back a backup; for a memory: mcp-reflect memory restore {file}"
            )
        wanted = current_settings()
        ledger = home_ledger_file(wanted)
        seen = offered(file)
        if with_settings:
            _check_redirections(seen.settings, wanted.home, file, set(allow or ()))
        for name in sorted(seen.digests):
            option, taken = ("--with-settings", with_settings) if name == _CONFIG else ("--with-prompts", with_prompts)
            fate = "taken over from the backup" if taken else f"not taken over, the home's own stays ({option})"
            (err if as_json else out).print(f"{name}: {fate}", markup=False, soft_wrap=True)
        confirm(f"Replace everything in {wanted.home} by {file}?", yes=yes)
        with _owned(wanted.home), show_progress("restoring the ledger") as told:
            aside = put_back(wanted.home, ledger, file, told, prompts=with_prompts, settings=with_settings, seen=seen)
    if as_json:
        taken_over = [name for name in sorted(seen.digests) if (with_settings if name == _CONFIG else with_prompts)]
        show_json({"file": str(file), "taken_over": taken_over, "before": None if aside is None else str(aside)})
        return
    out.print(f"{file} restored; the index is filled anew by the next server.", markup=False, soft_wrap=True)
    if aside is not None:
        out.print(f"What was there before: {aside}", markup=False, soft_wrap=True)


def _check_redirections(text: str, home: Path, file: Path, allowed: set[str]) -> None:
    """Raises ConfigurationError where a backup changes where texts are sent and nobody allowed that by name."""
    from mcp_reflect.config.redirections import SECRET, redirections  # noqa: PLC0415 - only here

    present = home / _CONFIG
    here = redirections(present.read_bytes().decode("utf-8-sig", "replace")) if present.is_file() else {}
    new = {key: value for key, value in redirections(text).items() if here.get(key) != value and key not in allowed}
    if new:
        listed = "; ".join(f"{key} = {'***' if key in SECRET else repr(value)}" for key, value in sorted(new.items()))
        options = " ".join(f"--allow {key}" for key in sorted(new))
        raise ConfigurationError(
            f"{file}: its settings would send texts elsewhere or name another model: {listed}. Nothing was changed; "
            f"leave --with-settings out, or allow them with {options}"
        )


@contextmanager
def _owned(home: Path) -> Iterator[None]:
    """The home, for this process alone. A client that is connected may start a hub again before we have it."""
    from mcp_reflect.config.home import Home  # noqa: PLC0415 - heavy
    from mcp_reflect.wire import hub_connection  # noqa: PLC0415 - as above

    until = time.monotonic() + _PATIENCE_S
    while True:
        asked = hub_connection.stop_hub(str(home), until, "stop")
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
