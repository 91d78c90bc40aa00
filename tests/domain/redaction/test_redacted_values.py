"""Secrets out of values that are no text: messages, arguments of tools, metadata."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mcp_reflect.domain.redaction.redact import redact_json
from mcp_reflect.domain.redaction.run_secrets import redact_trajectory
from mcp_reflect.domain.redaction.stored_text import storable_key
from mcp_reflect.domain.trajectory.parsing import parse
from tests.domain.redaction.test_redaction import JWT, LETTERS

PASSWORD, TOKEN = "[redacted:password]", "[redacted:token]"
BASIC = "Basic dXNlcjpodW50ZXIyeHl6"
SECRET = [
    ({"headers": {"Authorization": BASIC}}, {"headers": {"Authorization": "Basic [redacted:basic-auth]"}}),
    ({"Proxy-Authorization": [BASIC]}, {"Proxy-Authorization": ["Basic [redacted:basic-auth]"]}),
    ({"authorization": "Bearer abcdefghijk"}, {"authorization": "Bearer [redacted:secret]"}),
    ({"Authorization": "a1b2c3d4e5f6g7h8i9"}, {"Authorization": "[redacted:secret]"}),
    ({"Cookie": "lang=en; session=a1b2c3d4e5"}, {"Cookie": "lang=en; session=[redacted:cookie]"}),
    ({"set-cookie": ["sid=a1b2c3d4e5; Path=/"]}, {"set-cookie": ["sid=[redacted:cookie]; Path=/"]}),
    ([["Authorization", BASIC]], [["Authorization", "Basic [redacted:basic-auth]"]]),
    ({"password": 98761234, "db_password": 98761234.5}, {"password": PASSWORD, "db_password": PASSWORD}),
    ({"password": {"value": "hunter2"}}, {"password": {"value": PASSWORD}}),
    ({"password": {"new": {"value": 73918264}}}, {"password": {"new": {"value": PASSWORD}}}),
    ({"password": [{"value": "hunter2"}]}, {"password": [{"value": PASSWORD}]}),
    ([{"name": "DB_PASSWORD", "value": "hunter2"}], [{"name": "DB_PASSWORD", "value": PASSWORD}]),
    ({"Value": "hunter2", "Key": "API_TOKEN"}, {"Value": TOKEN, "Key": "API_TOKEN"}),
    ({"name": "authorization", "value": BASIC}, {"name": "authorization", "value": "Basic [redacted:basic-auth]"}),
    (["mysql", "--password", "hunter2", "-h"], ["mysql", "--password", PASSWORD, "-h"]),
    (("--db-password", 73918264), ("--db-password", PASSWORD)),
]


@pytest.mark.parametrize(("value", "wanted"), SECRET, ids=[str(value) for value, _ in SECRET])
def test_a_secret_goes_wherever_its_name_stands_and_the_rest_stays(value: Any, wanted: Any) -> None:
    assert redact_json(value) == wanted
    assert redact_json(wanted) == wanted


HARMLESS: list[Any] = [
    {"password": True, "passwd": None, "pwd": 1, "token": 73918264},
    {"password": {"type": "string", "description": "of the account", "minLength": 8, "title": "Password"}},
    {"password": {"valueFrom": {"secretKeyRef": {"name": "db", "key": "password"}}}},
    {"authorization": "required", "auth": "Authorization"},
    {"Authorization": "Bearer {token}"},
    {"authorization": {"type": "oauth2", "flow": "implicit"}},
    {"cookie": "theme=dark-mode-2024; lang=en"},
    {"name": "get_token", "input": {"value": "a1b2c3d4e5"}, "id": "call_a1b2c3d4e5"},
    {"name": "Forgot your password", "value": "click here"},
    ["--password", "--user", "ann"],
    ["--max-tokens", "4096", "--password"],
    {"required": ["username", "password", "email"]},
]


@pytest.mark.parametrize("value", HARMLESS, ids=str)
def test_what_only_stands_near_such_a_name_stays(value: Any) -> None:
    assert redact_json(value) == value


def test_a_value_is_secret_by_the_name_it_stands_under() -> None:
    value = {"apiKey": ["first", "second"], "db": {"Password": "x y"}, "tokens": "12", "token": 7, "secret": "required"}
    assert redact_json(value) == value | {"apiKey": ["[redacted:api-key]"] * 2, "db": {"Password": PASSWORD}}
    assert redact_json(("a", {JWT: None})) == ("a", {"[redacted:jwt]": None})


def test_messages_stay_messages_and_lose_their_secrets() -> None:
    arguments = json.dumps({"password": "hunter2", "path": "a"})
    run = redact_trajectory(
        parse(
            [
                {"role": "assistant", "tool_calls": [{"function": {"name": "login", "arguments": arguments}}]},
                {
                    "role": "assistant",
                    "content": [{"type": "tool_use", "name": "go", "input": {"password": "hunter2"}}],
                },
                {
                    "role": "tool",
                    "content": "-----BEGIN PRIVATE KEY-----\n" + LETTERS + "\n-----END PRIVATE KEY-----\nok",
                },
            ]
        )
    )
    assert parse(run.text) == run
    assert run.tools_used == ("login", "go")
    assert json.loads(run.calls[0].arguments) == {"password": PASSWORD, "path": "a"}
    assert json.loads(run.calls[1].arguments) == {"password": PASSWORD}
    assert "[redacted:private-key]\\nok" in run.text
    assert redact_trajectory(parse("password = hunter2")).text == f"password = {PASSWORD}"


@pytest.mark.parametrize(
    "key",
    ["turn-1", "sent-8c95ee53c433b09c949cdf01", "token=ghp_" + "a1B2c3D4e5" * 4, "vault-8c95ee53c433b09c949cdf01aa"],
)
def test_the_key_of_a_run_stays_the_same_however_often_it_is_redacted(key: str) -> None:
    stored = storable_key(key)
    assert storable_key(stored) == stored
    assert "a1B2c3D4e5" not in stored


def test_the_key_that_a_client_is_given_for_a_run_that_waits_stays_as_it_is() -> None:
    assert storable_key("sent-8c95ee53c433b09c949cdf01") == "sent-8c95ee53c433b09c949cdf01"
