"""A long run is condensed to what decides it, within its budget."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from mcp_reflect.domain.lessons.drafting.condensation import condense_run
from mcp_reflect.domain.trajectory.parsing import parse


def command(line: str, output: str, *, failed: bool = False) -> list[dict[str, Any]]:
    use = {"type": "tool_use", "id": line, "name": "Bash", "input": {"command": line}}
    result = {"type": "tool_result", "tool_use_id": line, "content": output, "is_error": failed}
    return [{"role": "assistant", "content": [use]}, {"role": "user", "content": [result]}]


def a_long_run() -> list[dict[str, Any]]:
    reading = [part for n in range(60) for part in command(f"cat file{n}.py", f"value_{n} = 1\n" * 40)]
    return [
        {"role": "user", "content": "Make the tests pass. Never touch the lock file, it must stay at version 7."},
        *reading[:60],
        *command("pytest -q", "E   ImportError: no module named shop", failed=True),
        *command("PYTHONPATH=src pytest -q", "12 passed"),
        *reading[60:],
        *command("git push", "rejected: non-fast-forward", failed=True),
        {"role": "assistant", "content": "The tests pass; the push was rejected."},
    ]


def test_a_short_run_stays_whole() -> None:
    run = parse(command("make test", "12 passed"))
    assert condense_run(run, "Test it", "", 2_000) == run.render(2_000)


def test_a_long_run_keeps_what_decided_it() -> None:
    text = condense_run(parse(a_long_run()), "Make the tests pass.", "", 2_000)
    assert len(text) <= 2_000
    for part in ("PYTHONPATH=src pytest -q", "no module named shop", "version 7", "`git push`: rejected"):
        assert part in text
    assert text.endswith("the push was rejected.")


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=400), max_size=30),
       st.integers(300, 2_000))  # fmt: skip
def test_no_run_leaves_its_budget(texts: list[str], budget: int) -> None:
    run = parse([{"role": "assistant", "content": text} for text in texts])
    assert len(condense_run(run, "task", "", budget)) <= budget
    log = parse("$ make\n" + "\n".join(texts))
    assert len(condense_run(log, "task", "", budget)) <= budget
