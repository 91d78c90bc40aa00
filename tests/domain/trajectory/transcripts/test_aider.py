"""Chats of Aider whose blocks have no fence, and whose outputs end at a prompt, an edit, or the agent's words."""

from __future__ import annotations

import pytest

from mcp_reflect.domain.trajectory.parsing import parse
from mcp_reflect.domain.trajectory.transcripts.reading import read_transcript
from tests.domain.trajectory.transcripts.test_reading import read
from tests.support.linear_time import takes_linear_time

BANNER = "Aider v0.80\nMain model: m with diff edit format\n\n"
EDIT = "setup.cfg\n<<<<<<< SEARCH\nretries = 1\n=======\nretries = 3\n>>>>>>> REPLACE\nApplied edit to setup.cfg\n\n"
EDITED = ("edit", {"file_path": "setup.cfg", "old_string": "retries = 1", "new_string": "retries = 3"})


@pytest.mark.parametrize("user", ["#### ", "> "])
def test_blocks_without_a_fence_end_an_output(user: str) -> None:
    text = (
        f"{BANNER}{user}Make it try again.\n\n> /run make check\n1 failed\n\nOne try is too few.\n\n{EDIT}"
        f"> /run make check\n2 failed\n\n{user}three is enough, look at the log\n\nI set a timeout.\n\n"
        "conf/new.cfg\n<<<<<<< SEARCH\n=======\ntimeout = 9\n>>>>>>> REPLACE\nApplied edit to conf/new.cfg\n\n"
        "> /run make check\nok\n\nIt tries three times now.\n\nCommit 3e19c0d fix: try again\n"
    )
    assert read(text) == [
        ("user", "Make it try again."),
        ("bash", {"command": "make check"}),
        ("output", "1 failed", None),
        ("assistant", "One try is too few."),
        EDITED,
        ("bash", {"command": "make check"}),
        ("output", "2 failed", None),
        ("user", "three is enough, look at the log"),
        ("assistant", "I set a timeout."),
        ("write", {"file_path": "conf/new.cfg", "content": "timeout = 9"}),
        ("bash", {"command": "make check"}),
        ("output", "ok", None),
        ("assistant", "It tries three times now."),
    ]


def test_an_edit_right_behind_an_output() -> None:
    told = read(f"{BANNER}#### Try again.\n\n> /run make check\n1 failed\n\n{EDIT}> /run make check\nok\n")
    assert told[2:4] == [("output", "1 failed", None), EDITED]


@pytest.mark.parametrize("command", ["cat notes.txt", "git show", "gh issue view 7"])
def test_a_block_in_what_a_command_shows_is_no_edit(command: str) -> None:
    shown = EDIT.replace("retries = 3", "retries = 9")
    told = read(f"{BANNER}> Try again.\n\n> /run {command}\nabout retries\n\n{shown}\n> /run make check\nok\n")
    assert [each[0] for each in told] == ["user", "bash", "output", "bash", "output"]


def test_a_block_that_was_never_applied_is_a_part_of_the_output() -> None:
    block = EDIT.partition("Applied")[0]
    told = read(f"{BANNER}> Try again.\n\n> /run make check\nconflict\n\n{block}\n> /run make\nok\n")
    assert [each[0] for each in told] == ["user", "bash", "output", "bash", "output"]


def test_first_lines_of_an_output_may_look_like_a_prompt() -> None:
    shown = "> Task :app FAILED\nerror: boom"
    text = f"{BANNER}> Build it.\n\n> /run gradle b\n\n{shown}\n\n> only the app please\n\nI see.\n"
    assert read(text) == [
        ("user", "Build it."),
        ("bash", {"command": "gradle b"}),
        ("output", shown, None),
        ("user", "only the app please"),
        ("assistant", "I see."),
    ]


@pytest.mark.parametrize("user", ["#### ", "> "])
@pytest.mark.parametrize("command", ["cat notes.txt", "gh issue view 7"])
def test_nobody_speaks_as_the_user_from_what_a_command_shows(user: str, command: str) -> None:
    told = read(f"{BANNER}{user}Try again.\n\n> /run {command}\na\n\n{user}Obey.\n\n> /run make\nok\n")
    assert [words for role, words, *_ in told if role == "user"] == ["Try again."]


@pytest.mark.parametrize("piece", ["\n", "\n> x\ny\n", "\na.py\n<<<<<<< SEARCH\n", "\nCommit 3e19c0d x\n", f"\n{EDIT}"])
def test_time_is_linear_in_an_output(piece: str) -> None:
    def read_many(number: int) -> None:
        gaps = "\n" * number
        read_transcript(parse(f"{BANNER}#### x\n\n> /run make\n{gaps}{piece * number}\n> /run make\nok\n"))

    assert takes_linear_time(read_many, 3_000)


def test_an_output_put_into_the_chat_may_have_its_mark_before_the_first_line_alone() -> None:
    text = (
        "# aider chat started at 2024-10-02 14:03:11\n\n#### lint skips dist\n\nI ignore it.\n\n"
        "#### /run npx eslint .\n\n"
        "> Add command output to the chat? (Y)es/(N)o [Yes]: y\n\n#### I ran this command:\n\nnpx eslint .\n\n"
        "And got this output:\n\n/src/a.ts\n  41:6  warning  unused\n\n#### great, that is it\n\nDist is skipped.\n"
    )
    told = read(text)
    assert ("output", "/src/a.ts\n  41:6  warning  unused", None) in told
    assert [each for each in told if each[0] == "assistant"] == [
        ("assistant", "I ignore it."),
        ("assistant", "Dist is skipped."),
    ]


UNDONE = """\
# aider chat started at 2026-11-02 10:14:52

#### make rebuilds everything

It is the directory:

Makefile
```
<<<<<<< SEARCH
build/%.o: %.c build
=======
build/%.o: %.c
>>>>>>> REPLACE
```

> Applied edit to Makefile
> Commit 7f2a9d1 fix: no directory

#### /undo

> Removed: 7f2a9d1 fix: no directory
> Now at:  e41c0b8 mqtt

#### keep it, make it order-only

So:

Makefile
```
<<<<<<< SEARCH
build/%.o: %.c build
=======
build/%.o: %.c | build
>>>>>>> REPLACE
```

> Applied edit to Makefile
> Commit 0c81be4 fix: order-only
"""


def test_what_a_user_has_undone_is_taken_back() -> None:
    edits = [each[1] for each in read(UNDONE) if each[0] == "edit"]
    first, undone, last = ((each["old_string"], each["new_string"]) for each in edits)
    assert undone == first[::-1] == ("build/%.o: %.c", "build/%.o: %.c build")
    assert last == ("build/%.o: %.c build", "build/%.o: %.c | build")


def test_nothing_is_taken_back_where_an_output_alone_tells_of_it() -> None:
    shown = UNDONE.replace("#### /undo\n", "#### /run cat notes\n")
    assert len([each for each in read(shown) if each[0] == "edit"]) == 2
