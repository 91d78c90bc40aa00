"""Which calls differ from one that failed by what may make them work."""

from __future__ import annotations

import pytest

from mcp_reflect.domain.lessons.failures.triggers import is_same_trigger, trigger_of
from mcp_reflect.domain.lessons.failures.ways_out import is_way_out
from mcp_reflect.domain.lessons.run.steps import step_of


def run(command: str) -> str:
    return trigger_of(step_of("Bash", {"command": command}))


def test_a_variable_that_made_a_command_work_is_the_way_out() -> None:
    failed, worked = [run("node server.js"), run("PORT=1 node server.js")], ["MOCK=1 node server.js"]
    assert is_way_out(run("MOCK=2 node server.js"), failed, worked, "")
    assert is_way_out(run("export MOCK=2 && node server.js"), failed, worked, "")
    assert not is_way_out(run("node server.js"), failed, worked, "")
    assert not is_way_out(run("PORT=1 node server.js"), failed, ["PORT=1 node server.js"], "")


@pytest.mark.parametrize(
    ("failed", "worked", "call"),
    [
        ("pytest tests", "python -m pytest tests", "uv run python -m pytest tests"),
        ("python app.py", "python3 app.py", "python3 app.py -v"),
        ("tsc -p .", "npx tsc -p .", "npx tsc -p . | tail"),
        ("mypy -p shop", "cd src && mypy -p shop", "cd src; mypy -p shop"),
        ("mypy -p shop", "MYPYPATH=src mypy -p shop", "cd src && mypy -p shop"),
        ("perl report.pl", "perl -Ilib report.pl", "PERL5LIB=lib perl report.pl"),
        ("sh deploy.sh", "bash deploy.sh", "bash -x ./deploy.sh"),
        ("sudo npm ci", "npm ci", "npm ci"),
        ("alembic upgrade head", ".venv/bin/alembic upgrade head", "/srv/.venv/bin/alembic upgrade head"),
    ],
)
def test_what_stands_around_a_command_may_be_the_way_out(failed: str, worked: str, call: str) -> None:
    assert is_same_trigger(run(failed), run(call))
    assert is_way_out(run(call), [run(failed)], [worked], "")
    assert not is_way_out(run(failed), [run(failed)], [worked], "")


SETTINGS = "KeyError: 'LEDGER_KEY'"
REGION = 'No value for required variable: variable "region_name" {'


@pytest.mark.parametrize(
    ("failed", "worked", "call", "error"),
    [
        ("manage.py test", "manage.py test --settings=ledger.testing", "LEDGER_KEY=x manage.py test", SETTINGS),
        ("manage.py test", "manage.py test --settings=ledger.testing", "CONF=ledger.testing manage.py test", SETTINGS),
        ("terraform plan", "terraform plan -var-file=eu.tfvars", "TF_VAR_region_name=eu terraform plan", REGION),
        ("npm ci", "npm ci --legacy-peer-deps", "npm_config_legacy_peer_deps=true npm ci", "npm error ERESOLVE"),
        ("npm ci", "npm ci --legacy-peer-deps", "cd tools/release && npm ci", "npm error ERESOLVE"),
        ("pytest a.py", "uv run pytest a.py", ".venv/bin/pytest a.py", "No module named 'freezegun'"),
        ("make deploy", "AWS_PROFILE=dev make deploy", "source .env && make deploy", "AWS_PROFILE: unbound variable"),
        ("npm ci", "npm ci --cache .npm", "sudo npm ci", "npm error code EACCES"),
        ("./deploy prod", "sh deploy prod", "bash deploy prod", "./deploy: Permission denied"),
    ],
)
def test_what_the_error_or_the_fix_names_is_a_way_out(failed: str, worked: str, call: str, error: str) -> None:
    assert is_same_trigger(run(failed), run(call))
    assert is_way_out(run(call), [run(failed)], [worked], error)


@pytest.mark.parametrize(
    ("failed", "worked", "call"),
    [
        ("npm ci", "npm ci --legacy-peer-deps", "CI=1 NODE_ENV=production npm ci"),
        ("npm ci", "npm ci --legacy-peer-deps", "cd /srv/shop && npm ci"),
        ("pytest a.py", "uv run pytest a.py", "timeout 60 python -m pytest a.py"),
        ("terraform plan", "terraform plan -var-file=eu.tfvars", "TF_IN_AUTOMATION=1 terraform plan"),
    ],
)
def test_what_neither_of_them_names_is_none(failed: str, worked: str, call: str) -> None:
    assert is_same_trigger(run(failed), run(call))
    assert not is_way_out(run(call), [run(failed)], [worked], "error: it failed")
