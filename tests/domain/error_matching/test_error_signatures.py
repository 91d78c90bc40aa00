"""When two outputs report the same error, and when only one of the same shape."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.error_pairs.report import OTHER, SAME, RecordedCase, read_recorded
from mcp_reflect.domain.error_matching.headlines import find_headlines
from mcp_reflect.domain.error_matching.signatures import SignatureGroup, error_signatures, is_same, same_error
from mcp_reflect.domain.error_matching.stored_signatures import (
    SIGNATURES_VERSION,
    memory_signatures,
    read_signatures,
    stored_signatures,
)
from tests.support.linear_time import takes_linear_time

CASES = list(read_recorded())


def reports_same(asked: str, known: str) -> bool:
    return is_same(error_signatures(asked), error_signatures(known))


def signatures(case: RecordedCase) -> dict[str, SignatureGroup]:
    return {way: error_signatures(output) for way, output in case.outputs.items()}


def test_recorded_errors_are_told_from_their_look_alikes() -> None:
    found = [signatures(case) for case in CASES]
    again = [is_same(each[way], each["base"]) for each in found for way in SAME if way in each]
    others = [is_same(each[way], each["base"]) for each in found for way in OTHER]
    elsewhere = [
        is_same(one["moved"], other["base"])
        for number, one in enumerate(found)
        for other in found[:number] + found[number + 1 :]
    ]
    assert len(CASES) >= 120
    assert sum(again) >= 0.97 * len(again)
    assert sum(others) <= 0.01 * len(others)
    assert sum(elsewhere) <= 0.0005 * len(elsewhere)


@pytest.mark.parametrize(
    "text",
    [
        "Exit code 1",
        "Error: Process completed with exit code 2.",
        "make: *** [Makefile:7: all] Error 1",
        "subprocess.CalledProcessError: Command '['bash', 'x']' returned non-zero exit status 1.",
        "collect2: error: ld returned 1 exit status",
        'error: could not compile `app` (bin "app") due to 2 previous errors',
        "npm error Lifecycle script `build` failed with error:\nnpm error code 1",
        "===== 3 failed, 2 passed in 0.12s =====",
    ],
)
def test_that_something_failed_is_no_error_of_its_own(text: str) -> None:
    assert not reports_same(text, text)
    assert not reports_same(f"Exit code 1\n{text}\nKeyError: 'user'", f"Exit code 1\n{text}\nKeyError: 'price'")
    assert reports_same(f"Exit code 1\n{text}\nKeyError: 'user'", f"KeyError: 'user'\n{text}")


NAMES = ("user_id", "Cart", "libfoo", "settings.toml", "--verbose")
SHAPES = (
    "ModuleNotFoundError: No module named '{}'",
    "src/app.rs:{n}:9: error[E0425]: cannot find value `{}` in this scope",
    "app.ts({n},7): error TS2304: Cannot find name '{}'.",
    "sh: {n}: {}: not found",
    "/tmp/ccXy{n}z.o: in function `main':\n/home/ann/a.c:{n}: undefined reference to `{}'",
    "2026-11-22T11:30:{n}Z fatal: couldn't find remote ref {}",
    'psql: ERROR:  relation "{}" does not exist\nLINE {n}: select 1',
)


@given(st.sampled_from(SHAPES), st.sampled_from(NAMES), st.integers(10, 59), st.integers(10, 59), st.booleans())
def test_a_name_counts_and_a_line_number_does_not(shape: str, name: str, here: int, there: int, red: bool) -> None:
    known = shape.format(name, n=here)
    again = shape.format(name, n=there)
    assert reports_same(f"\x1b[31m{again}\x1b[0m" if red else again, known)
    assert not reports_same(shape.format("other_name", n=here), known)


@given(st.text(max_size=300), st.text(max_size=300))
def test_no_text_breaks_the_comparison_and_it_is_symmetric(a: str, b: str) -> None:
    assert reports_same(a, b) == reports_same(b, a)
    assert [read_signatures(text) for text in stored_signatures([a])] == list(filter(None, [error_signatures(a)]))


TRACE = 'Traceback (most recent call last):\n  File "/srv/{file}", line {n}, in {name}\n    {code}\n{error}'


def test_an_error_whose_explanation_names_another_file_is_another_one() -> None:
    known, other = (f"can't find file to patch at input line 3\n|--- src/{name}.c\n" for name in ("parser", "lexer"))
    assert reports_same(known.replace("line 3", "line 9"), known)
    assert not reports_same(other, known)


def test_an_error_that_names_nothing_is_the_same_at_the_same_place_only() -> None:
    error = "IndexError: list index out of range"
    index = {"file": "a.py", "n": 3, "name": "first", "code": "return xs[9]", "error": error}
    known = TRACE.format(**index)
    assert reports_same(TRACE.format(**index | {"n": 7}), known)
    assert not reports_same(TRACE.format(**index | {"file": "b.py"}), known)
    assert not reports_same(TRACE.format(**index | {"name": "last", "code": "return ys[0]"}), known)
    assert not reports_same(error, known)


def test_a_missing_package_is_the_same_wherever_it_is_imported() -> None:
    missing = {"n": 1, "name": "<module>", "error": "ModuleNotFoundError: No module named 'numpy'"}
    here = TRACE.format(file="a.py", code="import numpy as np", **missing)
    assert reports_same(TRACE.format(file="b.py", code="from numpy import array", **missing), here)


def test_outputs_that_share_only_a_line_are_not_the_same() -> None:
    first = "KeyError: 'host'\n\nRuntimeError: configuration is incomplete"
    second = "KeyError: 'token'\n\nRuntimeError: configuration is incomplete"
    assert not reports_same(first, second)
    assert reports_same("RuntimeError: configuration is incomplete", first)


def test_a_mistake_that_repeats_its_evidence_does_not_forget_the_place() -> None:
    output = TRACE.format(file="a.py", n=1, name="load", code="return row['id']", error="KeyError: 'id'")
    assert memory_signatures("KeyError: 'id'", [output]) == stored_signatures([output])
    assert len(memory_signatures("The row has no id", [output])) == 2


def test_the_same_mistake_with_other_evidence_is_another_error() -> None:
    assert same_error("Login fails in 3 of 10 runs", "", "login fails in 5 of 9 runs", "KeyError: 'user'")
    assert same_error("Login fails", "KeyError: 'user' line 3", "Login fails", "KeyError: 'user' line 9")
    assert not same_error("Login fails", "KeyError: 'user'", "Login fails", "OSError: disk full")
    assert not same_error("Login fails", "", "Logout hangs", "")
    assert not same_error("cannot open /etc/a.conf", "", "cannot open /etc/b.conf", "")
    assert same_error("404", "", "404", "")


def test_a_list_of_searched_folders_that_was_cut_off_is_read_at_once() -> None:
    folders = " ".join(f"/usr/lib/perl{number}/site_perl/local" for number in range(40))
    (signature,) = error_signatures(f"Can't locate My/Sum.pm in @INC (@INC contains: {folders} /usr…")
    assert signature.key == "can t locate sum.pm in @inc"


PIECES = ["a/", "a.b", "1:", "'/", "(a", "( ", "ab: ", "/", "-.", "error: ", "x" * 50, "a\n", "  at x\n"]


@pytest.mark.parametrize("piece", PIECES)
def test_reading_takes_time_linear_in_the_text(piece: str) -> None:
    def read(number: int) -> None:
        text = piece * number
        assert find_headlines(text) is not None
        error_signatures(text)

    assert takes_linear_time(read, 25_000 // len(piece))


@pytest.mark.parametrize(
    ("known", "asked", "same"),
    [
        ("date: invalid date ‘2026-13-01’", "date: invalid date ‘2026-02-31’", False),
        ("date: invalid date ‘2026-13-01’", "date: invalid date '2026-13-01'", True),
        ("truncate: Invalid number: '12.5'", "truncate: Invalid number: '9,000'", False),
        ("dpkg: unable to lock process '30341'", "dpkg: unable to lock process '41552'", True),
        (
            '2026/11/23 08:02:00 [emerg] 18176#18176: unknown directive "proxy_passs"',
            '2026/11/24 09:12:41 [emerg] 977#977: unknown directive "proxy_passs"',
            True,
        ),
    ],
)
def test_a_number_in_quotes_is_what_an_error_is_about_but_for_ids(known: str, asked: str, same: bool) -> None:
    assert is_same(error_signatures(asked), error_signatures(known)) is same


@pytest.mark.parametrize(
    ("known", "asked", "same"),
    [
        ("etc/app/", "opt/app/", False),
        ("./etc/app", "etc/app/", True),
        ("etc/app", "/builds/42/checkout/etc/app", True),
        ("etc/app", "/builds/42/checkout/opt/app", False),
        ("/home/ann/etc/app", "/builds/42/opt/app", True),  # another machine may keep it elsewhere
        ("runs/41/app.log", "runs/42/app.log", True),
    ],
)
def test_a_path_that_counts_from_the_folder_of_the_command_counts_whole(known: str, asked: str, same: bool) -> None:
    told = "install: cannot create regular file '{}': No such file or directory"
    assert reports_same(told.format(asked), told.format(known)) is same
    assert reports_same(told.format(known), told.format(asked)) is same


@pytest.mark.parametrize(
    ("told", "version", "other"),
    [
        ("ERROR: No matching distribution found for requests{}", "==99.1", "==98.0"),
        ("CMake Error at CMakeLists.txt:1:\n  CMake {} or higher is required.  You are running 3.25", "9.9", "8.8"),
        ('npm error engine Unsupported engine\nnpm error notsup Required: {{"node":"{}"}}', ">=40", ">=50"),
        ("go: go.mod requires go {} (running go 1.19; GOTOOLCHAIN=local)", ">= 1.25.0", ">= 1.24.0"),
    ],
)
def test_a_version_that_is_asked_for_tells_errors_apart(told: str, version: str, other: str) -> None:
    assert reports_same(told.format(version).replace("3.25", "3.31"), told.format(version))
    assert not reports_same(told.format(other), told.format(version))


def test_numbers_that_a_test_compares_do_not_tell_errors_apart() -> None:
    told = "test_shop.py:4: in test_total\n    assert total(2) == 41\nE   assert {} == 41"
    assert reports_same(told.format(42), told.format(43))


def test_a_headline_that_names_nothing_is_no_further_error() -> None:
    told = "error: failed to get `billing` as a dependency\n\nCaused by:\n  No such file or directory (os error 2)\n"
    assert reports_same(told, told)
    assert reports_same(f"{told}\nerror: cannot read `Cargo.lock`", told)


def test_the_program_that_found_a_fault_is_no_part_of_it() -> None:
    built = "./main.go:5:6: setup redeclared in this block\n\t./main.go:3:6: other declaration of setup"
    assert reports_same("vet: ./main.go:5:6: setup redeclared in this block", built)
    assert not reports_same("vet: ./main.go:5:6: reset redeclared in this block", built)


@pytest.mark.parametrize("branch", ["release", "main"])
def test_where_a_project_is_kept_does_not_tell_errors_apart(branch: str) -> None:
    push = "To {0}\n ! [rejected]  {1} -> {1} (fetch first)\nerror: failed to push some refs to '{0}'"
    known = push.format("https://github.com/acme/shop.git", "release")
    asked = push.format("/srv/mirror/shop-copy.git", branch)
    assert reports_same(asked, known) is (branch == "release")
    cycle = "package {0}/app\n\timports {0}/app/stock\n\timports {0}/app/stock: import cycle not allowed"
    assert reports_same(cycle.format("git.corp.example"), cycle.format("shop.example"))


def test_the_file_that_is_wrong_tells_errors_apart_and_its_folder_does_not() -> None:
    told = "{}:3:5: F821 Undefined name `math`"
    assert reports_same(told.format("/builds/42/shop/area.py"), told.format("area.py"))
    assert not reports_same(told.format("price.py"), told.format("area.py"))


def test_a_name_with_a_number_behind_a_slash_is_a_name() -> None:
    told = "ERROR: /home/ann/m.pl:1: user:main main/0: Unknown procedure: {}"
    assert not reports_same(told.format("double/2"), told.format("price_of/2"))
    assert reports_same(told.format("double/2"), told.format("double/2"))


def test_signatures_that_were_stored_before_paths_counted_are_read() -> None:
    [group] = stored_signatures(["install: cannot create regular file 'etc/app/': No such file or directory"])
    version, *rows = json.loads(group)
    assert version == SIGNATURES_VERSION
    before = json.dumps([row[:-2] for row in rows])
    [signature] = read_signatures(before)
    assert signature.paths == frozenset()
    assert is_same(read_signatures(before), read_signatures(group))


CURL = "\nMore details here: https://curl.se/docs\n\ncurl failed to verify the legitimacy of the server\n"
NPM = "npm error code EUSAGE\nnpm error\nnpm error {}\nnpm error\nnpm error Usage:\nnpm error npm ci\nnpm error\n"
NPM += "npm error Options:\nnpm error   --ignore-scripts\nnpm error     npm does not run scripts\n"
PUSH = "To ../shop.git\n ! [rejected]  main -> main ({})\nerror: failed to push some refs to '../shop.git'"
ANSIBLE = 'fatal: [localhost]: FAILED! => {{"msg": "\'port\' is undefined\\n\\nThe line is:\\n\\n  - name: {}\\n"}}'


@pytest.mark.parametrize(
    ("told", "known", "asked"),
    [
        (
            f"curl: (60) {{}}{CURL}",
            "SSL certificate problem: self-signed certificate",
            "SSL: no alternative subject name",
        ),
        (NPM, "The `npm ci` command can only install with an existing lock file", "`npm ci` can only install in sync"),
        (PUSH, "fetch first", "pre-receive hook declined"),
        ("Error: Cannot find module '{}'", "./Config", "@acme/config"),
    ],
)
def test_what_stands_below_any_error_of_a_program_does_not_make_two_the_same(told: str, known: str, asked: str) -> None:
    assert reports_same(told.format(known), told.format(known))
    assert not reports_same(told.format(asked), told.format(known))


def test_an_error_within_a_json_string_is_read_by_its_lines() -> None:
    assert reports_same(ANSIBLE.format("write the port"), ANSIBLE.format("show"))
    assert not reports_same(ANSIBLE.format("show").replace("port", "host"), ANSIBLE.format("show"))


def test_the_name_of_a_program_is_no_drive() -> None:
    [headline] = error_signatures('psql:m.sql:3: ERROR:  column "email" contains null values')
    assert (headline.file, headline.key) == ("m.sql", "psql error column email contains null values")
    [on_windows] = error_signatures("C:\\src\\a.c:3: error: 'x' undeclared")
    assert on_windows.file == "a.c"


@pytest.mark.parametrize(
    ("told", "one", "other"),
    [
        ("age: a.txt: encryption failed: Bad key\nage: {}: skipped: Bad key", "ann@shop.example", "bob@shop.example"),
        ("grep: Unmatched {}", "( or \\(", "[, [^, [:, [., or [="),
        ("pattern error: missing {} at position 3", ")", "]"),
        ("warning: failed to load external entity {}", "orders", "prices"),
        ("WARNING: Package(s) not found: {}", "flaskify", "djangify"),
    ],
)
def test_what_a_message_is_about_tells_errors_apart(told: str, one: str, other: str) -> None:
    assert reports_same(told.format(one), told.format(one))
    assert not reports_same(told.format(other), told.format(one))


def test_a_warning_is_no_error_where_something_else_is_said() -> None:
    told = "warning: package.json: No license field, which is not allowed\nerror: script `build` is missing"
    [signature] = error_signatures(told)
    assert signature.key == "script build is missing"
    assert error_signatures("npm warn deprecated inflight: This module is not supported") == ()


@pytest.mark.parametrize(
    ("code", "cut"),
    [
        ("    print('late' if now() > DUE else 'open')\n", "…\n"),
        ("    raise Late(due_date, now())\n", "    raise…\n"),
    ],
)
def test_code_that_is_left_out_does_not_tell_errors_apart(code: str, cut: str) -> None:
    place = 'Traceback (most recent call last):\n  File "/srv/report.py", line 5, in <module>\n'
    error = "TypeError: can't compare offset-naive and offset-aware datetimes"
    assert reports_same(f"{place}{code}{error}", f"{place}{cut}{error}")
    compiler = "error[E0382]: borrow of moved value: `words`\n --> main.rs:8:22\n  |\n"
    caret = "  |                      ^^^^^ value borrowed here after move"
    assert reports_same(f'{compiler}8 |     println!("{{:?}}", words);\n{caret}', f"{compiler}…\n{caret}")
    assert not reports_same(f"{place}{code}{error}", f"{place}    print(other(1))\n{error}")
