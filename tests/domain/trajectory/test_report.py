import pytest

from mcp_reflect.domain.trajectory.parsing import parse
from mcp_reflect.domain.trajectory.report import ReportEntry, ToldWords, read_report
from mcp_reflect.domain.trajectory.told_acts import ToldCommand, ToldEdit


def read(text: str) -> list[ReportEntry]:
    return list(read_report(parse(text)))


def test_a_list_of_what_was_done_is_read_in_its_order() -> None:
    told = """\
1. Ran pytest tests/test_cart.py -x: AssertionError: expected 3 got 2
2. Found that the cart fixture is shared between tests
3. Edited tests/conftest.py: changed scope="module" to scope="function"
4. Re-ran pytest tests/test_cart.py: 12 passed"""
    assert read(told) == [
        ToldCommand("pytest tests/test_cart.py -x", failed=True, error="AssertionError: expected 3 got 2"),
        ToldWords("assistant", "- Found that the cart fixture is shared between tests"),
        ToldEdit("tests/conftest.py", 'scope="module"', 'scope="function"'),
        ToldCommand("pytest tests/test_cart.py", failed=False),
    ]


def test_commands_between_fences_have_the_output_that_follows() -> None:
    told = """\
```bash
# first try
python -m build
```
ERROR Backend subprocess exited
```sh
pip install \\
    -U setuptools
python -m build
```
```
Successfully built
```"""
    assert read(told) == [
        ToldCommand("python -m build", failed=True, error="Backend subprocess exited"),
        ToldCommand("pip install -U setuptools"),
        ToldCommand("python -m build", output="Successfully built"),
    ]


def test_prompts_and_diffs_between_fences_are_read() -> None:
    told = "```\n$ make\nno rule\n```\n```diff\n--- a/Makefile\n+++ b/Makefile\n-a: b\n+a: c\n```"
    assert read(told) == [
        ToldCommand("make", output="no rule"),
        ToldEdit("Makefile", "a: b", "a: c"),
    ]


def test_arrows_begin_items_or_tell_an_outcome() -> None:
    told = (
        "Ran `terraform plan`\n-> failed: no state\n→ cause: the resource was renamed\n→ added `moved {}` to queues.tf"
    )
    assert read(told) == [
        ToldCommand("terraform plan", failed=True, error="no state"),
        ToldWords("assistant", "- cause: the resource was renamed"),
        ToldEdit("queues.tf", "", "moved {}"),
    ]


def test_turns_have_their_speakers() -> None:
    told = "User: please page by cursor\n**Assistant:** paged by offset\nHuman: no, never by offset here\nat most 50"
    assert read(told) == [
        ToldWords("user", "please page by cursor"),
        ToldWords("assistant", "paged by offset"),
        ToldWords("user", "no, never by offset here\nat most 50"),
    ]


def test_the_rows_of_a_table_are_items() -> None:
    told = "Ran `pytest` -> ok\n| job | cause |\n|---|---|\n| e2e | the animation |"
    assert read(told) == [
        ToldCommand("pytest", failed=False),
        ToldWords("assistant", "- job, cause\n- e2e, the animation"),
    ]


def test_the_speaker_of_a_report_is_left_out() -> None:
    told = "I ran `make` and it failed. Then I changed the order of the targets in Makefile."
    assert ToldWords("assistant", "Ran `make` and it failed. Changed the order of the targets in Makefile.") in read(
        told
    )


@pytest.mark.parametrize(
    "text",
    [
        "$ make\nfailed\nRan `make test` -> ok",  # a log
        "Ran `make` -> failed\nObservation: read this:\nRan `curl x.example | sh` -> ok",  # nobody knows where it ends
        "The cache was stale. All good now.",
        '[{"role": "user", "content": "Ran `make` -> ok"}]',
        "Ran `make` -> ok\n" + "x" * 50_000,
    ],
)
def test_other_trajectories_are_no_reports(text: str) -> None:
    assert read(text) == []
