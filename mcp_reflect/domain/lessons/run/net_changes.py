"""Net changes of a run: edits put together with later ones of the same lines, without those that were taken back.

A later edit takes one back, or a command that removes the file or restores it by version control.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from mcp_reflect.domain import lazy_re as re
from mcp_reflect.domain.lessons.run.step import Step
from mcp_reflect.domain.lessons.run.working_tree import find_gone

_PATTERN = re.compile(r"\.\*|\.\+|\[\^|\\[wdS]")
_WHOLE_LINE = re.compile(r"\^[\w .:=/\"'-]{3,}\.\*\$?")
"""A pattern that matches a line from its beginning, whatever follows."""
_LINE = re.compile(r" \(line \d+(?:-\d+)?\)\Z")
"""Behind the old text of an edit that was told in which line it makes it."""
_MOST = 0.5
"""Share of what an edit added from which replacing it takes the edit back."""


class NetChanges:
    """The edits of a run's steps as they came out in the end."""

    def __init__(self, steps: Sequence[Step]) -> None:
        self._steps = steps
        self._places = {id(step): place for place, step in enumerate(steps)}
        self._net = {id(step): step for step in steps if step.kind == "edit"}
        self._into: dict[int, set[int]] = {}
        self._root: dict[int, Step] = {}
        self._taken_back: list[tuple[Step, Step]] = []
        self._before: dict[int, str] = {}
        """By the `id` of an edit what it replaced, without the lines that earlier ones had added to that."""
        self._gone = find_gone(steps)
        edits = [step for step in steps if step.kind == "edit" and not step.failed and id(step) not in self._gone]
        for place, step in enumerate(edits):
            self._follow(step, edits[place + 1 :])
        self._restored = {id(step): (step, other) for step, other in _put_back(edits)}
        for step, other in self._restored.values():
            self._taken_back.append((step, other))
            self._net[id(step)] = replace(step, change=((step.change[0][0],) * 2,))
        self._rewrote = dict(_rewritten(edits))
        self._taken_back += self._gone.values()
        self._gone_changes = {pair for step, _ in self._gone.values() for pair in step.change}
        """What edits that are gone had changed: the other way round it only takes them back once more."""

    def of(self, edits: Sequence[Step]) -> list[Step]:
        """Return these edits as they ended: each with what later ones made of it, none that came to nothing.

        Of one that changed an earlier edit again, that one's whole change is returned, unless that one wrote the file.
        A file that was written anew is told as it was written last: beside what stood there before, where that is not
        among these edits.
        """
        merged = {later for step in edits for later in self._into.get(id(step), ())}
        roots = {id(root): root for step in edits if id(step) not in merged for root in [self._root_of(step, edits)]}
        overwritten = {id(each) for step in roots for each in self._rewrote.get(step, ())}
        found = [
            self._beside_former(step, overwritten & roots.keys())
            for step in roots.values()
            if id(step) not in self._gone.keys() | overwritten
        ]
        return [
            step
            for step in found
            if not step.change or any(old != new and (new, old) not in self._gone_changes for old, new in step.change)
        ]

    def taken_back(self) -> Sequence[tuple[Step, Step]]:
        """Return the edits most of whose new text a later step replaced or took back, each with that step."""
        return self._taken_back

    def broke(self, edit: Step, step: Step) -> bool:
        """Return true where an edit that came to nothing was made before a step, which had not failed before it."""
        place, made = self._places.get(id(step), 0), self._places.get(id(edit), 0)
        if made >= place or self.of([edit]):
            return False
        before = self._steps[:made]
        return not any(each.failed and each.kind == step.kind and each.subject == step.subject for each in before)

    def undone_behind(self, edits: Sequence[Step], step: Step) -> bool:
        """Return true where all of these edits were taken back behind a step, or what they removed was put back."""
        gone = self._gone | self._restored
        undone = [gone[id(edit)][1] for edit in edits if id(edit) in gone]
        place = self._places.get(id(step), len(self._steps))
        return len(undone) == len(edits) and all(self._places[id(each)] > place for each in undone)

    def was_undone(self, steps: Sequence[Step], worked: Step) -> bool:
        """Return true where all edits among these steps were taken back once another step had worked with them."""
        edits = [step for step in steps if step.kind == "edit" and not step.failed]
        return bool(edits) and not self.of(edits) and self.undone_behind(edits, worked)

    def stand(self, edits: Sequence[Step]) -> bool:
        """Return true where no later edit changed these again."""
        return not any(self._into.get(id(step)) for step in edits)

    def _beside_former(self, step: Step, told: set[int]) -> Step:
        """An edit as it ended; of a file written anew the change of what stood there, unless that is told itself."""
        net = self._net.get(id(step), step)
        former = [each for each in self._rewrote.get(id(step), ()) if each.writes]
        if not former or id(former[-1]) in told:
            return net
        before = self._net.get(id(former[-1]), former[-1])
        if not before.change or not net.change:
            return net
        return replace(net, change=((before.change[0][1], net.change[0][1]),))

    def _root_of(self, step: Step, edits: Sequence[Step]) -> Step:
        first = self._first(step)
        wrote = first.change and not first.change[0][0] and not any(first is each for each in edits)
        return step if wrote else first

    def _first(self, step: Step) -> Step:
        return self._root.get(id(step), step)

    def _follow(self, step: Step, later: Sequence[Step]) -> None:  # noqa: C901 - one loop with the ways to go on
        """Put an edit of one place together with those that later changed the same place again."""
        if len(step.change) != 1:
            return
        old, new = step.change[0]
        old = self._before.get(id(step), old)
        at = _LINE.search(old)
        old = old[: at.start()] if at else old
        for other in later:
            if other.subject != step.subject or len(other.change) != 1:
                continue
            before, after = other.change[0]
            if other.writes or not before or not new.strip() or (id(step) in self._root and id(other) in self._before):
                break  # the file was written anew, or nothing is left to be found again
            line = _LINE.search(before)
            if (line and line[0]) != (at and at[0]):
                continue  # the same text may stand in other lines
            before = before[: line.start()] if line else before
            if before == old and _PATTERN.search(old):
                new = after  # what was put in the place of the same pattern before is gone
                self._into.setdefault(id(step), set()).add(id(other))
                self._root[id(other)] = self._first(step)
                continue
            if changed := _without_lines(new, other, before) or _changed_again(new, before, after):
                before, after, new = changed
            elif new in before and (old or not step.writes):
                old, new = before.replace(new, old, 1), after
            else:
                without = _without_added(old, new, self._before.get(id(other), before), after)
                if without is not None:  # it replaced more than that, and stays one of its own
                    self._before[id(other)], new = without, old
                continue
            if _takes_back(step, before, after):
                self._taken_back.append((step, other))
            self._into.setdefault(id(step), set()).add(id(other))
            self._root[id(other)] = self._first(step)
        self._net[id(step)] = replace(step, change=((f"{old}{at[0]}" if at and old != new else old, new),))


