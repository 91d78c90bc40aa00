"""Which calls are the same as one that led to an error."""

from __future__ import annotations

import pytest

from mcp_reflect.domain.lessons.failures.triggers import (
    is_same_mistake,
    is_same_trigger,
    trigger_key,
    trigger_of,
)
from mcp_reflect.domain.lessons.run.steps import step_of


def run(command: str) -> str:
    return trigger_of(step_of("Bash", {"command": command}))


def are_same(one: str, other: str) -> bool:
    same = is_same_trigger(one, other)
    assert not same or trigger_key(one) == trigger_key(other)  # or it would not be looked for
    return same


SAME = [
    "cd /home/ann/shop && python tools/export.py --out 'a b.csv'",
    'python  tools/export.py --out "a b.csv" 2>&1 | tail -n 20',
    "python /home/ann/shop/tools/export.py --out 'a b.csv'",
    "python ./tools/export.py --out a\\ b.csv",
    "DEBUG=1 python tools/export.py --out 'a b.csv'",
    "export DEBUG=1 && python tools/export.py --out 'a b.csv'",
    "env DEBUG=1 python tools/export.py --out 'a b.csv'",
    "python3.11 -u tools/export.py --out='a b.csv' --verbose",
    ".venv/bin/python -W ignore tools/export.py --out 'a b.csv' > log.txt 2> errors.txt",
    "timeout -k 5 60s uv run python tools/export.py --out 'a b.csv' || true",
    "source .venv/bin/activate && python tools/export.py --out 'a b.csv'  # once more",
    "bash -lc \"python tools/export.py --out 'a b.csv' 2>&1 | sort | uniq\"",
    "nohup python $PWD/tools/export.py --out 'a b.csv' &",
    "./tools/export.py --out 'a b.csv' && echo done",
]
OTHER = [
    "python tools/export.py --out 'a b.csv' --all",
    "python --out 'a b.csv' tools/export.py",
    "python tools/import.py --out 'a b.csv'",
    "python tests/tools/export.py --out 'a b.csv'",
    "python tools/export.py --out a b.csv",
    "python -c 'import tools' tools/export.py --out 'a b.csv'",
    "python tools/export.py --out 'a b.csv' < names.txt",
    "cat tools/export.py --out 'a b.csv' | wc",
    "make && python tools/export.py --out 'a b.csv'",
    "python tools/export.py --out 'a b.csv' --input names.txt",
    "python tools/export.py --out 'a b.csv' --format html",
]


@pytest.mark.parametrize("command", SAME)
def test_the_same_command_in_another_form(command: str) -> None:
    assert are_same(run("python tools/export.py --out 'a b.csv'"), run(command))


@pytest.mark.parametrize("command", OTHER)
def test_another_command(command: str) -> None:
    assert not are_same(run("python tools/export.py --out 'a b.csv'"), run(command))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("npx tidy --check src", "./node_modules/.bin/tidy --check ./src/"),
        ("npx tidy --check src", "pnpm exec tidy --check src"),
        ("pip install -r dev.txt", "python -m pip install -q -r dev.txt"),
        ("pip install -r dev.txt", "uv pip install -r dev.txt"),
        ("tar xzf a.tgz", "tar -xvzf a.tgz"),
        ("make -C /home/ann/shop tests", "make -j8 tests"),
        ("report --format pdf --month 5", "report --month=5 --format=pdf"),
        ("npm run build", "npm run-script build"),
        ("yarn build", "yarn run build"),
        ("npm i -D left-pad", "npm install --save-dev left-pad"),
        ("cargo test -p api --features pg", "cargo test --package api -F pg"),
        ("docker build -t portal:dev .", "docker build --tag portal:dev ."),
        ("go test -race ./pool", "go test --race ./pool/"),
        ("terraform plan", "terraform plan -input=false"),
        ("python manage.py migrate", "python manage.py migrate --noinput"),
        ("psql -U app -c 'select 1'", "psql --command='select 1' --username app"),
        ("npm ci", "npm ci --no-audit --no-fund --loglevel error"),
        ("./gradlew :app:test", "./gradlew :app:test --info --console=plain"),
        ("npx playwright test a.spec.ts", "npx playwright test --reporter=line a.spec.ts"),
        ("rake spec", "rake spec -v 2 --no-interaction"),
        ("./deploy prod", "bash deploy prod"),
        ("pytest -q a.py", "bash -lc 'cd /srv/shop && pytest a.py'"),
        ("jq '.a | .b' data.json", "cat data.json | jq '.a|.b'"),
        ("psql -c 'select 1'", "sudo -u postgres psql -c 'select 1;' | head -3"),
    ],
)
def test_commands_that_others_write_in_another_way(one: str, other: str) -> None:
    assert are_same(run(one), run(other))


NO_RULE = "make: *** No rule to make target 'tests'.  Stop."


@pytest.mark.parametrize(
    ("call", "error", "worked", "is_same"),
    [
        ("make tests V=1", NO_RULE, ["make check"], True),
        ("make --keep-going tests", NO_RULE, ["make check"], False),  # it may be the option's value
        ("make tests --keep-going", NO_RULE, ["make check"], True),
        ("make tests --keep-going", NO_RULE, ["make tests --file=tests.mk"], False),  # an option was missing
        ("make tests --keep-going", "make: *** [Makefile:2] Error 1", ["make check"], False),
        ("make tests all", NO_RULE, ["make check"], False),
        ("make check --keep-going", NO_RULE, ["make check"], False),
    ],
)
def test_a_wrong_word_stays_wrong_beside_further_options(
    call: str, error: str, worked: list[str], is_same: bool
) -> None:
    assert is_same_mistake(run("make tests"), run(call), error, worked) is is_same
    assert not is_same or trigger_key(run("make tests")) == trigger_key(run(call))


def test_the_same_edit_writes_the_same_text_into_the_same_file() -> None:
    edit = {"file_path": "/home/ann/shop/export.py", "old_string": "a", "new_string": "row['cost']"}
    same = {"file_path": "export.py", "old_string": "b", "new_string": "row['cost']"}
    patch = "*** Begin Patch\n*** Update File: export.py\n-a\n+row['cost']\n*** End Patch"
    first = trigger_of(step_of("Edit", edit))
    assert are_same(first, trigger_of(step_of("Edit", same)))
    assert are_same(first, trigger_of(step_of("apply_patch", {"command": patch})))
    assert not are_same(first, trigger_of(step_of("Edit", {**same, "file_path": "import.py"})))
    assert not are_same(first, trigger_of(step_of("Edit", {**same, "new_string": "row['price']"})))


@pytest.mark.parametrize("arguments", [{}, {"command": ""}, {"command": "x" * 5_000}, {"file_path": "a"}])
def test_what_says_nothing_is_no_trigger(arguments: dict[str, str]) -> None:
    assert {trigger_of(step_of(tool, arguments)) for tool in ("Bash", "Edit", "Read")} == {""}


@pytest.mark.parametrize("command", ["echo 'open", "&&", "a;;b", "((", "FOO=1", "\x00"])
def test_broken_commands_are_read(command: str) -> None:
    assert is_same_trigger(run(command), run(command))
