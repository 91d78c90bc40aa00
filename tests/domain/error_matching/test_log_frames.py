"""An error within the log of something else is the same error, and its look-alike there is none."""

from __future__ import annotations

import json

import pytest

from mcp_reflect.domain.error_matching.log_frames import unframed_lines
from mcp_reflect.domain.error_matching.signatures import error_signatures, is_same

TRACE = """lua5.4: a.lua:3: attempt to call a nil value (field '{name}')
stack traceback:
\ta.lua:3: in main chunk
\t[C]: in ?"""
ENTRIES = {"level": "error", "time": "2031-02-07T04:23:00Z"}
FRAMES = [
    "2031-02-07T04:23:00.001426Z {}",
    "[2031-02-07T04:23:00.001Z] {}",
    "build\tRun tests\t2031-02-07T04:23:00.0014260Z {}",
    "2031-02-07T04:23:00.001426Z 01E {}",
    "worker-1  | {}",
    "04:23:00 web.1   | {}",
    "Feb  7 04:23:00 node7 nightly[8123]: {}",
    "2031-02-07T04:23:00.001426+00:00 app[web.1]: {}",
    "[pod/worker-7d9c5b6f4-x2x8k/worker] {}",
    "packages/shop check: {}",
    "shop:check: {}",
    "2031/02/07 04:23:00 {}",
    "2031-02-07 04:23:00,123 INFO     runner: {}",
]


@pytest.mark.parametrize("frame", FRAMES)
def test_an_error_in_a_log_is_the_same_one_and_its_look_alike_is_not(frame: str) -> None:
    known, *others = (
        error_signatures("\n".join(frame.format(line) for line in TRACE.format(name=name).splitlines()))
        for name in ("spawn_wave", "draw_map")
    )
    bare = error_signatures(TRACE.format(name="spawn_wave"))
    assert is_same(known, bare)
    assert not any(is_same(other, bare) for other in others)


def test_entries_of_structured_logs_are_their_message_with_its_level() -> None:
    told = "cannot open ledger 'books'\nno such shelf"
    assert unframed_lines(json.dumps(ENTRIES | {"msg": told})) == ["error: cannot open ledger 'books'", "no such shelf"]
    assert unframed_lines(f'time="2031-02-07" level=error msg="cannot open {chr(92)}"books{chr(92)}""') == [
        'error: cannot open "books"'
    ]


def test_what_is_no_entry_of_a_log_stays() -> None:
    for line in (
        '{"message":"Not Found","documentation_url":"x"}',
        '{"level": 3',
        "tar: a: Cannot stat",
        "make[1]: *** x",
    ):
        assert unframed_lines("\n".join([line] * 4)) == [line] * 4


def test_indentation_behind_a_frame_stays() -> None:
    assert unframed_lines("#12 0.345 Traceback:\n#12 0.345     raise X") == ["Traceback:", "    raise X"]


def test_codes_of_errors_and_frames_of_traces_are_no_frames_of_a_log() -> None:
    kept = ["error[E0425]: cannot find value", "#0 /srv/a.php(3): ship()", "#1 0x55d1 in main a.c:3"]
    assert unframed_lines("\n".join(f"2031-02-07T04:23:00Z {line}" for line in kept)) == kept


def test_lines_that_a_terminal_erased_are_gone() -> None:
    assert unframed_lines("section_start:17:step\r\x1b[0K\x1b[36;1mboom\x1b[0;m\r\n") == ["boom", ""]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("pytest: error: unrecognized arguments: --{}", "python -m pytest: error: unrecognized arguments: --{}"),
        ("Error: in prepare, no such column: {}", "Parse error near line 7: no such column: {}"),
        (
            "Error: stepping, UNIQUE constraint failed: {}.nr (19)",
            "Runtime error near line 1: UNIQUE constraint failed: {}.nr (19)",
        ),
        (
            "make: *** No rule to make target '{}.o', needed by 'app'.  Stop.",
            "make: *** No rule to make target '{}.o', needed by 'app'.",
        ),
        ("ERROR:shop.labels:cannot load plugin {}", "ERROR [main] com.example.Shop - cannot load plugin {}"),
        ("no such shelf: {} at a.pl line 5.", "no such shelf: {} at P.pm line 3.\n\tP::get() called at a.pl line 12"),
        ("bash: line 1: {}: command not found", "bash: line 7: {}: command not found"),
        ("cannot open '{}'", "cannot open «{}»"),
    ],
)
def test_what_stands_around_a_message_decides_nothing_and_its_symbol_does(one: str, other: str) -> None:
    ours, theirs, third = (
        error_signatures(text) for text in (one.format("seats"), other.format("seats"), other.format("badges"))
    )
    assert is_same(ours, theirs)
    assert not is_same(ours, third)
