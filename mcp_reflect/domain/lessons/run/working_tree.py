"""What commands did to the edits of a run: files that were removed, restored, put aside, committed and reverted.

The parts of each command line are replayed in order on the edits that are not committed yet, on the commits of the run
and on what `git stash` put aside. A line that failed did all of its parts but the last, as far as anybody knows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.lessons.run.commands.git_words import options_and_names, plain_git, revision_of
from mcp_reflect.domain.lessons.run.commands.words import commands_of
from mcp_reflect.domain.lessons.run.step import Step
from mcp_reflect.domain.lessons.run.undone_files import files_undone_by, is_among

_HASH = re.compile(r"[0-9a-f]{7,40}")
_BACK = re.compile(r"(?:HEAD|@)(?:~(\d{0,3})|(\^{1,9}))?")
_MAKES_BRANCH = re.compile(r"-[a-z]*[bBcC]|--create|--force-create")
_DROPS_BRANCH = re.compile(r"-[a-z]*D[a-z]*")
_COMMITS_ALL = re.compile(r"-[b-z]*a[a-z]*|--all")
_BESIDE = re.compile(r"/(?:var/)?tmp/|\$\{?\w*TE?MP", re.IGNORECASE)
"""How folders begin in which a run works beside its own."""


class _Commit(NamedTuple):
    """What it brought in and took out, and what was printed when it was made."""

    edits: list[Step]
    taken_out: list[Step]
    output: str = ""


def find_gone(steps: Sequence[Step]) -> dict[int, tuple[Step, Step]]:
    """Return the edits that commands took back, by their `id`, each with the command that did."""
    tree = _WorkingTree()
    for step in steps:
        if step.kind == "edit" and not step.failed:
            tree.written.append(step)
        elif step.kind == "command":
            parts = commands_of(step.subject)
            folder = ""
            for place, words in enumerate(parts):
                if words[0] in {"cd", "pushd"}:
                    folder = words[1] if len(words) > 1 else "~"
                elif not step.failed or place < len(parts) - 1 or words[:3] == ("git", "stash", "pop"):
                    tree.run(words, step, folder)
    return tree.gone


class _Copy(NamedTuple):
    """The file that was copied, and the edits that it held then, by their `id`."""

    file: str
    held: frozenset[int]


class _WorkingTree:
    """The edits of a run as commands left them."""

    def __init__(self) -> None:
        self.written: list[Step] = []
        self.gone: dict[int, tuple[Step, Step]] = {}
        self._staged: set[str] = set()
        self._commits: list[_Commit] = []
        self._stashes: list[list[Step]] = []
        self._shown: list[Step] = []
        self._copies: dict[str, _Copy] = {}
        self._branches: dict[str, int] = {}  # by the name of one that the run made the number of commits before it

    def run(self, words: tuple[str, ...], step: Step, folder: str) -> None:
        """Follow one command of a line that ran in a folder."""
        words, given = plain_git(words)
        folder = given or folder
        options, names = options_and_names(words)
        is_here: Callable[[Step], bool] = lambda edit: _shares_repository(edit.subject, folder)  # noqa: E731 - bound once
        self._follow_branches(names, options, step)
        match names:
            case ["git", "add", *files]:
                self._staged |= set(files) if files and not options else {"."}
            case ["git", "commit", *files] if "--dry-run" not in options:
                self._commit(files, options, step.output, is_here)
            case ["git", "revert", *revisions] if not options & {"--abort", "--continue", "--quit", "--skip"}:
                for place in self._named(revisions):
                    self._revert(place, step)
            case ["git", ("cherry-pick" | "merge"), *_]:
                self._commits.append(_Commit([], []))
            case ["git", "reset", *revisions]:
                self._reset(revisions, step, is_here, discards="--hard" in options)
            case ["git", "stash", *named] if not options & {"-k", "--keep-index"}:
                self._stash(named, words, step, is_here)
            case ["git", "diff", *_]:
                self._shown = list(self.written)
            case ["git", "apply", *_] if not options & {"-R", "--reverse", "--check", "--stat"}:
                self._bring_back([edit for edit in self._shown if id(edit) in self.gone])
            case _:
                self._remove(words, step, folder)

    def _copy(self, source: str, target: str, step: Step) -> None:
        """Keep a copy in mind; one that goes back to where it came from takes back what was edited since."""
        copy = self._copies.get(source)
        if copy is None or copy.file != target:
            self._copies[target] = _Copy(source, frozenset(map(id, self.written)))
            return
        since = [edit for edit in self.written if id(edit) not in copy.held]
        self._take_back([edit for edit in since if is_among(edit.subject, (target,))], step)

    def _commit(self, files: list[str], options: set[str], output: str, is_here: Callable[[Step], bool]) -> None:
        takes_all = any(map(_COMMITS_ALL.fullmatch, options)) or not (files or self._staged)
        among = (".",) if takes_all else tuple(files or self._staged)
        edits = [edit for edit in self.written if is_among(edit.subject, among) and is_here(edit)]
        if "--amend" in options and self._commits:
            self._commits[-1].edits.extend(edits)
        else:
            self._commits.append(_Commit(edits, [], output))
        taken = set(map(id, edits))
        self.written = [edit for edit in self.written if id(edit) not in taken]
        self._staged = set()

    def _named(self, revisions: Iterable[str]) -> Iterator[int]:
        """The places of the run's commits that are named, as far as they are known."""
        for revision in list(revisions):
            start, mark, end = revision.partition("..")
            first, last = self._place_of(start), self._place_of(end or "HEAD")
            if mark and last is not None:
                yield from range(last, -1 if first is None else first, -1) if start else ()
            elif not mark and first is not None:
                yield first

    def _place_of(self, revision: str) -> int | None:
        if (found := _BACK.fullmatch(revision)) is not None:
            back = int(found[1] or 1) if "~" in revision else len(found[2] or "")
            place = len(self._commits) - 1 - back
            return max(place, -1)
        if _HASH.fullmatch(revision):
            return next((n for n, each in enumerate(self._commits) if revision[:7] in each.output), None)
        return None

    def _revert(self, place: int, step: Step) -> None:
        if 0 <= place < len(self._commits):
            commit = self._commits[place]
            self._take_back(commit.edits, step)
            self._bring_back(commit.taken_out, written=False)
            self._commits.append(_Commit(commit.taken_out, commit.edits, step.output))

    def _reset(self, revisions: Sequence[str], step: Step, is_here: Callable[[Step], bool], *, discards: bool) -> None:
        place = self._place_of(revisions[0]) if revisions else len(self._commits) - 1
        dropped = self._commits[place + 1 :] if place is not None else []
        if dropped:
            del self._commits[len(self._commits) - len(dropped) :]
        edits = [edit for commit in dropped for edit in commit.edits]
        if discards:
            self._take_back([edit for edit in (*edits, *self.written) if is_here(edit)], step)
            self._bring_back([edit for commit in dropped for edit in commit.taken_out], written=False)
        else:
            self.written = [*edits, *self.written]
            self._staged = set()

    def _follow_branches(self, names: Sequence[str], options: set[str], step: Step) -> None:
        """Take back what was committed since a branch was made that is dropped without having been merged."""
        match names:
            case ["git", ("switch" | "checkout"), branch, *_] if any(map(_MAKES_BRANCH.fullmatch, options)):
                self._branches[branch] = len(self._commits)
            case ["git", ("cherry-pick" | "merge" | "rebase"), *kept]:
                self._branches = {name: place for name, place in self._branches.items() if name not in kept}
            case ["git", "branch", *dropped] if any(map(_DROPS_BRANCH.fullmatch, options)):
                places = [place for name in dropped if (place := self._branches.pop(name, None)) is not None]
                for commit in self._commits[min(places) :] if places else ():
                    self._take_back(commit.edits, step)

    def _stash(self, named: Sequence[str], words: Sequence[str], step: Step, is_here: Callable[[Step], bool]) -> None:
        match named:
            case [("pop" | "apply" | "branch") as verb, *_]:
                self._bring_back(self._stashes[-1] if self._stashes else [])
                if verb != "apply":
                    self._stashes = self._stashes[:-1]
            case [("drop" | "clear"), *_]:
                self._stashes = self._stashes[:-1]
            case [] | [("push" | "save"), *_]:
                files = tuple(named[1:]) if named[:1] == ["push"] else ()
                self._put_aside([edit for edit in self.written if is_here(edit)], files, step)
            case _ if "--" in words:
                self._put_aside([edit for edit in self.written if is_here(edit)], tuple(named), step)

    def _put_aside(self, edits: Sequence[Step], files: tuple[str, ...], step: Step) -> None:
        aside = [edit for edit in edits if not files or is_among(edit.subject, files)]
        self._stashes.append(aside)
        self._take_back(aside, step)

    def _remove(self, words: tuple[str, ...], step: Step, folder: str) -> None:
        """Take back the edits of files that a command removes, or restores as they were committed or copied."""
        match options_and_names(words)[1]:
            case [("cp" | "mv"), source, target]:
                self._copy(source, target, step)
        files = files_undone_by(words) or self._edited_files(words)
        if not files:
            return
        revision = revision_of(words)
        if revision.startswith("stash@"):
            self._bring_back([edit for aside in self._stashes[-1:] for edit in aside])
            return
        reaches_back = words[0] == "rm" or words[:2] == ("git", "rm") or revision not in {"", "HEAD", "@"}
        committed = [edit for commit in self._commits for edit in commit.edits] if reaches_back else []
        edits = [edit for edit in (*committed, *self.written) if is_among(edit.subject, files)]
        self._take_back([edit for edit in edits if _lies_in(edit.subject, folder)], step)

    def _edited_files(self, words: tuple[str, ...]) -> tuple[str, ...]:
        """What `git checkout` names that may be a branch, were it not a file that the run had edited or its folder."""
        takes_a_side = "--theirs" in words or "--ours" in words
        named = words[2:] if words[:2] == ("git", "checkout") and not takes_a_side else ()
        paths = [f"/{edit.subject}/" for edit in self.written]
        return tuple(name for name in named if any(f"/{name.strip('/')}/" in path for path in paths))

    def _take_back(self, edits: Sequence[Step], step: Step) -> None:
        self.gone |= {id(edit): (edit, step) for edit in edits}
        self.written = [edit for edit in self.written if id(edit) not in self.gone]

    def _bring_back(self, edits: Sequence[Step], *, written: bool = True) -> None:
        for edit in edits:
            self.gone.pop(id(edit), None)
        self.written += edits if written else ()


def _lies_in(path: str, folder: str) -> bool:
    """Return false for a file outside of the folder that a command ran in, as far as their names tell."""
    if _BESIDE.match(folder) and not path.startswith(folder):
        return False
    if _is_beside(folder):
        return _shares_repository(path, folder)
    folder = folder.removeprefix("~") if path.startswith("/") else folder
    if not folder.strip("./") or ".." in folder.split("/") or folder.startswith(("~", "$")):
        return True
    if folder.startswith("/") and not path.startswith("/"):
        return True
    return f"/{folder.strip('/')}/" in f"/{path.strip('/')}/"


def _shares_repository(path: str, folder: str) -> bool:
    """Return false for a file outside of the repository that a command ran in, as far as their names tell."""
    if _is_beside(folder):
        return path.startswith("/") or f"/{folder.strip('./')}/" in f"/{path}"
    if folder.startswith("/") and path.startswith("/") and path.split("/")[1] != folder.split("/")[1]:
        return False
    return _BESIDE.match(folder) is None or path.startswith(folder)


def _is_beside(folder: str) -> bool:
    """Return true for a folder beside the one that a run works in, such as another worktree."""
    return folder.startswith("../") and bool(folder.strip("./"))
