"""The home that operations are killed in: what fills it, and what is read of it afterwards."""

from __future__ import annotations

import os
import shutil
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from mcp_reflect.application.maintenance.backups import back_up
from mcp_reflect.application.maintenance.export import export_project
from mcp_reflect.application.requests import Submission
from mcp_reflect.bootstrap.ledger import open_ledger_access
from mcp_reflect.bootstrap.memory import open_memory
from mcp_reflect.bootstrap.parts import build_ledger, home_ledger_file
from mcp_reflect.bootstrap.store import open_store
from mcp_reflect.config.home import Home
from mcp_reflect.config.load import Settings, load_settings
from mcp_reflect.hub.maintenance import run_maintenance
from tests.support.past_sessions import PastStep, write_session

PROJECT = "killed"
SECRET = "zanzibarquux"
"""A word of the run that is forgotten, and of no other."""
RUNS, PENDING, SESSIONS = 40, 150, 60


def settings_of(home: Path) -> Settings:
    """Return the settings of a home without a hub."""
    os.environ |= {"MCP_REFLECT_HOME": str(home), "MCP_REFLECT_PROJECT": PROJECT, "MCP_REFLECT_HUB__ENABLED": "false"}
    return load_settings()


@dataclass(frozen=True)
class Place:
    """A home, and beside it the files of the operations."""

    folder: Path

    @property
    def home(self) -> Path:
        """Return the home."""
        return self.folder / "home"

    @property
    def backup(self) -> Path:
        """Return the backup of the home as it was filled, to which runs were added since."""
        return self.folder / "home.zip"

    @property
    def export(self) -> Path:
        """Return the export of the home."""
        return self.folder / "project.jsonl"


def fill(place: Place) -> None:
    """Fill a home with runs, pending and reviewed, back it up, export it, and add a run."""
    settings = settings_of(place.home)
    with open_memory(settings) as memory:
        list(
            memory.submit_all(submission(f"seed-{number}", "pass" if number % 3 else "fail") for number in range(RUNS))
        )
        seeds = [submission(f"seed-{number}", "pass" if number % 3 else "fail") for number in range(RUNS)]
        list(memory.submit_all([*seeds, *(submission(f"pending-{number}", "") for number in range(PENDING))]))
    back_up(place.home, home_ledger_file(settings), place.backup)
    with open_ledger_access(settings) as access, place.export.open("wb") as out:
        export_project(access.ledger, PROJECT, out)
    with open_memory(settings) as memory:
        memory.submit(submission(SECRET, "pass"))
    with open_store(settings) as store:
        run_maintenance("reindex", store, PROJECT, lambda _: None)
    for number in range(SESSIONS):
        folder = place.folder / "repositories" / PROJECT
        folder.mkdir(parents=True, exist_ok=True)
        steps = [
            PastStep(prompt=f"Mend the test of module {number}."),
            PastStep(command=f"pytest tests/test_{number}.py", output="1 failed: E  AssertionError: 3 != 4", code=1),
            PastStep(says=f"The rounding of module {number} is wrong; it must round half up."),
            PastStep(command=f"pytest tests/test_{number}.py", output="1 passed"),
        ]
        write_session(place.folder, "codex", f"{number:08}-0000-0000-0000-000000000000", folder, steps)


def submission(key: str, result: str) -> Submission:
    """Return a run under a key, reviewed where `result` is not empty."""
    return Submission.model_validate(
        {
            "task": f"Deploy the {key} service to region {len(key) % 7}",
            "trajectory": f"USER: deploy {key}\nTOOL: Error: unknown flag --{key}\nASSISTANT: dropped the flag {key}",
            "trace_key": key,
            "review_result": result,
            "guidance": f"The {key} service takes its region from the environment." if result else "",
        }
    )


def trace_ids(place: Place) -> set[str]:
    """Return the ids of all runs of the home."""
    settings = settings_of(place.home)
    with closing(build_ledger(settings, Home(place.home))) as ledger, ledger.reading() as session:
        rows = [session.projects.audit_rows(name) for name in session.projects.names()]
        return {trace.id for each in rows for trace, _ in each.traces}


def trace_keys(place: Place) -> set[str]:
    """Return the trace_keys of the project's runs."""
    settings = settings_of(place.home)
    with closing(build_ledger(settings, Home(place.home))) as ledger, ledger.reading() as session:
        return {trace.trace_key for trace, _ in session.projects.audit_rows(PROJECT).traces}


def copy_of(place: Place, folder: Path) -> Place:
    """Copy a home and what is beside it; the paths inside of sessions stay those of the original."""
    shutil.copytree(place.folder, folder, symlinks=True)
    return Place(folder)
