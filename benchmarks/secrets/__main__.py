"""Redaction of secrets: `python -m benchmarks.secrets [--held-out] [--system | --programs] [--lines 20000]`.

Printed are the secrets tried and caught, by part of the set, and the lines of innocent text and the commands that were
changed without need. Rules were written with two thirds of the kinds in sight; `--held-out` also
shows the third that was not, and the fresh kinds that were added after that third had been looked at. `--system` takes
the innocent lines from files of the operating system, `--programs` from programs that are run here and from installed
packages, with everyday commands; both differ from machine to machine.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.secrets.cases import SEED, Case, cases, is_caught
from benchmarks.secrets.innocent import changed_lines, commands, innocent_lines
from benchmarks.secrets.programs import COMMANDS, program_lines
from benchmarks.secrets.system_files import system_lines
from mcp_reflect.domain.redaction.redact import redact, redact_json

console = Console()

IN_SIGHT = ("in sight", "recent")
HELD_OUT = (
    *("held out", "fresh", "unseen", "last", "general", "closing", "everyday", "afterwards"),
    *("documented", "documented, held out", "configured", "configured later", "configured last"),
    *("written out", "outside", "outside, held out"),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--held-out", action="store_true", help="the third of the kinds that rules were not written for"
    )
    parser.add_argument("--part", choices=(*IN_SIGHT, *HELD_OUT), help="one part of the secrets")
    parser.add_argument("--only", choices=("secrets", "lines"), help="one of the tables")
    parser.add_argument("--system", action="store_true", help="innocent lines from files of the operating system")
    parser.add_argument(
        "--programs", action="store_true", help="innocent lines from programs that are run, and packages"
    )
    parser.add_argument("--lines", type=int, default=20_000, help="of innocent text per source")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--missed", type=int, default=0, help="print so many misses and wrong hits")
    options = parser.parse_args()
    if options.only != "lines":
        parts = [*IN_SIGHT, *HELD_OUT] if options.held_out else list(IN_SIGHT)
        _secrets([options.part] if options.part else parts, options.seed, options.missed)
    if options.only != "secrets":
        read = system_lines if options.system else program_lines if options.programs else innocent_lines
        found = COMMANDS if options.programs else commands(options.lines, options.seed)
        _lines(read(options.lines, options.seed), options.missed, found)


def _secrets(parts: list[str], seed: int, shown: int) -> None:
    table = Table("kinds", "number", "tried", "caught", "recall", "kinds below .9", title="Secrets caught")
    missed: list[tuple[Case, Any]] = []
    for name in parts:
        tried: Counter[str] = Counter()
        caught: Counter[str] = Counter()
        for case in cases(name, seed):
            redacted = redact(case.value) if isinstance(case.value, str) else redact_json(case.value)
            tried[case.kind] += 1
            if is_caught(case, redacted):
                caught[case.kind] += 1
            else:
                missed.append((case, redacted))
        low = sum(caught[kind] < 0.9 * tried[kind] for kind in tried)
        share = caught.total() / tried.total()
        table.add_row(name, str(len(tried)), str(tried.total()), str(caught.total()), f"{share:.4f}", str(low))
    console.print(table)
    for case, redacted in missed[:shown]:
        _print(f"{case.kind} | {case.shape} | {case.value!r} -> {redacted!r}")


def _lines(sources: Iterable[tuple[str, list[str]]], shown: int, found: list[str]) -> None:
    table = Table("text", "lines", "changed", "share", title="Wrongly caught")
    all_lines = all_changed = 0
    for name, lines in sources:
        changed = changed_lines(lines, redact)
        count = sum(bool(line) for line in lines)
        all_lines, all_changed = all_lines + count, all_changed + len(changed)
        table.add_row(name, str(count), str(len(changed)), f"{len(changed) / max(count, 1):.3%}")
        for before, after in changed[:shown]:
            _print(f"{name} | {before[:300]} -> {after[:300]}")
    table.add_row("all", str(all_lines), str(all_changed), f"{all_changed / max(all_lines, 1):.3%}")
    broken = [(command, after) for command in found if (after := redact(command)) != command]
    table.add_row("commands of documents", str(len(found)), str(len(broken)), f"{len(broken) / max(len(found), 1):.3%}")
    console.print(table)
    for before, after in broken[:shown]:
        _print(f"command | {before} -> {after}")


def _print(text: str) -> None:
    console.print(text, markup=False, highlight=False, emoji=False)


if __name__ == "__main__":
    main()
