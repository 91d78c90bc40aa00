"""Edits that are told by lines with signs under the name of a file."""

from __future__ import annotations

import pytest

from mcp_reflect.domain.trajectory.signed_edits import read_signed_edit
from tests.domain.trajectory.transcripts.test_reading import read

EDITS = {
    "nginx.conf: + client_max_body_size 20m;": ("nginx.conf", (("", "client_max_body_size 20m;"),)),
    "nginx.conf: - gzip off;  + gzip on;": ("nginx.conf", (("gzip off;", "gzip on;"),)),
    "Makefile: - CC=cc + CC=clang": ("Makefile", (("CC=cc", "CC=clang"),)),
    "a/b.py\n-x = 1\n+x = 2": ("a/b.py", (("x = 1", "x = 2"),)),
    "a/b.py\n- x = 1\n  y = 1\n+ z = 2": ("a/b.py", (("x = 1", ""), ("", "z = 2"))),
    "Makefile\n  - CC=cc\n  + CC=clang": ("Makefile", (("CC=cc", "CC=clang"),)),
    "`a/b.py`:\n+ if x:\n+     y()": ("a/b.py", (("", "if x:\n    y()"),)),
}


@pytest.mark.parametrize("text", EDITS)
def test_an_edit_is_told_by_signs(text: str) -> None:
    edit = read_signed_edit(text)
    assert edit is not None
    assert (edit.path, edit.changes) == EDITS[text]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "nginx.conf",
        "see: + and - are signs",
        "the file a.py:\n- first\n- second",
        "a.py\nx = 1\n+ y",
        "--- a/f\n+++ b/f\n-x\n+y",
        "a.py: " + "+ x" * 40_000,
    ],
)
def test_other_texts_are_no_edit(text: str) -> None:
    assert read_signed_edit(text) is None


def test_a_react_agent_patches_a_file() -> None:
    text = (
        "Question: Uploads fail.\nThought: Too small.\nAction: patch\n"
        "Action Input: nginx.conf: - client_max_body_size 1m;  + client_max_body_size 20m;\nObservation: applied\n\n"
        "Final Answer: Uploads work.\n"
    )
    assert read(text)[2] == (
        "edit",
        {
            "file_path": "nginx.conf",
            "old_string": "client_max_body_size 1m;",
            "new_string": "client_max_body_size 20m;",
        },
    )
