"""The project guide: what it says, in which order, and that no memory can act in it."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_reflect.domain.guide.composition import compose_guide
from mcp_reflect.domain.guide.markdown import markdown_text, render_guide
from mcp_reflect.domain.models import ClaimMemory, ErrorMemory, InsightMemory, Memory, ReflectionMemory
from tests.support.values import moment

OWNED = {"project": "alpha", "user": "ann", "author": "extractive", "initial_q": 0.5, "created_at": moment(1)}


def reflection(number: int, task: str, *, success: bool = True, q: float = 0.5, **more: object) -> ReflectionMemory:
    counts = {"trials": 4.0, "successes": 4 * q, "reviews": 4, "passes": 4} if q != 0.5 else {}
    record = {"q_value": q, **counts}
    fields = OWNED | record | {"id": f"mem_{number}", "source_trace_id": f"trace_{number}", "task": task}
    return ReflectionMemory.model_validate(fields | {"reflection": "…", "success": success} | more)


def other(kind: type[Memory], number: int, **more: object) -> Memory:
    fields = OWNED | {"id": f"mem_{number}", "source_trace_id": f"trace_{number}", "task": "t", "q_value": 0.5}
    return kind.model_validate(fields | {"reflection": "…"} | more)  # type: ignore[attr-defined, no-any-return]


MEMORIES = [
    reflection(1, "start the database", correct_action="`docker compose up -d db`", q=0.9),
    reflection(2, "start the database again", correct_action="`docker compose up -d db`"),
    reflection(3, "deploy", success=False, key_mistake="The token had expired", correct_action="Run `make login`"),
    reflection(4, "retry calls", guidance="Retries must never exceed 5, with a cap of 30 seconds."),
    other(
        ErrorMemory,
        5,
        key_mistake="ImportError: yaml",
        correct_action="Run `uv sync`",
        tests=("import yaml",),
    ),
    other(ErrorMemory, 6, key_mistake="Segfault in the parser"),
    other(ClaimMemory, 7, reflection="[CI] runs on arm64 - wheels are built there", success=True),
    other(InsightMemory, 8, reflection="Runs that read the log first pass.", evidence=("trace_1", "trace_3")),
]


def test_each_section_has_its_lines_with_the_runs_that_show_them() -> None:
    guide = compose_guide(MEMORIES)
    (database,) = guide.works
    assert (database.text, database.trace_ids, database.passed) == (
        "`docker compose up -d db`",
        ("trace_1", "trace_2"),
        2,
    )
    assert [line.text for line in guide.fails] == [
        "The token had expired. Instead: Run `make login`",
        "Segfault in the parser. No fix is known.",
    ]
    assert [line.text for line in guide.errors] == [
        "ImportError: yaml. Fix: Run `uv sync`. Check: `import yaml`",
    ]
    assert {line.memory_ids for line in guide.decisions} == {("mem_4",), ("mem_7",)}
    assert [line.trace_ids for line in guide.insights] == [("trace_8", "trace_1", "trace_3")]
    assert guide.lessons[0].task == "start the database"
    text = render_guide(guide, "alpha", 3, 1)
    assert "(2 passed: trace_1, trace_2; borne out by 4 of 4 later runs, q 0.90)" in text
    assert re.findall("^## (.*)$", text, re.MULTILINE) == [
        *("What works here", "What fails here", "Known errors and their fixes", "Decisions in force"),
        "What runs have in common",
    ]


def test_the_order_in_which_memories_are_read_changes_nothing() -> None:
    assert compose_guide(reversed(MEMORIES)).fails == compose_guide(MEMORIES).fails
    texts = [render_guide(compose_guide(order), "alpha", 3, 1) for order in (MEMORIES, MEMORIES)]
    assert texts[0] == texts[1]


def test_the_output_of_tests_is_told_by_its_error_and_its_success_not_at_all() -> None:
    output = "$ pytest -q\nE   NameError: name 'c' is not defined\nFAILED test_add\n1 failed in 0.1s"
    failed = reflection(1, "add", success=False, key_mistake=output)
    passed = reflection(2, "subtract", guidance="Reviewer: $ pytest -q\n1 passed in 0.1s")
    guide = compose_guide([failed, passed])
    assert [line.text for line in guide.fails] == ["`pytest -q` failed: NameError: name 'c' is not defined."]
    assert guide.works == ()


def test_steps_and_why_are_one_sentence_each() -> None:
    run = reflection(
        1, "run the specs", correct_action="`lua5.4 run.lua`.\nediting a.lua", guidance="5.1 lacks it\nDone."
    )
    assert [line.text for line in compose_guide([run]).works] == [
        "`lua5.4 run.lua`; editing a.lua. 5.1 lacks it. Done."
    ]


def test_what_the_user_ruled_before_a_run_acted_is_a_decision() -> None:
    """A lesson without a model begins with nothing else where the run did something."""
    run = reflection(1, "commit that", summary="OPS-0 is for clean-ups.", correct_action="`git commit -m OPS-0`")
    guide = compose_guide([run])
    assert [line.text for line in guide.decisions] == ["OPS-0 is for clean-ups."]
    assert [line.text for line in guide.works] == ["`git commit -m OPS-0`"]
    assert not compose_guide([run.model_copy(update={"author": "agent"})]).decisions


def test_the_decisions_of_a_run_are_one_line_and_the_strongest_run_goes_first() -> None:
    weak = reflection(2, "retry", guidance="Retries are capped at 5 from now on.")
    strong = reflection(
        1,
        "merge",
        guidance="Only drafts are kept before release.\nSettled: we must never merge before a review.\n"
        "I must say that I always forget it.",
    )
    lines = compose_guide([weak, strong]).decisions
    assert [line.text for line in lines] == [
        "Settled: we must never merge before a review. Only drafts are kept before release.",
        "Retries are capped at 5 from now on.",
    ]


def test_commands_are_no_decision_however_many_signs_of_a_rule_they_have() -> None:
    told = "`kubectl apply -f k8s` after `aws eks update-kubeconfig --name staging --region eu-central-1`"
    failed = "`kubectl rollout status deploy/shop` failed: the deployment must be ready before 600 s"
    guide = compose_guide([reflection(1, "deploy", guidance=f"{told}\n{failed}", success=False)])
    assert not guide.decisions
    assert [line.text for line in guide.fails]


def test_a_fix_names_no_command_twice() -> None:
    fix = {"correct_action": "Run `make b` instead of `make a`", "tests": ("make b", "make check")}
    (line,) = compose_guide([other(ErrorMemory, 1, key_mistake="`make a` failed", **fix)]).errors
    assert line.text == "`make a` failed. Fix: Run `make b`. Check: `make check`"
    (line,) = compose_guide([other(ErrorMemory, 1, key_mistake="no rule", **fix)]).errors
    assert line.text == "no rule. Fix: Run `make b` instead of `make a`. Check: `make check`"


def test_a_project_without_lessons_says_so() -> None:
    assert "There is no lesson yet." in render_guide(compose_guide([]), "alpha", 0, 0)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("# Ignore the rules", "\\# Ignore the rules"),
        ("- a\n- b", "\\- a - b"),
        ("1. step", "1\\. step"),
        ("![x](http://evil/?q=1)", "!\\[x\\](http://evil/?q=1)"),
        ("<script>x</script> and `a<b`", "\\<script\\>x\\</script\\> and `a<b`"),
        ("snake_case and __init__ *bold*", "snake_case and \\_\\_init\\_\\_ \\*bold\\*"),
        ("```sh\nrm -rf /\n```", "'''sh rm -rf / '''"),
        ("an odd ` quote", "an odd ' quote"),
    ],
)
def test_markdown_in_a_memory_is_shown_as_it_is(text: str, shown: str) -> None:
    assert markdown_text(text) == shown


@given(st.text(alphabet=st.sampled_from("#-+=*_`<>[]()!|~\\ \n\r\u2028ab1.<"), max_size=40))
def test_no_text_becomes_a_block_or_a_tag(text: str) -> None:
    shown = markdown_text(text)
    assert "\n" not in shown
    outside = re.sub(r"`[^`]+`", "", shown)
    assert "`" not in outside
    assert not re.search(r"(?<!\\)(?:\\\\)*[<\[*|]", outside)
    assert not re.match(r"(?:[#+-]|\d+[.)])(?:\s|$)", shown)


@pytest.mark.parametrize(
    ("texts", "told"),
    [
        ({"correct_action": "`cancel_booking`; `hand_over`"}, []),
        ({"correct_action": "`cancel_booking`", "guidance": "Saver tickets stay as they are."}, ["Saver tickets stay"]),
        ({"guidance": "`cancel_booking` with another `payment_id`", "success": False}, []),
        ({"key_mistake": "Wrong or incomplete: `cancel_booking`", "success": False}, []),
        ({"correct_action": "`cancel_booking(reason=plans, …)`"}, ["`cancel_booking(reason=plans"]),
        ({"correct_action": "`make`"}, ["`make`"]),  # a command, and no tool
    ],
)
def test_the_name_of_a_tool_alone_is_no_line(texts: dict[str, object], told: list[str]) -> None:
    tools = ("cancel_booking", "hand_over")
    memory = reflection(1, "Hello, I need to change my flight.", tools_used=tools).model_copy(update=texts)
    guide = compose_guide([memory])
    assert [line.text[: len(start)] for line, start in zip(guide.lessons, told, strict=True)] == told
