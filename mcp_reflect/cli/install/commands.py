"""`mcp-reflect install <client>`."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from mcp_reflect.cli.console import err, out
from mcp_reflect.cli.install.clients import CLIENTS, ClientName, InstallTarget, Machine
from mcp_reflect.cli.install.entry import PROGRAM, SERVER_NAME, Launch, entry_for, find_launch, is_ours, portable_launch
from mcp_reflect.errors import ConfigurationError


def install_command(
    client: Annotated[ClientName, typer.Argument(help="The client to configure.", show_default=False)],
    project: Annotated[
        bool, typer.Option("--project", help="For this repository only, in a file that is shared with it.")
    ] = False,
    uninstall: Annotated[bool, typer.Option("--uninstall", help="Take the server out again.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the change, do not make it.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    hooks: Annotated[
        bool | None,
        typer.Option(
            "--hooks/--no-hooks",
            help="Put in the client's hooks too, which recall and submit by themselves, or take them out "
            "(claude-code, codex, gemini).",
            show_default=False,
        ),
    ] = None,
    force: Annotated[
        bool,
        typer.Option(
            "--force",
            help="Replace or remove an entry of that name that is another server's; install beside the plugin.",
        ),
    ] = False,
    name: Annotated[str, typer.Option(help="What the server is called in the client.")] = SERVER_NAME,
) -> None:
    """Put the server into a client's own configuration: shows the change, asks, keeps a backup."""
    try:
        target = CLIENTS[client]
        chosen = _Options(project, uninstall, hooks, ask=not yes, show=dry_run, force=force)
        if hooks is not None:
            _check_hooks(target, chosen)
        by_entry = _install(target, name, chosen)
        if hooks is False or (by_entry and not project and (hooks or uninstall)):
            _install_hooks(target, chosen)
    except ConfigurationError as error:
        err.print(f"{PROGRAM}: {error}", markup=False, soft_wrap=True)
        raise typer.Exit(2) from error


class _Options(NamedTuple):
    """Options of an installation. `hooks`: put them in or take them out, None for neither; `show`: change nothing."""

    project: bool
    uninstall: bool
    hooks: bool | None
    ask: bool
    show: bool
    force: bool


def _install(client: InstallTarget, name: str, chosen: _Options) -> bool:
    """Return whether the client has the server by an entry, so that its hooks are ours to put in."""
    from mcp_reflect.cli.install.carry_out import carry_out, created_files, empty_parts  # noqa: PLC0415 - not to complete a word
    from mcp_reflect.cli.install.hook_targets import HOOKS_ACTIVE  # noqa: PLC0415 - likewise
    from mcp_reflect.cli.install.plan import plan_install, plan_uninstall  # noqa: PLC0415 - likewise

    project, force = chosen.project, chosen.force
    if not name.strip() or not name.isprintable():
        raise ConfigurationError("--name: must be a name of printable characters")
    path = _file_of(client, project=project)
    where = f"{client.title}, {path}"
    if chosen.uninstall:
        deletable = project or created_files().holds(path)
        empty = empty_parts().of(path)
        plan = plan_uninstall(client, path, name, force=force, confined=project, deletable=deletable, empty=empty)
    elif client.name is ClientName.CLAUDE_CODE and not force and (plugin := _enabled_plugin()):
        _leave_to_plugin(client, path, plugin, show=chosen.show, confined=project)
        return False
    else:
        how = portable_launch() if project else find_launch(os.environ)
        _warn(client, how, project=project)
        entry = entry_for(client, how, os.environ, str(Path.cwd()), shared=project)
        if chosen.hooks:
            entry.setdefault("env", {})[HOOKS_ACTIVE] = "true"
        dropped = {HOOKS_ACTIVE} if chosen.hooks is False else ()
        plan = plan_install(client, path, name, entry, force=force, confined=project, dropped=dropped)
    made = carry_out(plan, name, where, confined=project, removal=chosen.uninstall, ask=chosen.ask, show=chosen.show)
    if made and not chosen.uninstall:
        out.print(f"Next: {client.next_step}.", markup=False, soft_wrap=True)
        _offer_learning(client)
    return True


def _check_hooks(client: InstallTarget, chosen: _Options) -> None:
    from mcp_reflect.cli.install.hook_targets import HOOK_TARGETS  # noqa: PLC0415 - not needed to complete a word

    option = "--hooks" if chosen.hooks else "--no-hooks"
    if client.name not in HOOK_TARGETS:
        known = ", ".join(HOOK_TARGETS)
        raise ConfigurationError(f"{option}: install knows no hooks of {client.title}; it knows those of {known}")
    if chosen.project:
        raise ConfigurationError(f"{option}: hooks are the user's, for all projects; leave --project out")
    if chosen.uninstall:
        raise ConfigurationError(f"{option}: --uninstall takes the hooks out with the server; leave {option} out")


