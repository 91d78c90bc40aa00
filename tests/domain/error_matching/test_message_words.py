"""Words of messages: places, numbers and ids are taken out wherever a line holds them."""

from __future__ import annotations

import pytest

from mcp_reflect.domain.error_matching.message_words import paths_in, split_message


@pytest.mark.parametrize(
    ("line", "words", "files"),
    [
        ("src/app.ts:4:7: cannot find name", ["cannot", "find", "name"], ["app.ts"]),
        ("app.ts(4,7): cannot find name", ["cannot", "find", "name"], ["app.ts"]),
        ("Main.java:[4,7] cannot find symbol", ["cannot", "find", "symbol"], ["main.java"]),
        (r"-C:\src\x.c:3: boom", ["boom"], ["x.c"]),
        ("a.py:12b.py:13: boom", ["boom"], ["a.py", "b.py"]),
        ("GNUMakefile:3: boom", ["gnu", "boom"], ["makefile"]),
        ("+sub/Makefile:3: boom", ["boom"], ["makefile"]),
        ("main.o:(.text+0x1f): undefined reference", ["undefined", "reference"], ["main.o"]),
        ("run.sh: line 5: nope", ["nope"], ["run.sh"]),
        ("boom at app.rb line 9", ["boom"], ["app.rb"]),
        ("job abcdefab-abcd-abcd-abcd-abcdefabcdef died", ["job", "died"], []),
        ("cannot open etc/app/site.conf", ["cannot", "open", "site.conf"], []),
        (" ", [], []),
    ],
)
def test_places_and_ids_are_no_words_of_a_message(line: str, words: list[str], files: list[str]) -> None:
    assert split_message(line) == (words, files)


@pytest.mark.parametrize(
    ("line", "paths"),
    [
        (r"cannot open .\etc\App\site.conf", {"etc/app/site.conf"}),
        ("cannot open ./etc/app2/site.conf", {"etc/app0/site.conf"}),
        ("src/app.ts:4:7: cannot find name", set()),
        ("cannot find name", set()),
    ],
)
def test_paths_are_those_that_a_line_names_beside_its_place(line: str, paths: set[str]) -> None:
    assert paths_in(line) == paths
