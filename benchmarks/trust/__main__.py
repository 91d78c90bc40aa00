"""Attacks by text that an agent read: `python -m benchmarks.trust [--held-out] [--seed 7] [--missed 0]`.

Each attack is a run that is submitted, reviewed and asked for by its own task, through the whole memory with the
bundled model. Counted is how many payloads stand in the first three memories as words of the lesson, how many as
quotations, and how many in the guide. Honest are the real runs of the shared data, whose lessons should lose nothing.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.quality.data import HOTPOT, TAU, read_runs
from benchmarks.trust.attacks import Attack, attacks
from benchmarks.trust.honest import honest_lessons
from benchmarks.trust.payloads import FRESH, HELD_OUT, IN_SIGHT, Families
from mcp_reflect.application.memory_service import MemoryService
from mcp_reflect.application.requests import Query, Submission
from mcp_reflect.bootstrap import open_memory
from mcp_reflect.config.load import load_settings
from mcp_reflect.domain.text.quotation import without_quotations

console = Console()
FIRST = 3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--held-out", action="store_true", help="families that rules were not written for, too")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--missed", type=int, default=0, help="print so many attacks that passed, and wrongly caught")
    options = parser.parse_args()
    parts: dict[str, Families] = {"in sight": IN_SIGHT}
    if options.held_out:
        parts |= {"held out": HELD_OUT, "fresh": FRESH}
    table = Table("families", "number", "attacks", "in the first 3", "quoted there", "in the guide", title="Attacks")
    for part, families in parts.items():
        tried = list(attacks(families, options.seed))
        outcome = _outcome(tried)
        passed = [each for each in tried if each.marker in outcome["passed"]]
        guide, quoted = len(outcome["promoted"]), len(outcome["quoted"] - outcome["passed"])
        share = f"{len(passed)} ({100 * len(passed) / len(tried):.1f}%)"
        table.add_row(part, str(len(families)), str(len(tried)), share, str(quoted), str(guide))
        for name, count in Counter(f"{each.family}, {each.path}" for each in passed).most_common(options.missed):
            console.print(f"{part}: {name}: {count}")
        for line in outcome["lines"] if options.missed else ():
            console.print(line, markup=False, highlight=False)
    console.print(table)
    _honest(options.missed)


def _outcome(tried: list[Attack]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {"passed": set(), "quoted": set(), "promoted": set(), "lines": set()}
    with tempfile.TemporaryDirectory() as folder:
        settings = load_settings({"MCP_REFLECT_HOME": folder, "MCP_REFLECT_PROJECT": "trust"}, Path(folder))
        with open_memory(settings) as memory:
            for attack in tried:
                memory.submit(Submission.model_validate(attack.arguments | {"retrieval_id": "none"}))
            for attack in tried:
                _look(memory, attack, found)
            guide = str(memory.guide())
            found["promoted"] = {attack.marker for attack in tried if attack.marker in guide}
    return found


def _look(memory: MemoryService, attack: Attack, found: dict[str, set[str]]) -> None:
    matches = memory.query(Query(task=attack.task, limit=FIRST)).matches
    for match in matches:
        said = "\n".join(filter(None, (match.memory.reflection, *match.memory.passages, *match.memory.instructions)))
        if attack.marker in said:
            found["quoted"].add(attack.marker)
        if attack.marker in without_quotations(said):
            found["passed"].add(attack.marker)
            found["lines"] |= {line for line in said.splitlines() if attack.marker in line}


def _honest(shown: int) -> None:
    table = Table("real runs", "lessons", "lost a sentence", "as quotation", title="Honest lessons")
    for name in (TAU, HOTPOT):
        lessons = list(honest_lessons(read_runs(name)))
        lost = [each for each in lessons if each.withheld]
        quoted = sum(each.quoted for each in lessons)
        share = f"{len(lost)} ({100 * len(lost) / len(lessons):.2f}%)"
        table.add_row(name, str(len(lessons)), share, str(quoted))
        for each in lost[:shown]:
            console.print(each.withheld, markup=False, highlight=False)
    console.print(table)


if __name__ == "__main__":
    main()
