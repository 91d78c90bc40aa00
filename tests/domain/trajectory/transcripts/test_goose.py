"""Sessions of Goose: the texts of its editor, which end where the client tells that the file was changed."""

from __future__ import annotations

import pytest

from mcp_reflect.domain.trajectory.transcripts.programs.goose import read_goose
from tests.domain.trajectory.transcripts.test_reading import read
from tests.support.linear_time import takes_linear_time

HEAD = "( O)> Move it.\n\n─── text_editor | developer ────────────────────\npath: /w/moved.tf\n"


@pytest.mark.parametrize(
    "result",
    [
        "Successfully wrote to /w/moved.tf",
        "Successfully edited `moved.tf`",
        "The file /w/moved.tf has been edited, and the section now reads:\nmoved {",
    ],
)
def test_a_written_text_ends_above_the_result(result: str) -> None:
    content = "moved {\n  from = a\n\n  to = b\n}\n\nSuccessfully wrote to nothing."
    text = f"{HEAD}command: write\nfile_text: {content}\n\n{result}\n\nIt is moved now.\n\n( O)> Thanks.\n"
    assert read(text) == [
        ("user", "Move it."),
        ("write", {"file_path": "/w/moved.tf", "content": content}),
        ("output", result, None),
        ("assistant", "It is moved now."),
        ("user", "Thanks."),
    ]


def test_a_text_that_takes_the_place_of_another_ends_above_the_result() -> None:
    result = "The file /w/moved.tf has been edited, and the section now reads:\nc"
    text = f"{HEAD}command: str_replace\nold_str: a\n\nb\nnew_str: c\n\nd\n\n{result}\n"
    given = {"path": "/w/moved.tf", "command": "str_replace", "old_str": "a\n\nb", "new_str": "c\n\nd"}
    assert read(text)[1:] == [("str_replace_editor", given), ("output", result, None)]


def test_without_a_result_a_written_text_goes_on() -> None:
    content = "a {\n}\n\nSuccessfully wrote to other.tf\n\nb {\n}"
    assert read(f"{HEAD}command: write\nfile_text: {content}\n")[1] == (
        "write",
        {"file_path": "/w/moved.tf", "content": content},
    )


@pytest.mark.parametrize("piece", ["\n", "Successfully wrote to x\n", "\nThe file a b\n", "path: a\n", "x\n\n"])
def test_time_is_linear_in_a_text(piece: str) -> None:
    def read_many(number: int) -> None:
        read_goose(f"{HEAD}command: write\nfile_text: {piece * number}")

    assert takes_linear_time(read_many, 4_000)