def _install_hooks(client: InstallTarget, chosen: _Options) -> None:
    """Put the hooks in, or take them out; a client without any is passed over."""
    from mcp_reflect.cli.install.carry_out import carry_out, created_files, empty_parts  # noqa: PLC0415 - as above
    from mcp_reflect.cli.install.hook_targets import HOOK_TARGETS, hook_groups  # noqa: PLC0415 - likewise
    from mcp_reflect.cli.install.hooks import plan_hooks  # noqa: PLC0415 - likewise

    target = HOOK_TARGETS.get(client.name)
    if target is None:
        return
    path = target.file(Machine(os.environ, Path.home()))
    how = find_launch(os.environ)
    variables = entry_for(client, how, os.environ, str(Path.cwd()), shared=False).get("env", {})
    wanted = hook_groups(target, how, variables) if chosen.hooks else {}
    plan = plan_hooks(target, path, wanted, deletable=created_files().holds(path), empty=empty_parts().of(path))
    if chosen.uninstall and not plan.changes:
        return
    where, removal = f"{client.title}, {path}", not chosen.hooks
    made = carry_out(plan, "its set of hooks", where, confined=False, removal=removal, ask=chosen.ask, show=chosen.show)
    if made and chosen.hooks:
        out.print(f"Next: {target.next_step}.", markup=False, soft_wrap=True)


def _offer_learning(client: InstallTarget) -> None:
    """Point to the sessions that the client has left on this machine, where there are any."""
    from mcp_reflect.hooks.past_sessions import FORMATS  # noqa: PLC0415 - not to complete a word

    known = FORMATS.get(client.name)
    places = known.session_places(os.environ, str(Path.home())) if known is not None else ()
    if any(Path(place).exists() for place in places):
        learn = f"{PROGRAM} learn --client {client.name}"
        out.print(f"Earlier sessions are here; `{learn}` shows what they could teach, and asks.", soft_wrap=True)


def _enabled_plugin() -> Path | None:
    from mcp_reflect.cli.install.claude_plugin import find_enabled_plugin  # noqa: PLC0415 - not to complete a word
    from mcp_reflect.config.project import repository_root  # noqa: PLC0415 - likewise

    return find_enabled_plugin(Machine(os.environ, Path.home()), repository_root(os.environ, Path.cwd()))


def _leave_to_plugin(client: InstallTarget, path: Path, plugin: Path, *, show: bool, confined: bool) -> None:
    """Install nothing, since the plugin brings the server; only show the plugin where the program is."""
    from mcp_reflect.cli.install.carry_out import install_home  # noqa: PLC0415 - as above
    from mcp_reflect.cli.install.claude_plugin import write_launch  # noqa: PLC0415 - likewise
    from mcp_reflect.cli.install.plan import read_entries  # noqa: PLC0415 - as above

    def tell(text: str) -> None:
        out.print(text, markup=False, soft_wrap=True)

    tell(f"{client.title} has the server from the plugin, which {plugin} switches on; an entry would be a second one.")
    twice = [name for name, entry in read_entries(client, path, confined=confined).items() if is_ours(entry)]
    for name in twice:
        option = ("" if name == SERVER_NAME else f" --name {name}") + (" --project" if confined else "")
        tell(f"{name} in {path} is such a second one: mcp-reflect install {client.name} --uninstall{option}")
    if not show:
        tell(f"The plugin finds this program by {write_launch(install_home(), find_launch(os.environ))}.")
        _offer_learning(client)


def _file_of(client: InstallTarget, *, project: bool) -> Path:
    if not project:
        return client.user_file(Machine(os.environ, Path.home()))
    if not client.project_file:
        raise ConfigurationError(f"{client.title} has no configuration of its own per project; leave --project out")
    from mcp_reflect.config.project import repository_root  # noqa: PLC0415 - only here

    return Path(os.path.realpath(repository_root(os.environ, Path.cwd()))) / client.project_file


def _warn(client: InstallTarget, how: Launch, *, project: bool) -> None:
    def tell(text: str) -> None:
        err.print(f"{PROGRAM}: {text}", markup=False, soft_wrap=True)

    if how.temporary:
        tell(
            f"{how.command} stands in a cache that may be emptied; install it to stay "
            "(pipx install, uv tool install), then run this again"
        )
    if not project and not client.user_file(Machine(os.environ, Path.home())).parent.is_dir():
        tell(f"nothing of {client.title} is here yet; its configuration is made all the same")
    if project and shutil.which(PROGRAM) is None:
        tell(f"{PROGRAM} is not on the PATH, where a shared configuration looks for it")
    if client.name is ClientName.GEMINI and os.environ.get("OPENAI_API_KEY"):
        # geminicli.com/docs/tools/mcp-server: variables that look like secrets are kept from servers.
        tell('Gemini CLI hands on no keys by itself; for a model, add "env": {"OPENAI_API_KEY": "$OPENAI_API_KEY"}')
