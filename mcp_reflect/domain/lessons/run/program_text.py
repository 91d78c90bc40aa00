"""Programs, statements and formulas as they may be told of somebody's case: without the texts and numbers in them."""

from __future__ import annotations

import ast

from mcp_reflect.domain import lazy_re as re

_MOST_CHARS = 8_000
_MOST_DIGITS = 1
_PROGRAM = (ast.Import, ast.ImportFrom, ast.Assign, ast.FunctionDef)
"""What makes a program: words of a sentence may pass for an expression."""
PERSONAL_KEYS = re.compile(
    r'"(?:first_?name|last_?name|full_?name|surname|dob|date_?of_?birth|birth\w*|e-?mail|phone\w*|address\w*|street)"\s*:',
    re.IGNORECASE,
)
"""Keys of JSON under which the data of a person stand."""
_PROGRAM_NAME = re.compile(r"(?:\w+_)?(?:sql|query|script|formula|expression|rule)", re.IGNORECASE)
"""Names of arguments that may hold a statement for a database or a formula."""
_SQL_TOOL = re.compile(
    r"(?:^|[_.])(?:sql|bq|bigquery|clickhouse|duckdb|mysql|postgres\w*|psql|snowflake)(?:[_.]|$)", re.IGNORECASE
)
"""Tools that are given statements for a database, in whatever letters."""
_CODE_NAMES = {"code", "script", "source", "program"}
_STATEMENT = re.compile(
    r"(?:SELECT\s.+\sFROM|INSERT\s+INTO|UPDATE\s+\S+\s+SET|DELETE\s+FROM|SET\s+\w+\s*=|VACUUM|ANALYZE|BEGIN;"
    r"|(?:ALTER|CREATE|DROP)\s+(?:USER|VIEW)"
    r"|(?i:alter|create|drop)\s+(?i:unique\s+)?(?i:database|extension|index|schema|table|trigger|type)\s)",
    re.DOTALL,
)
"""Most of it in capitals, since words of a sentence begin a request as well: "select a doctor from"."""
_FORMULA = re.compile(r"=?\s*[A-Z][A-Z.]*\((?:[^a-z]|(?<![\w'])[A-Z]\w*!)*")
_TEXT = re.compile(r"'[^'\\]*'|\"[^\"\\]*\"|`[^`]*`")
_DATUM = re.compile(r"\b\d[\d.,-]{2,}\b")
"""A text in a statement and a number of some digits: they may be of a case."""
_UNCLEAR = re.compile(r"\\|--|/\*|\$\$|['\"`]")
"""What hides where a text ends, or holds one that is no part of the statement."""
_NAMES = re.compile(r"[A-Z][a-z]+ [A-Z][a-z]+")


def statement_without_data(name: str, value: str, tool: str = "") -> str:
    """Return a statement for a database or a formula without the texts and longer numbers in it; empty for all else.

    It is the argument `name` of a call of `tool`.
    """
    if not _PROGRAM_NAME.fullmatch(name):
        return ""
    told = _DATUM.sub("…", _TEXT.sub("…", value.strip()))
    if not (
        _STATEMENT.match(told.upper() if name.lower() == "sql" or _SQL_TOOL.search(tool) else told)
        or _FORMULA.fullmatch(told)
    ):
        return ""
    return "" if _UNCLEAR.search(told) or _NAMES.search(told) or PERSONAL_KEYS.search(value) else told


def program_without_data(name: str, value: str, tool: str) -> str:
    """Return what a tool was given to run, without data: a statement, a formula, or a Python program."""
    return statement_without_data(name, value, tool) or (
        _python_without_data(value) if name.lower() in _CODE_NAMES else ""
    )


def _python_without_data(program: str) -> str:
    """Return a Python program with `…` for each text and longer number in it; empty for anything else.

    The program is parsed, and not run.
    """
    if len(program) > _MOST_CHARS:
        return ""
    try:
        tree = ast.parse(program)
        if not any(isinstance(each, _PROGRAM) for each in tree.body):
            return ""
        return "; ".join(ast.unparse(_Masking().visit(statement)) for statement in tree.body)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""


class _Masking(ast.NodeTransformer):
    """Puts `…` in the place of data."""

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        is_number = isinstance(node.value, (int, float, complex)) and len(str(node.value)) <= _MOST_DIGITS
        is_name = node.value is None or isinstance(node.value, bool)
        return node if is_number or is_name else ast.Name("…")

    def visit_List(self, _: ast.List) -> ast.expr:
        return ast.Name("[…]")

    def visit_Tuple(self, node: ast.Tuple) -> ast.AST:
        return self.generic_visit(node) if isinstance(node.ctx, ast.Store) else ast.Name("(…)")

    def visit_Set(self, _: ast.Set) -> ast.expr:
        return ast.Name("{…}")

    def visit_Dict(self, _: ast.Dict) -> ast.expr:
        return ast.Name("{…}")

    def visit_JoinedStr(self, _: ast.JoinedStr) -> ast.expr:
        return ast.Name("…")
