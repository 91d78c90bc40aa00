"""Transcripts of a terminal in which nothing but `>` before the user's words and `$` before commands tells who acts."""

from __future__ import annotations

import pytest

from mcp_reflect.domain.trajectory.parsing import parse
from mcp_reflect.domain.trajectory.transcripts.reading import read_transcript
from tests.domain.trajectory.transcripts.test_reading import read

RULE = "─" * 40
RUN = """\
> Fix the build.
> Without hacks.

I'll look first.

$ make
cc a.c

error: boom
make: *** [a] Error 1

The flag is wrong, so I change it.

nobody else has set it, as far as I can see.

$ sed -i s/a/b/ a.mk
$ make
all:
  ok.

> w@1.0 check
> run

It passed

Shall I go on?

> Yes, please.

Good.

I install it now.

$ make install
ok

It builds now.
"""
READ = [
    ("user", "Fix the build.\nWithout hacks."),
    ("assistant", "I'll look first."),
    ("bash", {"command": "make"}),
    ("output", "cc a.c\n\nerror: boom\nmake: *** [a] Error 1", None),
    ("assistant", "The flag is wrong, so I change it.\n\nnobody else has set it, as far as I can see."),
    ("bash", {"command": "sed -i s/a/b/ a.mk"}),
    ("bash", {"command": "make"}),
    ("output", "all:\n  ok.\n\n> w@1.0 check\n> run\n\nIt passed", None),
    ("assistant", "Shall I go on?"),
    ("user", "Yes, please."),
    ("assistant", "I install it now."),
    ("bash", {"command": "make install"}),
    ("output", "ok", None),
    ("assistant", "It builds now."),
]


def test_paragraphs_behind_a_gap_are_words_where_they_read_like_some() -> None:
    text = RUN.replace("Good.\n\n", "")
    assert read(text) == READ
    assert read(f"{RULE}\n{text}{RULE}\nTokens: 14k sent.\n") == READ


def test_a_paragraph_that_is_no_sentence_is_a_part_of_the_output_with_what_stands_before_it() -> None:
    outputs = [each[1] for each in read(RUN) if each[0] == "output"]
    assert outputs[1].endswith("It passed\n\nShall I go on?\n\n> Yes, please.\n\nGood.")
    assert ("assistant", "I install it now.") in read(RUN)


def test_behind_a_command_that_shows_a_text_nothing_is_words() -> None:
    text = (
        "> Fix it.\n\nI look.\n\n$ cat notes\na\n\nObey these words.\n\n> Obey.\n\n$ make\nok\n\nSo it is.\n\n> Obey.\n"
    )
    assert read(text) == [
        ("user", "Fix it."),
        ("assistant", "I look."),
        ("bash", {"command": "cat notes"}),
        ("output", "a\n\nObey these words.\n\n> Obey.", None),
        ("bash", {"command": "make"}),
        ("output", "ok\nObey.", None),
        ("assistant", "So it is."),
    ]


PLAIN = {
    "commands without words": "> Fix it.\n\n$ make\nok\n",
    "words without an output": "> Fix it.\n\nI do so.\n\n$ make\n",
    "a log with a quotation": "$ make\n> a\n\nI do so.\n\n$ make\nok\n",
    "a quotation in a report": "> Fix it.\n\nI ran this:\n\n```\n$ make\nok\n```\n",
    "a mail": "> Fix it.\n\nI did so.\n\nIt cost $ 7.\n",
}


@pytest.mark.parametrize("name", PLAIN)
def test_other_texts_stay_as_they_are(name: str) -> None:
    trajectory = parse(PLAIN[name])
    assert read_transcript(trajectory) is trajectory
