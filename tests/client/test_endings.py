"""What an exception says of the run that it ends."""

from __future__ import annotations

import asyncio
import unittest
from collections.abc import Callable
from concurrent import futures

import pytest

from mcp_reflect.client.runs.ending import classify_ending


def raised(function: Callable[[], object]) -> BaseException:
    try:
        function()
    except BaseException as error:  # noqa: BLE001 - whatever it is
        return error
    raise AssertionError("nothing was raised")


def nothing_raised() -> None:
    with pytest.raises(ValueError, match="x"):
        pass


def test_a_failed_check_of_pytest_is_a_failed_run() -> None:
    assert classify_ending(raised(lambda: pytest.fail("wrong answer"))) == "failed"
    assert classify_ending(raised(nothing_raised)) == "failed"


def test_a_test_that_is_skipped_says_nothing_of_the_run() -> None:
    assert classify_ending(raised(lambda: pytest.skip("no GPU"))) == "skipped"
    assert classify_ending(raised(lambda: pytest.xfail("known"))) == "skipped"
    assert classify_ending(unittest.SkipTest("no GPU")) == "skipped"


def test_whoever_wants_a_program_to_end_does_not_say_that_it_failed() -> None:
    ends = [KeyboardInterrupt(), SystemExit(1), GeneratorExit(), asyncio.CancelledError(), futures.CancelledError()]
    assert {classify_ending(error) for error in [*ends, raised(lambda: pytest.exit("enough"))]} == {"interrupted"}


def test_any_other_exception_is_a_failed_run_and_none_is_a_good_end() -> None:
    class Failed(ValueError):
        pass

    assert {classify_ending(error) for error in (ValueError("x"), AssertionError(), Failed())} == {"failed"}
    assert classify_ending(None) == "well"
