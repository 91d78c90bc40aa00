"""Python scripts that replace text in a file: `s = s.replace(OLD, NEW)` between reading a file and writing it."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from mcp_reflect.domain.trajectory.patches import FilePatch

_MOST_NODES = 2_000
_MOST_CHARS = 8_000
"""Of texts and paths joined: one that doubles itself in each line would fill the memory."""
_WRITERS = frozenset({"write", "write_text", "writelines", "write_bytes"})
_READERS = frozenset({"read", "read_text"})
_STRIPPERS = frozenset({"strip", "lstrip", "rstrip"})
"""Methods that take blanks away from the ends of a text, which is no change to tell."""
_REPLACE_ARGUMENTS = 2


class _File(NamedTuple):
    """A path, or the file opened by it."""

    path: str


@dataclass(frozen=True)
class _Content:
    """What was read of a file the `reading`-th time, and what was changed in it since."""

    path: str
    reading: int
    changes: tuple[tuple[str, str], ...] = ()

    def changed(self, old: str, new: str) -> _Content:
        return _Content(self.path, self.reading, (*self.changes, (old, new)))


_Value = str | _File | _Content | None
"""What an expression is known to be; None for anything else."""


_MOST_FILES = 8
"""Files that a loop goes through."""


class _NotPlainError(Exception):
    """The script may do what is not read here."""


def replacements_in(script: str) -> list[FilePatch]:
    """Return what a script replaces in the files that it writes, in order; nothing where it is not that plain.

    The script is parsed, and not run. Old and new text must stand in it as they are.
    """
    try:
        tree = ast.parse(script)
        nodes = list(ast.walk(tree))
        if len(nodes) > _MOST_NODES or any(isinstance(each, (ast.Global, ast.NamedExpr)) for each in nodes):
            return []
        reader = _Reader()
        reader.follow(tree.body)
    except (SyntaxError, ValueError, RecursionError, MemoryError, _NotPlainError):
        return []
    changes: dict[str, tuple[tuple[str, str], ...]] = {}
    for reading in sorted(reader.written):
        content = reader.written[reading]
        changes[content.path] = (*changes.get(content.path, ()), *content.changes)
    return [FilePatch(path, changed) for path, changed in changes.items() if changed]


class _Reader:
    """Follows the statements of a script in order, with what each name stands for at that place."""

    def __init__(self) -> None:
        self.written: dict[int, _Content] = {}
        self._names: dict[str, _Value] = {"__name__": "__main__"}
        self._readings = 0

    def follow(self, statements: Iterable[ast.stmt]) -> None:
        for statement in statements:
            self._follow_one(statement)

    def _follow_one(self, statement: ast.stmt) -> None:
        match statement:
            case ast.Assign(targets=targets, value=value):
                self._assign(targets, value)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                self._assign([target], value)
            case ast.AugAssign(target=ast.Name(id=name), op=ast.Add(), value=value):
                self._names[name] = _joined(self._names.get(name), self._value(value))
            case ast.Expr(value=value):
                self._value(value)
            case ast.With(items=items, body=body) if all(self._opens(item) for item in items):
                self.follow(body)
            case ast.If(test=test, body=body, orelse=orelse) if self._is_of_texts(test):
                acting = [branch for branch in (body, orelse) if any(map(_acts, branch))]
                if len(acting) > 1:
                    raise _NotPlainError
                self.follow(each for branch in acting for each in branch)
            case ast.For(target=ast.Name(id=name), iter=ast.Tuple(elts=given) | ast.List(elts=given), body=body) if (
                _goes_through_files(name, given, body)
            ):
                for each in given:
                    self._names[name] = self._value(each)
                    self.follow(body)
            case _:
                self._pass_over(statement)

    def _assign(self, targets: list[ast.expr], value: ast.expr) -> None:
        values = [self._value(each) for each in value.elts] if isinstance(value, ast.Tuple) else [self._value(value)]
        for target in targets:
            parts = target.elts if isinstance(target, ast.Tuple) else [target]
            if len(parts) == len(values) and isinstance(target, ast.Tuple) == isinstance(value, ast.Tuple):
                self._names.update(
                    (part.id, known) for part, known in zip(parts, values, strict=True) if isinstance(part, ast.Name)
                )
            else:
                self._pass_over(target)

    def _opens(self, item: ast.withitem) -> bool:
        """Whether it opens a file, which then has its name."""
        opened = self._value(item.context_expr)
        if isinstance(item.optional_vars, ast.Name):
            self._names[item.optional_vars.id] = opened
        return isinstance(opened, _File)

    def _is_of_texts(self, test: ast.expr) -> bool:
        """Whether a condition asks only what is in a text, or whether it is another one.

        Of such a condition the branch that changes something is what the script is for, and what ran.
        """
        if not isinstance(test, ast.Compare):
            return False
        return all(isinstance(self._value(each), str | _Content) for each in (test.left, *test.comparators))

    def _pass_over(self, node: ast.AST) -> None:
        """Leave out what is not read; it may write no file, and what it names is unknown from here on."""
        for each in ast.walk(node):
            if isinstance(each, ast.Call) and _name_of(each) in _WRITERS:
                raise _NotPlainError
            if isinstance(each, ast.Name) and not isinstance(each.ctx, ast.Load):
                self._names[each.id] = None

    def _value(self, node: ast.expr) -> _Value:
        match node:
            case ast.Constant(value=str() as text):
                return text
            case ast.Name(id=name):
                return self._names.get(name)
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                return _joined(self._value(left), self._value(right))
            case ast.BinOp(left=left, op=ast.Div(), right=right):
                return _below(self._value(left), self._value(right))
            case ast.Call():
                return self._called(node)
            case _:
                self._pass_over(node)
                return None

    def _called(self, call: ast.Call) -> _Value:
        name = _name_of(call)
        owner = self._value(call.func.value if isinstance(call.func, ast.Attribute) else call.func)
        given = [self._value(each) for each in call.args]
        for named in call.keywords:
            self._value(named.value)
        if name in _WRITERS:
            self._write(owner, given)
        elif name == "Path" and given:
            path: _Value = _as_file(given[0])
            for each in given[1:]:
                path = _below(path, each)
            return path
        elif name == "open":
            return owner if isinstance(owner, _File) else _as_file(given[0] if given else None)
        elif name in _READERS and isinstance(owner, _File):
            self._readings += 1
            return _Content(owner.path, self._readings)
        elif name in _STRIPPERS and isinstance(owner, _Content) and not call.args:
            return owner
        elif name == "replace" and isinstance(owner, _Content) and len(given) >= _REPLACE_ARGUMENTS:
            old, new = given[:2]
            return owner.changed(old, new) if isinstance(old, str) and isinstance(new, str) and old else None
        return None

    def _write(self, owner: _Value, given: list[_Value]) -> None:
        content = given[0] if given else None
        if not isinstance(owner, _File) or not isinstance(content, _Content) or content.path != owner.path:
            raise _NotPlainError
        self.written[content.reading] = content


def _acts(statement: ast.stmt) -> bool:
    """Whether a statement gives a name something else, or calls what writes."""
    return any(
        (isinstance(each, ast.Name) and not isinstance(each.ctx, ast.Load))
        or (isinstance(each, ast.Call) and _name_of(each) in _WRITERS)
        for each in ast.walk(statement)
    )


def _joined(left: _Value, right: _Value) -> _Value:
    """Two values with `+` between them; what is put before or behind the text of a file is a change of it."""
    match left, right:
        case str(), str():
            return left + right if len(left) + len(right) <= _MOST_CHARS else None
        case (_Content() as content, str(text)) | (str(text), _Content() as content):
            return content.changed("", text) if text.strip() else content
        case _:
            return None


def _below(folder: _Value, name: _Value) -> _File | None:
    """A path below a folder, as `/` between a path and a name makes it."""
    if not isinstance(folder, _File) or not isinstance(name, str):
        return None
    path = name if name.startswith("/") else f"{folder.path.rstrip('/')}/{name}"
    return _File(path) if len(path) <= _MOST_CHARS else None


def _as_file(given: _Value) -> _File | None:
    return given if isinstance(given, _File) else _File(given) if isinstance(given, str) and given else None


def _goes_through_files(name: str, given: list[ast.expr], body: list[ast.stmt]) -> bool:
    """Return true for a loop over a few texts, as which its body opens files."""
    if len(given) > _MOST_FILES or not all(map(_is_text, given)):
        return False
    calls = (each for statement in body for each in ast.walk(statement) if isinstance(each, ast.Call))
    opened = (call.args[0] for call in calls if _name_of(call) in {"open", "Path"} and call.args)
    return any(isinstance(path, ast.Name) and path.id == name for path in opened)


def _is_text(given: ast.expr) -> bool:
    return isinstance(given, ast.Constant) and isinstance(given.value, str)


def _name_of(call: ast.Call) -> str:
    """The last name of what is called: `replace` of `s.replace`."""
    return getattr(call.func, "id", "") or getattr(call.func, "attr", "")