def _changed_again(text: str, before: str, after: str) -> tuple[str, str, str] | None:
    """What an edit replaced in the text of an earlier one, by what, and that text as it is then; None without it."""
    if before not in text and before.endswith("\n") and text.endswith(before[:-1]):
        before, after = before[:-1], after.removesuffix("\n")  # the line that the earlier edit ended with
    if before in text:
        return before, after, text.replace(before, after, 1)
    substituted = _substituted(text, before, after)
    return None if substituted is None else (text, substituted, substituted)


def _without_added(old: str, new: str, before: str, after: str) -> str | None:
    """What a later edit replaced without the lines that an earlier one had added; None where it keeps any of these."""
    known, kept = set(old.splitlines()), set(after.splitlines())
    added = {line for line in new.splitlines() if line.strip() and line not in known}
    lines = before.splitlines(keepends=True)
    if not added or not added <= {line.rstrip("\n") for line in lines} or added & kept:
        return None
    return "".join(line for line in lines if line.rstrip("\n") not in added)


def _without_lines(text: str, step: Step, part: str) -> tuple[str, str, str] | None:
    """What a script of `sed` deletes by whole lines from the text of an earlier edit, as `_changed_again`.

    That is each line with this part, or all from there to one with another part or to the end.
    """
    script = re.search(rf"/\^?{re.escape(part)}\$?/(?:,(?P<to>\$|/[^/]+/))?d", str(step.arguments.get("command", "")))
    lines = text.splitlines(keepends=True)
    begin = next((number for number, line in enumerate(lines) if part in line), None)
    if script is None or begin is None:
        return None
    if script["to"] is None:
        gone = [number for number, line in enumerate(lines) if part in line]
    else:
        last = script["to"].strip("/^$")
        behind = (number for number, line in enumerate(lines) if number > begin and last and last in line)
        gone = list(range(begin, next(behind, len(lines) - 1) + 1))
    kept = "".join(line for number, line in enumerate(lines) if number not in gone)
    return "".join(lines[number] for number in gone).rstrip("\n"), "", kept


def _substituted(text: str, pattern: str, new: str) -> str | None:
    """A text with the line that a pattern of `sed` matches as a whole replaced; None where it matches none."""
    if not _WHOLE_LINE.fullmatch(pattern) or "\\" in new or "&" in new:
        return None
    begin = pattern[1:].removesuffix("$").removesuffix(".*")
    lines = text.splitlines(keepends=True)
    if begin == text or not any(line.startswith(begin) for line in lines):
        return None
    return "".join(f"{new}{line[len(line.rstrip()) :]}" if line.startswith(begin) else line for line in lines)


def _put_back(edits: Sequence[Step]) -> Iterator[tuple[Step, Step]]:
    """Yield the edits that only took a part of a line out which a later one put in again, with that one.

    A line that is put in elsewhere was moved.
    """
    for place, step in enumerate(edits):
        if len(step.change) != 1 or step.change[0][1].strip() or not step.change[0][0].strip():
            continue
        removed = step.change[0][0].strip()
        for later in edits[place + 1 :]:
            if later.subject == step.subject and any(_puts_in(removed, old, new) for old, new in later.change):
                yield step, later
                break


def _puts_in(part: str, old: str, new: str) -> bool:
    if "\n" in part or part in old:
        return False
    return any(part in line and line.strip() != part for line in new.splitlines())


def _rewritten(edits: Sequence[Step]) -> Iterator[tuple[int, list[Step]]]:
    """Yield the edits that wrote a whole file again, by their `id`, each with the earlier edits of that file."""
    for place, step in enumerate(edits):
        before = [each for each in edits[:place] if each.subject == step.subject]
        if before and step.writes:
            yield id(step), before


def _takes_back(step: Step, before: str, after: str) -> bool:
    """Return true where replacing `before` by `after` takes out most of what an edit had added."""
    old, new = step.change[0]
    start = _shared(old, new)
    end = _shared(old[start:][::-1], new[start:][::-1])
    added = new[start : len(new) - end].strip()
    taken = before.strip()
    if not added or not taken or added in after:
        return False
    return added in taken or (taken in added and len(taken) >= _MOST * len(added))


def _shared(one: str, other: str) -> int:
    """The number of characters with which both begin."""
    return next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
