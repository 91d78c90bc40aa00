"""Command lines that only record in version control what was changed, and show what became of it."""

from __future__ import annotations

import shlex

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.lessons.run.commands.effects import only_reads
from mcp_reflect.domain.lessons.run.commands.git_words import plain_git
from mcp_reflect.domain.lessons.run.commands.words import commands_of

_RECORDS = frozenset({"add", "branch", "checkout", "commit", "fetch", "pull", "push", "stash", "switch", "tag"})
_SHOWS = re.compile(r"(?:gh|glab) (?:ci|job|pipeline|pr|mr|run) (?:checks|list|status|trace|view|watch)\b")


def only_records(command: str) -> bool:
    """Return true where a command line commits or pushes, and does nothing else but change branches and look."""
    parts = [plain_git(words)[0] for words in commands_of(command) if words[0] not in {"cd", "pushd", "popd"}]
    acting = [words for words in parts if not (only_reads(shlex.join(words)) or _SHOWS.match(" ".join(words)))]
    return bool(acting) and all(words[0] == "git" and words[1:2] and words[1] in _RECORDS for words in acting)
