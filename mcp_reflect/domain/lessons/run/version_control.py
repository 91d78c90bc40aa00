"""What commands did to the edits of a run: files that were removed, restored, put aside, committed and reverted.

The parts of each command line are replayed in order on the edits that are not committed yet, on the commits of the run
and on what `git stash` put aside. A line that failed did all of its parts but the last, as far as anybody knows.
"""

from __future__ import annotations

from collections.abc import Sequence

from mcp_reflect.domain.lessons.run.steps import Step
from mcp_reflect.domain.lessons.run.undoing import commands_of, files_undone_by, is_among


def find_gone(steps: Sequence[Step]) -> dict[int, tuple[Step, Step]]:
    """Return the edits that commands took back, by their `id`, each with the command that did."""
    tree = _WorkingTree()
    for step in steps:
        if step.kind == "edit" and not step.failed:
            tree.written.append(step)
        elif step.kind == "command":
            parts = commands_of(step.subject)
            for place, words in enumerate(parts):
                if not step.failed or place < len(parts) - 1 or words[:3] == ("git", "stash", "pop"):
                    tree.run(words, step)
    return tree.gone


class _WorkingTree:
    """The edits of a run as commands left them."""

    def __init__(self) -> None:
        self.written: list[Step] = []
        self.gone: dict[int, tuple[Step, Step]] = {}
        self._commits: list[list[Step]] = []
        self._stashes: list[list[Step]] = []

    def run(self, words: tuple[str, ...], step: Step) -> None:
        """Follow one command of a line."""
        match [word for word in words if not word.startswith("-")]:
            case ["git", "commit", *_]:
                self._commit(amends="--amend" in words)
            case ["git", "revert", *named] if named in ([], ["HEAD"]) and not {"--abort", "--continue"} & set(words):
                self._take_back(self._commits.pop() if self._commits else [], step)
            case ["git", "stash", ("pop" | "apply"), *_]:
                self._bring_back(self._stashes.pop() if self._stashes else [])
            case ["git", "stash", *named] if named[:1] in ([], ["push"], ["save"]):
                files = tuple(named[1:]) if named[:1] == ["push"] else ()
                aside = [edit for edit in self.written if not files or is_among(edit.subject, files)]
                self._stashes.append(aside)
                self._take_back(aside, step)
            case _:
                self._remove(words, step)

    def _commit(self, *, amends: bool) -> None:
        if amends and self._commits:
            self._commits[-1] += self.written
        else:
            self._commits.append(self.written)
        self.written = []

    def _remove(self, words: tuple[str, ...], step: Step) -> None:
        """Take back the edits of files that a command removes, or restores as they were committed last."""
        files = files_undone_by(words)
        if not files:
            return
        removed = words[0] == "rm" or words[:2] == ("git", "rm")
        committed = [edit for commit in self._commits for edit in commit] if removed else []
        self._take_back([edit for edit in (*committed, *self.written) if is_among(edit.subject, files)], step)

    def _take_back(self, edits: Sequence[Step], step: Step) -> None:
        self.gone |= {id(edit): (edit, step) for edit in edits}
        self.written = [edit for edit in self.written if id(edit) not in self.gone]

    def _bring_back(self, edits: Sequence[Step]) -> None:
        self.gone = {key: pair for key, pair in self.gone.items() if not any(pair[0] is edit for edit in edits)}
        self.written += edits
