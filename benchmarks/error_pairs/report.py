"""Which recorded errors are called the same: recall, precision, and look-alikes that a hook would announce."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

from benchmarks.quality.banks import laboratory
from mcp_reflect.application.known_errors import KnownFix
from mcp_reflect.application.memory_service import MemoryService
from mcp_reflect.application.requests import ErrorFix, ErrorQuery

RECORDED = Path(__file__).parent / "recorded"

CHOSEN_ON = frozenset(
    {
        *(
            "python",
            "pytest",
            "mypy",
            "pip",
            "npm",
            "node",
            "tsc",
            "rust",
            "gcc",
            "ld",
            "bash",
            "git",
            "docker",
            "make",
        ),
    }
)
"""The ecosystems on which the rules of `error_matching/` were chosen."""

NEW = frozenset(
    {
        *(
            "awk",
            "sed",
            "openssl",
            "patch",
            "unzip",
            "dpkg",
            "as",
            "ar",
            "ssh-keygen",
            "sha256sum",
            "date",
            "find",
            "xz",
        ),
        *("jar", "keytool", "json.tool", "chown", "timeout", "uvicorn"),
    }
)
"""Tools that were recorded after all rules had been made."""

LATEST = frozenset(
    {
        *("numfmt", "factor", "seq", "touch", "printf", "dd", "truncate", "split", "chmod", "tsort", "csplit", "m4"),
        *("ninja", "meson", "nginx", "protoc", "rsync", "envsubst", "msgfmt", "pkg-config", "gzip", "zstd", "install"),
        *("composer", "autoconf", "kill", "getent"),
    }
)
"""Tools recorded once the rules had been mended for what was wrong among those of NEW: many names and values."""

FRESH = frozenset(
    {
        *("clang", "ghc", "ocaml", "swipl", "R", "sbcl", "nim", "named-checkzone", "ffmpeg", "redis-cli", "bzip2"),
        *("mv", "cp", "ln", "ip", "join", "bc"),
        *(
            f"python/{name}"
            for name in ("struct", "regex", "enum", "dataclass", "subprocess", "date", "codec", "abstract")
        ),
        *(f"node/{name}" for name in ("url", "not-iterable", "const", "missing-option")),
        *(f"rust/{name}" for name in ("field", "match", "borrow", "macro")),
        *(f"go/{name}" for name in ("missing-method", "unknown-field", "atoi")),
        *("docker/unknown-command", "docker/invalid-port", "g++/template", "g++/override", "ld/cxx-undefined"),
    }
)
"""Tools, and single errors of those above, recorded after the rules for names and values had been made."""

HELD_OUT = frozenset(
    {
        *(
            "xmllint",
            "gm",
            "pandoc",
            "dot",
            "objdump",
            "readelf",
            "nm",
            "strip",
            "lz4",
            "gpg",
            "systemd-analyze",
            "yamllint",
        ),
        *("iconv", "column", "paste", "comm", "cut", "base64", "od", "stat", "nl", "shuf", "mktemp", "env", "flock"),
        *(
            "getopt",
            "sort",
            "head",
            "tail",
            "tr",
            "rmdir",
            "mkdir",
            "rm",
            "cmp",
            "diff",
            "grep",
            "javap",
            "getconf",
            "tput",
        ),
    }
)
"""Tools recorded after all of those, at which no rule was looked."""

DEVELOPERS: Mapping[str, Sequence[str]] = json.loads(
    Path(__file__).with_name("developers.json").read_text(encoding="utf-8")
)
"""Errors of package managers, compilers and test runners, recorded last: half were looked at, half were kept aside."""

SAME = ("moved", "wrapped", "again")
OTHER = ("look_alike", "look_alike_wrapped")
_LIMIT = 5


class RecordedCase(NamedTuple):
    """A recorded case: what its tool printed, by the way in which it was run."""

    ecosystem: str
    name: str
    outputs: Mapping[str, str]

    @property
    def label(self) -> str:
        """The ecosystem and the name."""
        return f"{self.ecosystem}/{self.name}"


class Tally(NamedTuple):
    """Of a set of cases: the variants asked and found, the answers called the same, and the look-alikes announced."""

    cases: int
    asked: int
    found: int
    called_same: int
    look_alikes: int
    announced: int

    @property
    def row(self) -> Sequence[str]:
        """The figures as shown."""
        right = self.found / max(self.called_same, 1)
        return (
            str(self.cases),
            f"{self.found / self.asked:.3f} of {self.asked}",
            f"{right:.3f} of {self.called_same}",
            f"{self.announced / self.look_alikes:.3f} of {self.look_alikes}",
        )


def read_recorded() -> Iterator[RecordedCase]:
    """The recorded cases, by ecosystem."""
    for file in sorted(RECORDED.glob("*.json")):
        for row in json.loads(file.read_text(encoding="utf-8")):
            yield RecordedCase(row["ecosystem"], row["name"], row["outputs"])


def tally(memory: MemoryService, ids: Mapping[str, str], cases: Sequence[RecordedCase]) -> Tally:
    """Ask for every variant of the cases; `ids` are the memories of the recorded errors, by case."""
    asked = found = called = look_alikes = announced = 0
    for case in cases:
        own = ids[case.label]
        for way in (*SAME, *OTHER):
            if way not in case.outputs:
                continue
            same = [fix.memory.id for fix in find(memory, case.outputs[way]) if is_announced(fix)]
            called += len(same)
            if way in SAME:
                asked, found = asked + 1, found + (own in same)
            else:
                look_alikes, announced = look_alikes + 1, announced + bool(same)
    return Tally(len(cases), asked, found, called, look_alikes, announced)


def find(memory: MemoryService, error: str) -> list[KnownFix]:
    """The answers of find_error_fixes."""
    return memory.errors.find(ErrorQuery(error=error, limit=_LIMIT)).fixes


def is_announced(fix: KnownFix) -> bool:
    """Whether a hook would tell the agent that the error was met before."""
    return fix.same


def print_pairs(console: Console) -> None:
    """Record every error as its tool first printed it, ask for the variants, and print the figures."""
    cases = list(read_recorded())
    with laboratory() as lab, lab.memory("errors") as memory:
        ids = {}
        for case in cases:
            fix = ErrorFix(
                task="keep it working",
                mistake=f"{case.label} fails",
                fix=f"what helped with {case.label}",
                evidence=case.outputs["base"],
            )
            ids[case.label] = memory.record_error(fix).memory.id
        fresh = [case for case in cases if {case.ecosystem, case.label} & FRESH]
        developers = {half: [case for case in cases if case.label in names] for half, names in DEVELOPERS.items()}
        earlier = [case for case in cases if case not in [*fresh, *chain(*developers.values())]]
        chosen = [case for case in earlier if case.ecosystem in CHOSEN_ON]
        left_out = [case for case in earlier if case.ecosystem not in CHOSEN_ON | NEW | LATEST | HELD_OUT]
        new = [case for case in cases if case.ecosystem in NEW]
        latest = [case for case in cases if case.ecosystem in LATEST]
        table = Table("ecosystems", "errors", "same error found", "called same: right", "look-alikes announced")
        table.title = f"{len(cases)} errors of real tools, all in one bank"
        table.add_row("rules chosen on", *tally(memory, ids, chosen).row)
        table.add_row("left out", *tally(memory, ids, left_out).row)
        table.add_row("recorded later", *tally(memory, ids, new).row)
        table.add_row("recorded last", *tally(memory, ids, latest).row)
        table.add_row("recorded after those", *tally(memory, ids, fresh).row)
        held_out = [case for case in cases if case.ecosystem in HELD_OUT]
        table.add_row("held out", *tally(memory, ids, held_out).row)
        for half, found in developers.items():
            table.add_row(f"developers' tools, {half.replace('_', ' ')}", *tally(memory, ids, found).row)
        table.add_row("goal", ">= 120", ">= .95", ">= .95", "<= .02")
    console.print(table)
