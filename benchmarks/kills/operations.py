"""The operations that are killed, each with what must hold afterwards."""

from __future__ import annotations

import itertools
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from benchmarks.kills.filled_home import (
    PENDING,
    PROJECT,
    RUNS,
    SECRET,
    SESSIONS,
    Place,
    settings_of,
    submission,
    trace_ids,
    trace_keys,
)
from mcp_reflect.application.maintenance.backups import back_up, restore
from mcp_reflect.application.maintenance.export import import_project
from mcp_reflect.application.maintenance.unearned import Importer
from mcp_reflect.application.requests import Verdict
from mcp_reflect.bootstrap.ledger import open_ledger_access
from mcp_reflect.bootstrap.memory import open_memory
from mcp_reflect.bootstrap.parts import build_ledger, home_ledger_file
from mcp_reflect.bootstrap.store import open_store
from mcp_reflect.cli.app import build_app
from mcp_reflect.config.home import Home
from mcp_reflect.errors import ReflectError
from mcp_reflect.hub.maintenance import run_maintenance

Say = Callable[[str], None]


@dataclass(frozen=True)
class Operation:
    """`run` says each thing once it is acknowledged; `check` gets what was said and yields what is wrong.

    `endless` is true where it goes on until it is killed; otherwise it is killed within its usual time.
    """

    name: str
    run: Callable[[Place, Say], None]
    check: Callable[[Place, list[str]], Iterable[str]]
    endless: bool = False


# -- submit and review


def _submit(place: Place, say: Say) -> None:
    begun = len(trace_keys(place))
    with open_memory(settings_of(place.home)) as memory:
        say("begun")
        for number in itertools.count(begun):
            say(memory.submit(submission(f"run-{number}", ("pass", "fail", "")[number % 3])).trace_id)


def _check_stored(place: Place, said: list[str]) -> Iterable[str]:
    missing = set(said) - trace_ids(place)
    if missing:
        yield f"{len(missing)} acknowledged runs are missing"


def _pending(place: Place) -> list[str]:
    settings = settings_of(place.home)
    with closing(build_ledger(settings, Home(place.home))) as ledger, ledger.reading() as session:
        found = session.traces.summaries(PROJECT, user=None, review_status="pending", limit=1000)
        return [each.id for each in found]


def _review(place: Place, say: Say) -> None:
    waiting = _pending(place)
    with open_memory(settings_of(place.home)) as memory:
        say("begun")
        for number, trace_id in enumerate(waiting):
            verdict = Verdict(result="pass" if number % 2 else "fail", guidance=f"Look at the flags of {number} first.")
            memory.review(trace_id, verdict)
            say(trace_id)


def _check_reviewed(place: Place, said: list[str]) -> Iterable[str]:
    missing = set(said) & set(_pending(place))
    if missing:
        yield f"{len(missing)} acknowledged reviews are missing"


# -- forget


def _forget(place: Place, say: Say) -> None:
    settings = settings_of(place.home)
    with open_store(settings) as store:
        with store.ledger.reading() as session:
            found = session.traces.find_by_key(PROJECT, SECRET)
        assert found is not None
        for copy in ("before-restore.zip", "ledger.db.damaged-1", "chroma.damaged-1"):
            (place.home / copy).write_text(f"an earlier state with {SECRET}")
        say("begun")
        run_maintenance("forget", store, PROJECT, lambda _: None, found.id)
    say("done")


def _check_forgotten(place: Place, said: list[str]) -> Iterable[str]:
    gone = SECRET not in trace_keys(place)
    if said and not gone:
        yield "an acknowledged forgetting is undone"
    if not gone:
        for file in place.home.glob("*.damaged-1"):
            file.unlink()
    else:
        for file in sorted(place.home.rglob("*")):
            if file.is_file() and SECRET.encode() in file.read_bytes().lower():
                yield f"the forgotten word stands in {file.relative_to(place.home)}"


# -- backup, restore, import, reindex, learn


def _backup(place: Place, say: Say) -> None:
    settings = settings_of(place.home)
    say("begun")
    back_up(place.home, home_ledger_file(settings), place.backup)
    say("done")


def _check_backup(place: Place, said: list[str]) -> Iterable[str]:
    with tempfile.TemporaryDirectory() as folder:
        other = Place(Path(folder))
        settings = settings_of(other.home)
        try:
            restore(other.home, home_ledger_file(settings), place.backup)
        except ReflectError as error:
            yield f"the backup is not whole: {error}"
            return
        if said and SECRET not in trace_keys(other):
            yield "an acknowledged backup is the older one"


def _restore(place: Place, say: Say) -> None:
    settings = settings_of(place.home)
    with Home(place.home, "restore"):
        say("begun")
        restore(place.home, home_ledger_file(settings), place.backup)
    say("done")


def _check_restored(place: Place, said: list[str]) -> Iterable[str]:
    keys = trace_keys(place)
    if len(keys) != RUNS + PENDING + (SECRET in keys):
        yield f"{len(keys)} runs are those of neither state"
    if said and SECRET in keys:
        yield "an acknowledged restore is undone"


def _import(place: Place, say: Say) -> None:
    shutil.rmtree(place.home)  # what is there already would be passed over
    settings = settings_of(place.home)
    with open_ledger_access(settings) as access:
        say("begun")
        importer = Importer(access.profile.user, access.profile.initial_q, access.clock())
        import_project(access.ledger, place.export, importer=importer, trust_reviews=True)
    say("done")


def _check_imported(place: Place, said: list[str]) -> Iterable[str]:
    found = len(trace_ids(place))
    if found != RUNS + PENDING and (said or found):
        yield f"{found} of {RUNS + PENDING} runs were taken in"


def _reindex(place: Place, say: Say) -> None:
    with open_store(settings_of(place.home)) as store:
        say("begun")
        run_maintenance("reindex", store, PROJECT, lambda _: None)
    say("done")


def _learn(place: Place, say: Say) -> None:
    settings_of(place.home)
    os.environ["HOME"] = str(place.folder)
    say("begun")
    build_app("learn")(["learn", "--yes"], standalone_mode=False)
    say("done")


def _check_learned(place: Place, said: list[str]) -> Iterable[str]:
    del said
    _learn(place, lambda _: None)
    found = len(trace_ids(place))
    if found != RUNS + PENDING + 1 + SESSIONS:
        yield f"{found} runs after learning again, not {RUNS + PENDING + 1 + SESSIONS}"


OPERATIONS = (
    Operation("submit", _submit, _check_stored, endless=True),
    Operation("review", _review, _check_reviewed, endless=True),
    Operation("forget", _forget, _check_forgotten),
    Operation("restore", _restore, _check_restored),
    Operation("import", _import, _check_imported),
    Operation("backup", _backup, _check_backup),
    Operation("reindex", _reindex, lambda _place, _said: ()),
    Operation("learn", _learn, _check_learned),
)
