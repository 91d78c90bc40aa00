"""Statements and formulas as they may be told of a customer's case: without the texts and numbers in them."""

from __future__ import annotations

from mcp_reflect.domain import lazy_re as re

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
