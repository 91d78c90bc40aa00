"""`mcp-reflect export` and `import`: a whole project, or its errors as a reflexion.jsonl."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO, Literal

import typer

from mcp_reflect.cli.common_options import JsonOption
from mcp_reflect.cli.console import err, out, print_warnings, show_json, show_progress
from mcp_reflect.cli.formats import format_count
from mcp_reflect.cli.memory_access import ledger_access
from mcp_reflect.cli.settings import current_settings, refuse_own_file
from mcp_reflect.errors import ConfigurationError

if TYPE_CHECKING:
    from mcp_reflect.application.maintenance.export import ImportResult
    from mcp_reflect.application.profile import Profile
    from mcp_reflect.bootstrap.ledger import LedgerAccess

_TERMINAL = Path("-")


def export_command(
    file: Annotated[Path, typer.Argument(help="Where to, - is stdout; what is there is replaced.")] = _TERMINAL,
    format_: Annotated[
        Literal["full", "reflexion"],
        typer.Option("--format", help="full: everything, for import; reflexion: only errors and fixes, one per line."),
    ] = "full",
    vectors: Annotated[
        bool, typer.Option("--vectors/--no-vectors", help="Without them the import embeds everything anew.")
    ] = True,
) -> None:
    """Write the project with all it has learned into a file that import takes back in without loss."""
    with ledger_access() as access:
        if file != _TERMINAL:
            refuse_own_file(file, current_settings())
        if format_ == "reflexion":
            _export_errors(access, file)
        else:
            _export_all(access, file, vectors=vectors)


def _export_all(access: LedgerAccess, file: Path, *, vectors: bool) -> None:
    from mcp_reflect.application.atomic_file import PRIVATE_MODE, atomic_writer  # noqa: PLC0415 - heavy
    from mcp_reflect.application.maintenance.export import export_project  # noqa: PLC0415 - heavy

    def write(target: BinaryIO) -> int:
        with show_progress("exporting") as told:
            header = export_project(access.ledger, access.profile.project, target, vectors=vectors, progress=told)
        return header.rows

    if file == _TERMINAL:
        write(sys.stdout.buffer)
        return
    with atomic_writer(file, PRIVATE_MODE) as target:
        rows = write(target)
    out.print(
        f"{format_count(rows, 'row')} of project {access.profile.project} written to {file}",
        markup=False,
        soft_wrap=True,
    )


def _export_errors(access: LedgerAccess, file: Path) -> None:
    from mcp_reflect.application.atomic_file import write_atomically  # noqa: PLC0415 - heavy
    from mcp_reflect.application.known_errors.importing import export_errors  # noqa: PLC0415 - heavy

    print_warnings(access.mirror.read())
    text = export_errors(access.ledger, access.profile)
    if file == _TERMINAL:
        typer.echo(text, nl=False)
        return
    write_atomically(file, text)
    out.print(f"{format_count(len(text.splitlines()), 'error')} written to {file}", markup=False, soft_wrap=True)


def import_command(
    file: Annotated[Path, typer.Argument(help="An export of mcp-reflect, or a reflexion.jsonl; told by its content.")],
    here: Annotated[
        bool, typer.Option("--here", help="Take an export into the present project, whichever it came from.")
    ] = False,
    trust_reviews: Annotated[
        bool,
        typer.Option("--trust-reviews", help="Also take over what the reviews of an export from another home gave."),
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Take in an export, all of it or nothing; or the errors and fixes of a reflexion.jsonl, line by line."""
    from mcp_reflect.application.maintenance.export_file import read_header  # noqa: PLC0415 - heavy

    with ledger_access() as access:
        if read_header(file) is None:
            _import_errors(access, file, as_json=as_json)
        else:
            _import_all(access, file, here=here, trust_reviews=trust_reviews, as_json=as_json)


