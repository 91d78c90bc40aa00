"""The text of a failed command says what went wrong, not that something did, with the cause beside it."""

from __future__ import annotations

import pytest

from mcp_reflect.domain.lessons.failures.failure_text import failure_text, short_error
from mcp_reflect.domain.lessons.run.step import Step

NODE = """Exit code 1
TAP version 13
# Subtest: loads
not ok 1 - loads
  ---
  duration_ms: 25.0
  failureType: 'testCodeFailure'
  error: |-
    Expected values to be strictly equal:
    + actual - expected

    + Promise {
    +   42,
    + }
    - 42
  code: 'ERR_TEST_FAILURE'
  ...
"""
PANIC = """   Compiling app v0.1.0
thread 'main' (31150) panicked at sum.rs:5:9:
attempt to add with overflow
note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace
"""
BORROW = """error[E0382]: borrow of moved value: `words`
 --> main.rs:8:22
  |
6 |     let words = vec![String::from("a")];
  |         ----- move occurs because `words` has type `Vec<String>`, which does not implement the `Copy` trait
7 |     println!("{}", show(words));
  |                         ----- value moved here
8 |     println!("{:?}", words);
  |                      ^^^^^ value borrowed here after move

error: aborting due to 1 previous error
"""
BARE = """Traceback (most recent call last):
  File "/app/check.py", line 4, in <module>
    assert total(cart) == 12
AssertionError
"""


def failed(output: str) -> Step:
    return Step("command", "Bash", "run it", failed=True, output=output)


@pytest.mark.parametrize(
    ("output", "told"),
    [
        (NODE, "Expected values to be strictly equal: + actual - expected (+ Promise {; - 42)"),
        (PANIC, "thread 'main' (31150) panicked at sum.rs:5:9: attempt to add with overflow"),
        (BARE, "AssertionError at `assert total(cart) == 12`"),
        ("Makefile:2: *** missing separator.  Stop.\n", "Makefile:2: *** missing separator"),
    ],
)
def test_a_failed_command_is_told_by_the_line_that_says_what_went_wrong(output: str, told: str) -> None:
    assert failure_text([failed(output)]) == told


def test_the_cause_beside_an_error_is_told_with_it() -> None:
    told = failure_text([failed(BORROW)])
    assert told.startswith("error[E0382]: borrow of moved value: `words` (move occurs because")
    assert "aborting" not in told


def test_the_advice_of_a_tool_is_no_part_of_its_error() -> None:
    output = "error: The branch 'x' is not fully merged.\nIf you cannot wait, run 'git branch -D x' as an admin.\n"
    assert failure_text([failed(output)]) == "error: The branch 'x' is not fully merged"


def test_another_tool_is_told_by_its_own_error_line() -> None:
    step = Step("call", "Search", "input=Antic", failed=True, errors=("Could not find [Antic]. Similar: ['ANTIC']",))
    assert failure_text([step]) == "Could not find [Antic]. Similar: ['ANTIC']"
    assert short_error(failure_text([step])) == "Could not find [Antic]"


def test_a_long_value_in_an_error_gives_way_to_the_reason_behind_it() -> None:
    value = 'v1.LabelSelector{MatchLabels:map[string]string{"app":"notifier", "version":"3.1"}, More:[]string(nil)}'
    line = f'Error: cannot patch "notifier": Deployment "notifier" is invalid: spec.selector: Invalid value: {value}'
    told = short_error(f"{line}: field is immutable")
    assert told.endswith("spec.selector: Invalid value: v1.LabelSelector{…}: field is immutable")


def test_a_word_of_alarm_is_no_error_by_itself() -> None:
    assert short_error("ERROR! Attempting to decrypt but no vault secrets found") == (
        "ERROR! Attempting to decrypt but no vault secrets found"
    )


def test_an_object_with_a_message_is_told_by_its_message() -> None:
    line = 'fatal: [db11]: FAILED! => {"changed": false, "msg": "Missing sudo password"}'
    assert short_error(line) == "fatal: [db11]: FAILED! => Missing sudo password"
