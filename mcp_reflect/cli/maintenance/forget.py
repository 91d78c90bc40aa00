"""`mcp-reflect forget`: out of ledger, index and the project's file of errors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from mcp_reflect.cli.common_options import JsonOption, YesOption
from mcp_reflect.cli.console import confirm, err, out, print_warnings, show_json, show_progress
from mcp_reflect.cli.error_report import report_errors
from mcp_reflect.cli.formats import format_count
from mcp_reflect.cli.layout import flat, head, lesson_line, show_entry
from mcp_reflect.cli.memory_access import ledger_access
from mcp_reflect.cli.records.reading import resolve_ids
from mcp_reflect.cli.settings import current_settings
from mcp_reflect.errors import ConfigurationError

if TYPE_CHECKING:
    from mcp_reflect.application.maintenance.erase import ErasurePlan
    from mcp_reflect.bootstrap.ledger import LedgerAccess


def forget_command(
    thing_id: Annotated[str, typer.Argument(metavar="ID", help="A trace or a memory; a unique beginning will do.")],
    yes: YesOption = False,
    as_json: JsonOption = False,
) -> None:
    """Forget a run with all that came from it, or one memory, for good; q_values are replayed without it."""
    from mcp_reflect.application.maintenance.erase import plan_erasure  # noqa: PLC0415 - heavy
    from mcp_reflect.wire.maintenance import MaintenanceEvent, request_maintenance  # noqa: PLC0415 - with sockets

    (full,) = resolve_ids([(thing_id, "trace", "mem")])
    with ledger_access() as access:
        found = plan_erasure(access.ledger, access.profile, full)
        if not as_json:
            _show(found)
        confirm("Forget this for good?", yes=yes)
        _out_of_the_mirror(access, found)
    with report_errors(), show_progress("forgetting") as told:

        def tell(event: MaintenanceEvent) -> None:
            if "line" in event:
                (err if as_json else out).print(event["line"], markup=False)
            elif "left" in event:
                (err if as_json else out).print(f"forgotten, but: {event['left']['message']}", markup=False)
            elif "doing" in event:
                told(event["done"], event["total"])
            elif "warning" in event:
                print_warnings([event["warning"]])

        settings = current_settings()
        request_maintenance("forget", str(settings.home), settings.project, tell, thing=full)
    if as_json:
        moved = [update.model_dump() for update in found.q_updates]
        ids = {"traces": [each.id for each in found.traces], "memories": [each.id for each in found.memories]}
        show_json(ids | {"q_updates": moved})
        return
    traces, memories = format_count(len(found.traces), "trace"), format_count(len(found.memories), "memory", "memories")
    out.print(f"{traces} and {memories} forgotten.")


def _show(found: ErasurePlan) -> None:
    for trace in found.traces:
        show_entry(head(trace.id, "run"), flat(trace.task))
    for memory in found.memories:
        show_entry(head(memory.id, memory.kind), lesson_line(memory.reflection))
    for update in found.q_updates:
        out.print(f"q_value of {update.memory_id}: {update.q_before:.3f} → {update.q_after:.3f}")
    if found.quoting:
        ids = " ".join(found.quoting)
        out.print(f"The same words also stand in other runs, which stay: {ids}", soft_wrap=True)


def _out_of_the_mirror(access: LedgerAccess, found: ErasurePlan) -> None:
    """Archived errors have no line in the file of errors; a line without a memory would come back in as a new error."""
    from mcp_reflect.application.lifecycle import change_status  # noqa: PLC0415 - heavy
    from mcp_reflect.domain.models import ErrorMemory  # noqa: PLC0415 - heavy

    errors = [memory for memory in found.memories if isinstance(memory, ErrorMemory)]
    for memory in errors:
        change_status(access.ledger, access.profile, access.clock, memory.id, "archive", "to be forgotten")
    warnings = access.mirror.write() if errors else []
    if warnings and not access.mirror.waiting():  # it has no line in a file that this home never wrote
        raise ConfigurationError(f"{warnings[0]}; its line of this error has to go first. Nothing was forgotten")
