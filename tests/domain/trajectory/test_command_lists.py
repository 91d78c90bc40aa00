"""Commands on several lines become one line that means the same, or stay as they are."""

import pytest

from mcp_reflect.domain.trajectory.command_lists import in_one_command_line


@pytest.mark.parametrize(
    ("command", "line"),
    [
        ("export DB=postgres://localhost\ncargo sqlx prepare", "export DB=postgres://localhost; cargo sqlx prepare"),
        ("docker run \\\n  --rm alpine", "docker run  --rm alpine"),
        ("for f in a b; do\n  touch $f\ndone\nls", "for f in a b; do touch $f; done; ls"),
        ("if [ -f x ]; then\n  rm x\nelse\n  ls\nfi", "if [ -f x ]; then rm x; else ls; fi"),
        ("make &&\nls |\n  sort", "make && ls | sort"),
        ("# look\nls -l  # all of it\n\npwd", "ls -l; pwd"),
        ("echo '# not a comment'\nls", "echo '# not a comment'; ls"),
        ("build() {\n  make\n}\nbuild", "build() { make; }; build"),
    ],
)
def test_lines_of_commands_become_one_line(command: str, line: str) -> None:
    assert in_one_command_line(command) == line


@pytest.mark.parametrize(
    "command",
    [
        "make",
        "cat > x <<'E'\nls\nE",
        "echo 'one\ntwo'\nls",
        "echo it's\nls",
        "x=$(ls\npwd)",
        "case $1 in\n  a) ls ;;\nesac",
    ],
)
def test_what_is_more_than_a_list_stays(command: str) -> None:
    assert in_one_command_line(command) == command
