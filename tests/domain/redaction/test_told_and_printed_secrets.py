"""Secrets that prose, columns, objects and commands tell without a name right before them."""

from __future__ import annotations

import json

import pytest

from mcp_reflect.domain.redaction.redact import redact
from mcp_reflect.domain.redaction.run_secrets import redact_trajectory, without_words
from mcp_reflect.domain.trajectory.parsing import parse

HEX = "943403b8172536b9837c9a5ab95a8af88c99236d401f142308e070c7f790efb0"


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("I changed the password of the database user to Tinte-Feder-61 and it works.", "Tinte-Feder-61"),
        ("The key's passphrase is 'old barns hum at dusk', sign it.", "barns hum"),
        ("gh secret set DEPLOY_PHRASE_PASSWORD --body 'seven swans over Lund' --repo a/b", "swans"),
        ("kubectl create secret generic x --from-literal=mnemonic='pilot velvet otter'", "velvet"),
        ("fly secrets set STRIPE=Tinte-Feder-61", "Tinte"),
        ("The PIN for the staging panel is 739105, use it.", "739105"),
        ('{"card": 1, "cvc": "613"}', "613"),
        ("Two-factor login is on. Backup codes: 52059575, 34545692.", "34545692"),
        (f"Use this token for Linode while mine is being renewed: {HEX} and sync", HEX),
        ("log in with bob / kelp!Harbour8 to see it", "Harbour8"),
        ('{"type":"random_password","instances":[{"attributes":{"length":20,"result":"x%9Lq7Rv(2Tz"}}]}', "9Lq7"),
        ('{"id": "pw", "type": "CONCEALED", "value": "tulip-field"}', "tulip"),
        ("NAME   SCOPE   TOKEN             AGE\nci     write   ui@^2v1d2a2jkx)+  3d\n", "2v1d2a"),
        ("kind: Secret\nstringData:\n  app.ini: |\n    [db]\n    pin=tulips\n  other: rose4\n", "tulips"),
    ],
)
def test_a_secret_goes_where_its_sentence_column_or_command_tells_it(text: str, secret: str) -> None:
    redacted = redact(text)
    assert secret not in redacted
    assert redact(redacted) == redacted


@pytest.mark.parametrize(
    "text",
    [
        "The router is deployed at 0xea1557086b66350a04277c5f9a84304661a26540 on mainnet.",
        "stripe.setPublishableKey('pk_live_k5a9w9ANDlZNfdX59BgDjPus');",
        "STRIPE_SECRET_KEY=sk_test_...",
        "OPENAI_API_KEY=sk-your-key-here",
        "https://hooks.slack.com/services/XXX/YYY/ZZZ",
        "Recovery codes: 5 left",
        "Backup codes are stored in 20240101 files",
        "NAME   READY   SECRET    AGE\nweb    True    web-tls   3d\n",
        "I set the password to expire and changed the secret to a reference.",
        'resolved "https://pkg.test/js-tokens/-/js-tokens-6.0.0.tgz#ec4ab0a2d6a5397f597b9386c3f00a6b04de0296"',
        "kubectl create configmap x --from-literal=level=debug1",
    ],
)
def test_what_only_resembles_one_stays(text: str) -> None:
    assert redact(text) == text


def _run(command: str, output: str) -> str:
    messages = [
        {"role": "user", "content": "Mend the sync"},
        {
            "role": "assistant",
            "tool_calls": [{"id": "c", "function": {"name": "bash", "arguments": json.dumps(command)}}],
        },
        {"role": "tool", "tool_call_id": "c", "content": output},
        {"role": "assistant", "content": f"It printed {output}."},
    ]
    return redact_trajectory(parse(messages)).text


@pytest.mark.parametrize(
    "command", ["op read op://prod/db/password", "jq -r .db.password conf.json", "cat /run/secrets/db"]
)
def test_a_secret_that_a_command_prints_alone_goes_from_the_whole_run(command: str) -> None:
    assert "hM4_vCz9-rTq7" not in _run(command, "hM4_vCz9-rTq7")


def test_words_are_replaced_in_every_string_the_longest_first() -> None:
    told = {"said": ("secret-1 and secret-12",), "kept": 12, "names": {"secret-1": ["secret-12"]}}
    mark = "[redacted:secret]"
    found = without_words(told, {"secret-1", "secret-12"})
    assert found == {"said": (f"{mark} and {mark}",), "kept": 12, "names": {mark: [mark]}}


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("grep -c password conf.json", "1234567"),
        ("git rev-parse token-branch", "ec4ab0a2d6a5397f597b9386c3f00a6b04de0296"),
        ("ls secrets/", "database.yaml"),
        ("make sync", "hM4_vCz9-rTq7"),
    ],
)
def test_other_words_that_commands_print_stay(command: str, output: str) -> None:
    assert output in _run(command, output)
