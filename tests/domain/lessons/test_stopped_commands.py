"""A command line that stopped midway did its first parts: each obstacle of a run is told with what mended it."""

from __future__ import annotations

from mcp_reflect.domain.lessons.failures.stopped_commands import find_repairs_of_parts
from mcp_reflect.domain.lessons.run.steps import find_steps
from mcp_reflect.domain.trajectory.parsing import parse
from tests.domain.lessons.test_lessons import bash, edit, lesson, said

LOCKED = "** (Postgrex.Error) ERROR 25001 CREATE INDEX CONCURRENTLY cannot be run inside a transaction block"
IN_USE = '** (Mix) The database could not be dropped: ERROR 55006 database "shop_test" is being accessed by others'
RUN = [
    *bash("mix ecto.migrate", LOCKED, failed=True),
    *edit("priv/migrations/1_index.exs", "use Ecto.Migration", "use Ecto.Migration\n@disable_ddl_transaction true"),
    *bash("mix ecto.migrate && mix test", f"Migrated in 0.0s\n{IN_USE}", failed=True),
    *bash("MIX_TEST_PARTITION=_a mix test", "114 tests, 0 failures"),
]


def test_two_obstacles_of_one_command_line_are_two_repairs() -> None:
    told = lesson(RUN, task="Add an index").correct_action
    assert "`mix ecto.migrate` after editing priv/migrations/1_index.exs (+ `@disable_ddl_transaction true`)" in told
    assert "`MIX_TEST_PARTITION=_a mix test`. `mix test` failed: ** (Mix)" in told


def test_the_places_of_failures_are_those_of_the_run() -> None:
    steps = find_steps(parse(RUN))
    assert [repair.tries for repair in find_repairs_of_parts(steps)] == [(0,), (2,)]


def test_who_failed_of_two_commands_that_both_ran_is_not_known() -> None:
    run = [
        *bash("helm upgrade app chart; helm status app", "Error: another operation is in progress", failed=True),
        *bash("helm rollback app 41 && helm upgrade app chart", "deployed"),
    ]
    assert "`helm status app` failed" not in lesson(run, task="Deploy it").correct_action


def test_what_prepared_the_command_stays_where_the_user_had_it_run_otherwise() -> None:
    run = [
        *bash("terraform plan", "Error: Module not installed", failed=True),
        *bash("terraform init && terraform plan", "Plan: 23 to add, 23 to destroy"),
        *said(("assistant", "Shall I move the state?"), ("user", "no, write a moved block")),
        *bash("terraform plan -lock=false", "Plan: 0 to add, 0 to destroy"),
    ]
    told = lesson(run, task="Rename the module").correct_action
    assert "`terraform init && terraform plan`. `terraform plan` failed: Error: Module not installed" in told
    assert "-lock=false`. `terraform plan` failed" not in told


def test_a_look_at_the_state_is_no_retry_of_what_failed() -> None:
    run = [
        *bash("kubectl rollout undo deploy/api", "error: timed out waiting for the condition", failed=True),
        *bash("kubectl rollout history deploy/api", "REVISION 41 42"),
        *bash('kubectl patch hpa batch -p \'{"spec":{"maxReplicas":12}}\'', "patched"),
    ]
    assert "history" not in lesson(run, task="Mitigate the crash").correct_action


def test_a_way_that_the_user_refused_is_no_repair() -> None:
    run = [
        *bash("pytest -q", "FAILED tests/test_render.py::test_invoice - AssertionError", failed=True),
        *bash("pytest -q --snapshot-update", "2 snapshots updated"),
        *said(("assistant", "All pass."), ("user", "No, never update the snapshots blindly.")),
        *edit("src/render.py", "str(x)", "format(x, exponent)"),
        *bash("pytest -q", "60 passed"),
    ]
    assert "snapshot-update" not in lesson(run, task="Print two decimals").correct_action


BUILD = "docker buildx build --platform linux/arm64 -t relay:1.9 --push ."
DRIVER = "ERROR: Multi-platform build is not supported for the docker driver."
DENIED = "ERROR: failed to push relay:1.9: denied: permission_denied: write_package"