def _import_all(access: LedgerAccess, file: Path, *, here: bool, trust_reviews: bool, as_json: bool) -> None:
    from mcp_reflect.application.maintenance.audit import embed_missing  # noqa: PLC0415 - heavy
    from mcp_reflect.application.maintenance.export import import_project  # noqa: PLC0415 - heavy
    from mcp_reflect.application.maintenance.unearned import Importer  # noqa: PLC0415 - heavy

    profile, present = access.profile, access.profile.project
    with show_progress("importing") as told:
        done = import_project(
            access.ledger,
            file,
            present if here else None,
            importer=Importer(profile.user, profile.initial_q, access.clock()),
            trust_reviews=trust_reviews,
            progress=told,
        )
    with show_progress("embedding") as told:
        embedded = embed_missing(access.ledger, access.embedder, done.project, told)
    if done.project == present:
        print_warnings(access.mirror.write())
    if as_json:
        counts = {"added": done.added, "skipped": done.skipped, "redacted": done.redacted, "embedded": embedded}
        show_json({"project": done.project, "reviews_taken_over": done.earned} | counts)
    else:
        _tell_import(done, embedded, profile)


def _tell_import(done: ImportResult, embedded: int, profile: Profile) -> None:
    added, skipped = sum(done.added.values()), sum(done.skipped.values())
    traces = format_count(done.added.get("traces", 0), "trace")
    memories = format_count(done.added.get("memories", 0), "memory", "memories")
    out.print(
        f"project {done.project}: {format_count(added, 'row')} new ({traces}, {memories}), {skipped:,} as they were, "
        f"{embedded:,} embedded",
        markup=False,
        soft_wrap=True,
    )
    if done.redacted:
        out.print(
            f"{format_count(done.redacted, 'row')} of the file held secrets; they were replaced by [redacted:…].",
            markup=False,
            soft_wrap=True,
        )
    if not done.earned:
        out.print(
            f"This home did not write the export: its texts were taken in, its memories start at {profile.initial_q:g} "
            "without what reviews gave them elsewhere. If you trust its source, forget them and import again with "
            "--trust-reviews.",
            markup=False,
            soft_wrap=True,
        )
    if done.project != profile.project:
        out.print(f"The present project is {profile.project}; import --here would have used that.", markup=False)


def _import_errors(access: LedgerAccess, file: Path, *, as_json: bool) -> None:
    from mcp_reflect.application.known_errors.importing import import_errors  # noqa: PLC0415 - heavy

    text = _text_of(file)
    print_warnings(access.mirror.read())
    with show_progress("embedding") as told:
        done = import_errors(text, access.ledger, access.embedder, access.profile, access.clock, told)
    print_warnings(access.mirror.write())
    if not (done.added or done.changed or done.unchanged):
        broken_lines = "".join(f"; line {each.number}: {each.problem}" for each in done.broken[:1])
        raise ConfigurationError(f"{file}: holds neither an export nor an error with a fix{broken_lines}")
    for broken in done.broken:
        err.print(f"line {broken.number}: {broken.problem}; skipped", markup=False, soft_wrap=True)
    if as_json:
        skipped = [{"line": each.number, "problem": each.problem} for each in done.broken]
        counts = {"added": done.added, "changed": done.changed, "unchanged": done.unchanged}
        show_json(counts | {"skipped": skipped})
        return
    out.print(
        f"{done.added} new, {done.changed} changed, {done.unchanged} as they were, "
        f"{format_count(len(done.broken), 'line')} skipped"
    )


def _text_of(file: Path) -> str:
    from mcp_reflect.application.confined_file import LARGEST  # noqa: PLC0415 - with the rest

    with file.open("rb") as source:
        content = source.read(LARGEST + 1)
    if len(content) > LARGEST:
        raise ConfigurationError(
            f"{file}: is no export, and larger than a reflexion.jsonl may be ({LARGEST:,} bytes); nothing was changed"
        )
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ConfigurationError(f"{file}: must be UTF-8 text") from error
