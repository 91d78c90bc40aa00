"""Programs in a command line that only print show how things stand: that they ran says nothing of what to do."""

from __future__ import annotations

import pytest

from mcp_reflect.domain.lessons.run.commands.printing_scripts import only_prints, only_shows
from tests.domain.lessons.test_lessons import lesson
from tests.support.linear_time import takes_linear_time

SCRIPT = "python - <<'PY'\nfrom roster import shifts\nprint(shifts.hours())\nPY"


@pytest.mark.parametrize(
    ("command", "prints"),
    [
        (SCRIPT, True),
        (f"cd app && {SCRIPT}", True),
        (f"{SCRIPT}\nmake install", False),
        ("python3 -c \"import yaml; print(yaml.safe_load(open('a.yml'))['jobs'])\"", True),
        ("python3 -c \"s = open('a', 'w'); print(s.write('x'))\"", False),
        ("python -c 'import app; app.db.create_all(); print(1)'", False),
        ("python -c 'import os; os.remove(\"a\"); print(1)'", False),
        ("python -c 'import os; print(os.getcwd())'", True),
        ("node -e 'console.log(require(\"x\").version)'", True),
        ("uv run python -c 'import app'", False),
        ("python manage.py shell", False),
        ("make && python -c 'print(1)'", False),
    ],
)
def test_what_only_prints(command: str, *, prints: bool) -> None:
    assert only_prints(command) is prints


def test_it_is_not_told_beside_what_was_done() -> None:
    log = f"$ {SCRIPT}\n8.0\n$ pip install tzdata\nSuccessfully installed tzdata-2024.1\n$ {SCRIPT}\n7.0\n"
    told = lesson(log).correct_action
    assert "`pip install tzdata`" in told
    assert "shifts.hours" not in told


def test_it_is_told_where_nothing_else_was_done() -> None:
    assert "shifts.hours" in lesson(f"$ {SCRIPT}\n8.0\n").correct_action


@pytest.mark.parametrize("part", ["python <<A\n", "python -c '", "ssh h '", "x=$(a\n", 'bash -c "\\'])
def test_long_lines_take_no_longer_for_each_character(part: str) -> None:
    """The first of these took quadratic time once."""
    assert takes_linear_time(lambda times: only_shows(part * times), 2_000)
