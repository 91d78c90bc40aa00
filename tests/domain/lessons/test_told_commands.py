"""A command is told so that its reader can run it: whole where it has room, and only where it is what worked."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_reflect.domain.lessons.run.commands.checks import checks_by
from mcp_reflect.domain.lessons.run.commands.server_requests import only_asks_server
from mcp_reflect.domain.lessons.run.commands.told_command import only_records, told_command, work_of
from mcp_reflect.domain.truncate import CUT, in_one_line
from tests.domain.lessons.test_lessons import bash, call, edit, lesson, said

WORK = "tool build --target release --config deploy/production.toml --output dist/app.tar.gz"


@pytest.mark.parametrize(
    ("command", "told"),
    [
        (f"{WORK} 2>&1 | tail -4", f"{WORK} 2>&1 | tail -4"),
        (f"cd /srv/app && git status; {WORK} && git commit -qam 'Build it' && git push -q 2>&1 | tail -4", f"{WORK} …"),
        (f"cd ui && {WORK} 2>&1 | tail -30 && git log --oneline -1 && echo all is well", f"cd ui && {WORK} …"),
        (f"cd /srv/app && {WORK} --verbose --color 2>&1 | tail -1 | cat", f"{WORK} --verbose --color"),
        (f"{WORK} --name {'x' * 30} || cat pack.log", f"{WORK} --name {'x' * 30} || cat pack.log"),
        (f"{WORK} | tail -1 > {'V' * 30}", f"{WORK} | tail -1 > {'V' * 30}"),
        (f"(cd build && {WORK}) && git add -A && git log", f"(cd build && {WORK}) && git add -A && git log"),
        (f"{WORK} --name '{'x' * 60} && git push'", f"{WORK} --name '{'x' * 60} && git push'"),
    ],
)
def test_what_has_no_room_is_told_without_what_stands_around_it(command: str, told: str) -> None:
    assert told_command(command, 120) == told


def test_twice_the_room_is_better_than_an_end_that_is_cut_off() -> None:
    loop = "for name in web mail jobs; do printf 'retries: 3\\n' >> conf/$name.yml; done && tool lint conf --strict"
    assert told_command(loop, 60) == loop
    assert told_command(loop, 40).endswith(CUT)


def test_a_here_document_is_cut_at_its_end_only() -> None:
    command = "git add . && python3 - <<'E'\n" + "print(1)\n" * 40 + "E"
    assert told_command(command, 60) == in_one_line(command)[:59].rstrip() + CUT


@given(st.lists(st.sampled_from([WORK, "git push", "ls -l", "make 'a && b'", "x | tail -3", "cd /a"]), min_size=1))
def test_what_is_told_stands_in_the_command(parts: list[str]) -> None:
    command = " && ".join(parts)
    assert told_command(command, 90).removesuffix(CUT).rstrip() in command


@pytest.mark.parametrize(
    "command", ["make x" + " | cat" * 9_000 + " | sh", "git stash " * 20_000, "psql '" + "select " * 20_000]
)
def test_long_command_lines_take_no_time(command: str) -> None:
    """Each of these took minutes once."""
    assert told_command(command, 160)
    only_asks_server(command)
    only_records(command)
    assert lesson([*edit("a.py", "x", "y"), *bash(command, "done")], task="Make it work").correct_action


def test_work_between_putting_changes_away_and_bringing_them_back_is_told() -> None:
    run = [*bash("git stash && ./migrate.sh --to 42 && git stash pop", "migrated"), *bash("make gen", "done")]
    assert "migrate.sh" in lesson(run, task="Migrate it").correct_action


def test_a_plan_of_the_business_is_a_call_like_any_other() -> None:
    run = [*call("update_plan", {"line": "L1", "plan": "Plus 15GB"}, "ok"), *call("refuel", {"gb": 2}, "ok")]
    assert "update_plan(" in lesson(run, task="More data please").correct_action


def test_keeping_the_state_in_git_is_not_what_worked() -> None:
    run = [*bash("make format", "3 files changed"), *bash("git add -A && git commit -qm 'Format' && git push", "ok")]
    assert lesson(run, task="Format the core").correct_action == "`make format`"
    alone = lesson(run[2:], task="Put my changes on the branch")
    assert alone.correct_action == "`git add -A && git commit -qm 'Format' && git push`"


@pytest.mark.parametrize(
    ("shown", "done", "expected"),
    [
        ("snakemake -n --quiet 2>&1 | tail -8; snakemake --version", "snakemake --profile slurm out.html", False),
        ("helm upgrade web ./chart --dry-run | head", "helm upgrade web ./chart -f prod.yaml", False),
        ("cd a && rsync -avn src/ host:/dst", "sudo rsync -av --delete src/ host:/dst", False),
        ("helm upgrade web ./chart --dry-run", "helm rollback web 3", True),
        ("npm publish --dry-run", "npm pack", True),
        ("make -n install | sh", "make install PREFIX=/opt", True),
        ("make -n install; ./migrate.sh", "make install", True),
        ("rsync -av --dry-run-log=x src/ dst", "rsync -av lib/ dst", True),
    ],
)
def test_a_command_that_shows_what_it_would_do_is_told_where_none_did_it(
    shown: str, done: str, *, expected: bool
) -> None:
    run = [*bash(shown, "would do it"), *bash(done, "done")]
    told = lesson(run, task="Bring it out").correct_action
    assert (f"`{shown}`" in told) is expected
    assert f"`{done}`" in told


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("git add . && git commit -m 'a; make' && git log -1", True),
        ("git -C app push origin main", True),
        ("git push --force-with-lease", False),
        ("git push --follow-tags origin main", False),
        ("git push heroku main", False),
        ("git push origin HEAD:release", False),
        ("git commit -qm 'x' || ./fix-hooks.sh", False),
        ("git add -A\n./deploy.sh --prod", False),
        ('git commit -m "$(./deploy.sh)"', False),
        ("git push & ./run.sh", False),
        ("git commit -am x && make deploy", False),
        ("git switch -q main && git push -q origin --delete quick && git branch -qD quick", True),
        ("git push -q && glab ci trace image | tail -3", True),
        ("git rebase main", False),
        ("git status", False),
    ],
)
def test_commands_that_only_keep_the_state(command: str, expected: bool) -> None:
    assert only_records(command) is expected


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("curl -s localhost:4000/api/profile/7 | jq .", True),
        ("grep -n alias mix.exs; psql -Atc \"select pid from pg_stat_activity where datname='t'\"", True),
        ("cat config/test.exs | head -15; pg_isready", True),
        ("ssh web1 'cat /etc/app.conf'; ssh web1 facter -p site_code", True),
        ("curl localhost:8080/health", True),
        ("curl localhost:8080/admin/reindex?full=true", False),
        ("curl -XDELETE localhost:9200/orders", False),
        ("curl -s https://x.example/ca.pem > certs/ca.pem", False),
        ("cat deploy/base.tmpl deploy/prod.tmpl > deploy/values.yml", False),
        ("ssh web1 'cat a' && ./deploy.sh web1 && ssh web1 'cat b'", False),
        ("psql -c \"UPDATE settings SET banner = 'show' WHERE id = 1\"", False),
        ('psql -c "DELETE FROM jobs" -c "select count(*) from jobs"', False),
        ('psql -c "select pg_terminate_backend(4711)"', False),
        ('psql -f schema.sql -c "select 1"', False),
        ('rm -rf data psql -c "select 1"', False),
        ("curl -X POST localhost:4000/api", False),
        ("curl -sd @body.json localhost:4000/api", False),
        ("curl -fsSL -o tool.tgz https://tools.example/tool.tgz", False),
        ('psql -c "select 1; drop table a"', False),
        ('psql -c "update a set b = 1"', False),
    ],
)
def test_commands_that_only_ask_a_server(command: str, expected: bool) -> None:
    assert only_asks_server(command) is expected


def test_a_look_at_how_things_are_without_the_changes_is_not_what_worked() -> None:
    look = bash("git stash -q && make 2>&1 | tail -2; git stash pop -q", "error: no rule")
    found = lesson([*look, *bash("make gen && make", "done")], task="Make it build")
    assert found.correct_action == "`make gen && make`"


def test_the_plan_of_an_agent_is_no_call_that_worked() -> None:
    plan = call("TodoWrite", {"todos": [{"content": "Find the type", "status": "pending"}]}, "Todos were modified")
    assert "Todo" not in lesson([*plan, *bash("make all", "done")], task="Build it").correct_action


def test_an_edit_that_was_generated_over_is_not_what_worked() -> None:
    run = [
        *edit("client/src/gen/models.ts", "interface Coupon {", "interface Coupon { expiresAt?: string;"),
        *bash("npm run typecheck", "TS2339: Property 'expiresAt' does not exist on type 'Coupon'", failed=True),
        *said(("assistant", "The type check generates src/gen again, so my edit is gone.")),
        *edit("api/openapi.yaml", "percent:", "percent:\n  expiresAt:"),
        *bash("npm run typecheck", "done"),
    ]
    told = lesson(run, task="Add a field to coupons").correct_action
    assert "api/openapi.yaml" in told
    assert "models.ts" not in told


def test_a_notebook_is_told_by_its_cells() -> None:
    before = '{"cells": [{"cell_type": "code", "source": ["w = read()\\n", "plot(w)"]}]}'
    after = '{"cells": [{"cell_type": "code", "source": "w = read().tz_localize(\'UTC\')\\nplot(w)"}]}'
    run = [
        *call("Write", {"file_path": "corr.ipynb", "content": before}, "written"),
        *bash("jupyter nbconvert --execute corr.ipynb", "ValueError: naive and aware times", failed=True),
        *call("Write", {"file_path": "corr.ipynb", "content": after}, "written"),
        *bash("jupyter nbconvert --execute corr.ipynb", "done"),
    ]
    assert "w = read().tz_localize('UTC')" in lesson(run, task="Plot the weather").correct_action


def test_a_check_by_a_request_at_the_end_of_a_long_line_is_left_out() -> None:
    command = f"{WORK} && curl -s -o /dev/null -w '%{{http_code}}' http://localhost:8080/reports"
    assert told_command(command, 90) == f"{WORK} …"


@pytest.mark.parametrize(
    ("command", "work"),
    [
        ("cat Makefile; make; echo '--- second'; make; cat out.csv", "make; echo '--- second'; make"),
        ("git status --short; cd backend && pytest -q 2>&1 | tail -1", "cd backend && pytest -q"),
        ("git add nix/ && nix build && git status", "git add nix/ && nix build"),
        ("cat a.txt | sort | uniq -c && ls", "cat a.txt | sort | uniq -c && ls"),
        ("ls; for f in a b; do cat $f; done; ls", "for f in a b; do cat $f; done"),
        ("python - <<'E'\nprint(1)\nE\nls", "python - <<'E'\nprint(1)\nE\nls"),
    ],
)
def test_what_only_looks_before_and_behind_the_work_is_left_out(command: str, work: str) -> None:
    assert work_of(command) == work


@given(st.lists(st.sampled_from([WORK, "git push", "git add -A", "ls -l", "x | tail -3", "cd /a"]), min_size=1))
def test_the_work_is_a_part_of_its_command(parts: list[str]) -> None:
    command = " && ".join(parts)
    assert work_of(command) in command


@pytest.mark.parametrize(
    ("command", "checks"),
    [
        ("make -s && ./build/loamd", "make"),
        ("cat x; cmake -S . -B build >/dev/null && cmake --build build | tail -2", "cmake . build"),
        ("npx vitest run 2>&1 | grep Tests", "vitest run"),
        ("npm run test:unit", "npm run test:unit"),
        ("npm run gen && npm run check", ""),
        ("cargo add serde && cargo build", ""),
        ("./gradlew :app:test", "./gradlew :app:test"),
        ("kubectl apply -f x.yaml", ""),
        ("pytest -q || true", ""),
        ("make install", ""),
        ("cat a; ls", ""),
        ("python -c 'print(1)'", ""),
        ("python report.py --all", "python report.py"),
    ],
)
def test_builds_and_tests_are_told_from_other_work(command: str, checks: str) -> None:
    assert checks_by(command) == checks


def test_of_several_checks_of_a_change_the_last_one_is_told() -> None:
    run = [
        *edit("Makefile", "CFLAGS = -O1", "CFLAGS = -O1 -MMD -MP"),
        *bash("make && ./build/loamd", "ok"),
        *bash("cat Makefile; make clean && make -s", "ok"),
        *bash("make -s && ./build/loamd --all; ls build", "ok"),
    ]
    change = "editing Makefile (`CFLAGS = -O1` → `CFLAGS = -O1 -MMD -MP`)"
    told = lesson(run, task="Rebuild what includes a header").correct_action
    assert told == f"{change}\n`make clean && make -s`; `make -s && ./build/loamd --all`"
    assert "`make && ./build/loamd`" in lesson(run[2:4], task="Build it").correct_action


def test_the_change_of_a_test_stands_behind_what_it_checks() -> None:
    run = [
        *edit("tests/test_money.py", "pass", "assert split(10, 3) == [4, 3, 3]"),
        *edit("money.py", "return amount / parts", "return share(amount, parts)"),
        *bash("pytest -q", "1 passed"),
    ]
    told = lesson(run, task="Split amounts without losing cents").correct_action
    assert told.index("editing money.py") < told.index("editing tests/test_money.py")
    more = [*edit("cart.py", "split(a, b)", "split(a, parts=b)"), *run]
    assert "test_money" not in lesson(more, task="Split amounts without losing cents").correct_action
    assert "editing cart.py" in lesson(more, task="Split amounts without losing cents").correct_action


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("curl -sG prom:9090/api/v1/query --data-urlencode 'query=up' -d step=60 | jq .", True),
        ("curl -s prom:9090/api -d step=60 | jq .", False),
        ('psql shop -c "select 1" -c "show max_wal_size"', True),
        ('psql shop -c "select 1" -c checkpoint', False),
        ('psql shop -c "select 1" -c "alter system set x = 1"', False),
    ],
)
def test_several_questions_at_once_change_nothing(command: str, expected: bool) -> None:
    assert only_asks_server(command) is expected
