"""Carries out a planned change of a client's configuration."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import typer

from mcp_reflect.cli.console import out
from mcp_reflect.cli.install import files
from mcp_reflect.cli.install.changes import diff_lines
from mcp_reflect.cli.install.created_files import CreatedFiles
from mcp_reflect.cli.install.empty_parts import EmptyParts
from mcp_reflect.cli.install.plan import Plan
from mcp_reflect.errors import ConfigurationError
from mcp_reflect.wire import address


def install_home() -> Path:
    """Return the memory's home, where backups of shared files and the note of created ones stand."""
    return Path(address.home_folder(os.environ, str(Path.cwd())))


def created_files() -> CreatedFiles:
    """Return the note of the files that `install` created."""
    return CreatedFiles(install_home())


def empty_parts() -> EmptyParts:
    """Return the note of what was empty in files before `install`."""
    return EmptyParts(install_home())


def carry_out(plan: Plan, what: str, where: str, *, confined: bool, removal: bool, ask: bool, show: bool) -> bool:
    """Show a change, ask, and make it with a backup; return whether it was made.

    With `show` nothing is changed, with `ask` only after a yes. `what` is removed where it is a `removal`, else put in;
    `where` names the client and the file. Raises ConfigurationError.
    """

    def tell(text: str) -> None:
        out.print(text, markup=False, soft_wrap=True)

    path = plan.path
    if not plan.changes:
        tell(f"{where}: {what} is {'not' if removal else 'already'} there; nothing to change.")
        return False
    for line in diff_lines(*plan.texts, str(path)):
        out.print(line, soft_wrap=True)
    if show:
        tell(f"{where}: nothing was changed (--dry-run).")
        return False
    if ask:
        _confirm(where)
    if files.read_config_file(path, confined=confined) != plan.before:
        raise ConfigurationError(f"{path}: was changed by another program meanwhile; nothing was written, try again")
    folder = install_home() / "config-backups" if confined else None
    created = created_files()
    is_ours_alone = plan.before is None or plan.deletes or created.is_untouched(path, plan.before)
    copy = None if plan.before is None or is_ours_alone else files.back_up_config(path, plan.before, folder)
    if plan.deletes:
        path.unlink()
        created.discard(path)
    else:
        files.replace_config(path, plan.after, confined=confined)
        if not confined and (plan.before is None or created.holds(path)):
            created.put(path, plan.after)
    empty_parts().update(path, plan.empty)
    done = f"{what} {'removed from' if removal else 'installed in'} {where}."
    kept = "" if copy is None else f" Backup: {copy.name if folder is None else copy}"
    tell(done + (" The file held nothing else and was deleted." if plan.deletes else kept))
    return True


def _confirm(where: str) -> None:
    if not sys.stdin.isatty():
        raise ConfigurationError("nobody is there to ask; --yes makes the change, --dry-run only shows it")
    if not typer.confirm(f"Change {where}?"):
        out.print("Nothing was changed.")
        raise typer.Exit(1)
