"""When a command is another form of one that failed, by its options, their values and its operands."""

from __future__ import annotations

import pytest

from mcp_reflect.domain.lessons.run.run_again import is_run_again
from mcp_reflect.domain.lessons.run.step import Step


def is_form(failed: str, other: str) -> bool:
    return is_run_again(Step("command", "Bash", failed, failed=True), Step("command", "Bash", other, failed=False))


@pytest.mark.parametrize(
    ("failed", "other"),
    [
        ("find logs -name '*.txt' | xargs gzip", "find logs -name '*.txt' -print0 | xargs -0 gzip"),
        ("gm mogrify -resize 400x300 *.jpg", "gm mogrify -resize '400x300^' -gravity center *.jpg"),
        ("cargo test --offline", "cargo test --offline -- --test-threads=1"),
        ("make -j4 dist", "make -j1 dist"),
        ("prove t", "prove -lr t"),
        ("npx jest a.test.js", "node --max-old-space-size=4096 node_modules/.bin/jest a.test.js"),
        ("sbt test", "sbt clean test"),
        ("cargo test -p ships hull", "cargo test -p ships"),
        ("pytest tests/test_hull.py -q", "pytest tests -q"),
        ("go test ./internal/hull/", "go test ./..."),
    ],
)
def test_other_options_and_values_make_another_form(failed: str, other: str) -> None:
    assert is_form(failed, other)


@pytest.mark.parametrize(
    ("failed", "other"),
    [
        # `tests` is no value of -q, behind which nothing stands in the other command
        ("pytest -q tests", "pytest --fixtures -q 2>/dev/null | grep -A3 tmp_path"),
        ("pytest -q tests", "pytest -q | tail"),
        ("psql -f 0042_status.sql", "psql -c 'GRANT ALL TO anybody'"),
        ("cargo test --offline", "cargo test --offline writes_one"),
        ("Rscript -e 'devtools::test()'", "Rscript -e '.libPaths()'"),
        ("npm test", "npm test auth"),
    ],
)
def test_what_has_lost_all_that_it_was_about_is_another_command(failed: str, other: str) -> None:
    assert not is_form(failed, other)
