"""Writes the generated parts of the documents, and prints which of them changed.

python -m docs.tools.generate           # write
python -m docs.tools.generate --check   # write nothing; exit code 1 where a part is stale
"""

from __future__ import annotations

import sys

from docs.tools import reference
from docs.tools.import_graph import PACKAGE, drawing, import_graph
from docs.tools.marked import ROOT, write_block


def stale(*, check: bool) -> list[str]:
    """The parts that differed from what the code says; they are rewritten unless `check` is set."""
    parts = {
        ("ARCHITECTURE.md", "import graph"): drawing(import_graph(PACKAGE)),
        ("settings.md", "settings"): reference.settings(),
        ("tools.md", "tools"): reference.tools(),
        ("commands.md", "commands"): reference.commands(),
    }
    return [
        f"docs/{file}: {name}"
        for (file, name), text in parts.items()
        if write_block(ROOT / "docs" / file, name, text, check=check)
    ]


def main() -> int:
    check = sys.argv[1:] == ["--check"]
    found = stale(check=check)
    for part in found:
        print(part)
    return int(check and bool(found))


if __name__ == "__main__":
    sys.exit(main())