def test_an_obstacle_that_a_failed_run_overcame_is_told_with_what_overcame_it() -> None:
    run = [
        *bash(BUILD, DRIVER, failed=True),
        *bash(f"docker buildx create --use && {BUILD}", "exec /bin/sh: exec format error", failed=True),
        *bash("docker run --rm binfmt --install arm64", "installed arm64"),
        *bash(BUILD, DENIED, failed=True),
        *bash("docker login", "Login Succeeded"),
        *bash(BUILD, DENIED, failed=True),
    ]
    found = lesson(run, "fail", task="Push the image for arm64")
    assert DENIED in found.key_mistake
    told = found.guidance.splitlines()
    assert f"`{BUILD}` failed: {DRIVER[:-1]}; no longer in this way after `docker buildx create --use`" in told
    assert any("exec format error; no longer in this way after `docker run" in line for line in told)
    assert not any(line.endswith("`docker login`") for line in told)


def test_what_failed_in_the_first_way_again_is_not_overcome() -> None:
    run = [
        *bash(BUILD, DRIVER, failed=True),
        *bash("docker buildx create --use", "multi"),
        *bash(BUILD, DENIED, failed=True),
        *bash("docker buildx use default", "ok"),
        *bash(BUILD, DRIVER, failed=True),
    ]
    assert "no longer" not in lesson(run, "fail", task="Push the image for arm64").guidance


def test_what_was_tried_and_taken_back_is_told_with_what_the_agent_said_of_it() -> None:
    run = [
        *edit("build.tcl", "place_design", "place_design -directive ExtraTimingOpt"),
        *bash("make timing", "WNS -0.361"),
        *said(("assistant", "Hardly anything. It costs 12 min per build.")),
        *edit("build.tcl", "place_design -directive ExtraTimingOpt", "place_design"),
        *edit("rtl/rx.sv", "fcs_ok <= next_crc(crc)", "fcs_ok <= crc"),
        *bash("make timing", "WNS 0.087"),
    ]
    told = lesson(run, task="Close the timing").guidance
    assert (
        "Tried editing build.tcl (`place_design` → `place_design -directive ExtraTimingOpt`), and took it back. "
        "The agent said: Hardly anything; It costs 12 min per build" in told
    )


def test_what_was_removed_and_put_back_is_no_repair() -> None:
    run = [
        *bash("make", "region FLASH overflowed by 9344 bytes", failed=True),
        *edit("Makefile", " -u _printf_float", ""),
        *bash("make", "text 64210"),
        *said(("assistant", "It links."), ("user", "no, the menu prints floats. put it back")),
        *edit("Makefile", "LDFLAGS = -T$(LD)", "LDFLAGS = --specs=nano.specs -T$(LD) -u _printf_float"),
        *bash("make", "text 51876"),
    ]
    told = lesson(run, task="Make it link").correct_action
    assert "`make` after editing Makefile (`LDFLAGS = -T$(LD)` → `LDFLAGS = --specs=nano.specs" in told
    assert "- `-u _printf_float`" not in told


def test_a_commit_is_not_what_a_command_waited_for() -> None:
    run = [
        *bash("git push", "error: GH001: Large files detected.", failed=True),
        *bash("git lfs migrate import --include='*.mp4'", "done"),
        *bash("git commit -qam 'Move the video; install hooks'", "1 file changed"),
        *bash("git push", "done"),
    ]
    told = lesson(run, task="Push the branch").correct_action
    assert "after `git lfs migrate import --include='*.mp4'`" in told
    assert "git commit" not in told


def test_what_was_taken_back_for_the_user_is_told_by_their_words_alone() -> None:
    run = [
        *edit("app.tsx", "new Date(x)", "<span suppress>{new Date(x)}"),
        *bash("npm test", "ok"),
        *said(("assistant", "Done."), ("user", "No, never suppress the warning."), ("assistant", "I'll take it out.")),
        *edit("app.tsx", "<span suppress>{new Date(x)}", "new Date(x)"),
        *edit("app.tsx", "new Date(x)", "shopTime(x)"),
        *bash("npm test", "ok"),
    ]
    found = lesson(run, task="Fix the warning")
    assert "Tried" not in found.guidance
    assert "never suppress the warning" in f"{found.summary}{found.guidance}"
