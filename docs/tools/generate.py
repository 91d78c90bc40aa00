"""Writes the generated parts of the documents, and prints which of them changed.

python -m docs.tools.generate           # write
python -m docs.tools.generate --check   # write nothing; exit code 1 where a part is stale
"""

from __future__ import annotations

import sys

from docs.tools import reference
from docs.tools.import_graph import PACKAGE, drawing, import_graph
from docs.tools.marked import ROOT, write_block
from mcp_reflect.server.instructions import HOOKED_INSTRUCTIONS


def stale(*, check: bool) -> list[str]:
    """The parts that differed from what the code says; they are rewritten unless `check` is set."""
    parts = {
        ("docs/ARCHITECTURE.md", "import graph"): drawing(import_graph(PACKAGE)),
        ("docs/settings.md", "settings"): reference.settings(),
        ("docs/tools.md", "tools"): reference.tools(),
        ("docs/commands.md", "commands"): reference.commands(),
        ("plugin/skills/project-memory/SKILL.md", "instructions"): HOOKED_INSTRUCTIONS,
    }
    return [
        f"{file}: {name}" for (file, name), text in parts.items() if write_block(ROOT / file, name, text, check=check)
    ]


def main() -> int:
    check = sys.argv[1:] == ["--check"]
    found = stale(check=check)
    for part in found:
        print(part)
    return int(check and bool(found))


if __name__ == "__main__":
    sys.exit(main())
