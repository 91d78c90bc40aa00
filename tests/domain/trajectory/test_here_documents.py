"""A file that a shell command writes line by line is an edit as any other."""

from __future__ import annotations

import json

import pytest

from mcp_reflect.domain.lessons.run.steps import step_of
from mcp_reflect.domain.trajectory.here_documents import file_written_by, leading_document


@pytest.mark.parametrize(
    "command",
    [
        "cat >> tox.ini <<'EOF'\nallowlist_externals = make\nEOF",
        'cat > tox.ini <<"END"\nallowlist_externals = make\nEND\n',
        "cat <<EOF >tox.ini\nallowlist_externals = make\nEOF",
        "tee -a tox.ini > /dev/null <<-EOF\nallowlist_externals = make\nEOF",
        "cat > tox.ini <<-EOF\n\tallowlist_externals = make\n\tEOF\n",
    ],
)
def test_what_a_here_document_writes_is_read(command: str) -> None:
    appends = ">>" in command or "-a" in command
    assert file_written_by(command) == ("tox.ini", "allowlist_externals = make", appends)
    step = step_of("Bash", json.dumps({"command": command}))
    assert (step.kind, step.file, step.change) == ("edit", "tox.ini", (("", "allowlist_externals = make"),))
    assert step.writes != appends


def test_the_end_mark_is_a_whole_line() -> None:
    text = "A=1\nEND_OF=b\nENDPOINT=http://x"
    assert file_written_by(f"cat > .env <<END\n{text}\nEND") == (".env", text, False)
    command = f"cat > .env <<END && make\n{text}\nEND\nmake test"
    assert leading_document(command) == (".env", text, "make\nmake test", False)


@pytest.mark.parametrize(
    "command",
    [
        "cat tox.ini",
        "cat > tox.ini",
        "cat <<'EOF'\nonly printed\nEOF",
        "cat > tox.ini <<'EOF'\nnever ends",
        "cat > tox.ini <<EOF\na\n\tEOF",  # nor does this
        "cat > tox.ini <<'EOF'\na\nEOF\ntox -e docs",
        "python - <<'EOF'\nprint(1)\nEOF",
        "cat " * 50_000,
    ],
)
def test_any_other_command_stays_one(command: str) -> None:
    assert file_written_by(command) is None
