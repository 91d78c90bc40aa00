"""Secrets out of text and of messages, and nothing else with them."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_reflect.domain.redaction.patterns import secret_patterns
from mcp_reflect.domain.redaction.redact import redact
from tests.support.linear_time import redacts_in_linear_time

LETTERS = "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0z"
# Put together here, so that scanners of this repository find no whole one.
KEY_BODY = r"MIIEpAIBAAKCAQEA1c7\nq0b2Xk9u3VYw8eZ5tR6mPqLsTjFhGdBnVcXz\n"
JWT = f"eyJ{LETTERS}.eyJ{LETTERS}.{LETTERS}"
SECRETS = [
    ("aws-access-key", "AKIA" + "J7Q2M4X6B8D1F3H5"),
    ("openai-key", "sk-" + "proj-" + LETTERS),
    ("openai-key", "sk-" + LETTERS),
    ("anthropic-key", "sk-" + "ant-api03-" + LETTERS),
    ("github-token", "ghp_" + LETTERS + "abcde"),
    ("github-token", "github_pat_" + LETTERS),
    ("gitlab-token", "glpat-" + LETTERS),
    ("slack-token", "xoxb-" + "123456789012-" + LETTERS),
    ("slack-webhook", "https://hooks.slack.com/services/" + "T012345/B012345/" + LETTERS),
    ("stripe-key", "sk_live_" + LETTERS),
    ("google-api-key", "AIza" + LETTERS + "abcd"),
    ("npm-token", "npm_" + LETTERS + "abcde"),
    ("pypi-token", "pypi-" + "AgEIcHlwaS5vcmc" + LETTERS * 3),
    ("huggingface-token", "hf_" + LETTERS + "abcd"),
    ("sendgrid-key", "SG." + LETTERS[:22] + "." + (LETTERS * 2)[:43]),
    ("telegram-token", "123456789:" + LETTERS + "abcd"),
    ("twilio-key", "SK" + "0123456789abcdef" * 2),
    ("twilio-key", "AC" + "0123456789abcdef" * 2),
    ("mailchimp-key", "0123456789abcdef" * 2 + "-us12"),
    ("square-secret", "sq0csp-" + (LETTERS * 2)[:43]),
    ("jwt", JWT),
    ("private-key", f"-----BEGIN RSA PRIVATE KEY-----\n{KEY_BODY}-----END RSA PRIVATE KEY-----".replace(r"\n", "\n")),
    ("private-key", f"-----BEGIN OPENSSH PRIVATE KEY-----\\n{KEY_BODY}-----END OPENSSH PRIVATE KEY-----"),
    ("private-key", "-----BEGIN PRIVATE KEY-----\n" + LETTERS * 2),
]


@pytest.mark.parametrize(("kind", "secret"), SECRETS, ids=[kind for kind, _ in SECRETS])
def test_a_known_format_is_replaced_wherever_it_stands(kind: str, secret: str) -> None:
    mark = f"[redacted:{kind}]"
    for before, after in (("", ""), ("use ", " now"), ('"', '"'), ("(", ")"), (r"line\n", r"\nline"), ("a,", ",b")):
        assert redact(before + secret + after) == before + mark + after


PASSWORD = "[redacted:password]"
NAMED = [
    ("password = hunter2", f"password = {PASSWORD}"),
    ("password: hunter2, user: bob", f"password: {PASSWORD}, user: bob"),
    ("export DB_PASSWORD='hunter two'", f"export DB_PASSWORD='{PASSWORD}'"),
    ('{"password": "hunter2", "n": 1}', f'{{"password": "{PASSWORD}", "n": 1}}'),
    (r"{\"password\": \"hunter2\"}", rf"{{\"password\": \"{PASSWORD}\"}}"),
    ("login(password='hunter2')", f"login(password='{PASSWORD}')"),
    ("(password=hunter2)", f"(password={PASSWORD})"),
    ("<password>hunter2</password>", f"<password>{PASSWORD}</password>"),
    ("mysql --password hunter2 -h db", f"mysql --password {PASSWORD} -h db"),
    ("sshpass -p hunter2 ssh x", f"sshpass -p {PASSWORD} ssh x"),
    ("API_KEY=abcdef123456", "API_KEY=[redacted:api-key]"),
    # Unicode's other letters k and s
    ("api_\u212aey=abcdef123456", "api_\u212aey=[redacted:api-key]"),
    ("pa\u017f\u017fword=hunter2", f"pa\u017f\u017fword={PASSWORD}"),
    ("X-Api-Key: abcdef123456", "X-Api-Key: [redacted:api-key]"),
    ('os.environ["API_KEY"] = "abc123def"', 'os.environ["API_KEY"] = "[redacted:api-key]"'),
    ("https://x/y?access_token=abcdefgh1&z=1", "https://x/y?access_token=[redacted:token]&z=1"),
    ("//registry.example/:_authToken=abcdefgh1", "//registry.example/:_authToken=[redacted:token]"),
    ("AWS_SECRET_ACCESS_KEY=wJalr/XUtn+FEMI", "AWS_SECRET_ACCESS_KEY=[redacted:aws-secret-key]"),
    ("client_secret: 'abcdefgh'", "client_secret: '[redacted:secret]'"),
    ("postgres://bob:s3cr:et@db:5432/x", "postgres://bob:[redacted:url-password]@db:5432/x"),
    ("redis://:s3cret@db", "redis://:[redacted:url-password]@db"),
    ("Authorization: Bearer abcdefgh1", "Authorization: Bearer [redacted:bearer-token]"),
    ("authorization: basic Ym9iOnNlY3JldA==", "authorization: basic [redacted:basic-auth]"),
    ("Authorization: token abcdefgh", "Authorization: token [redacted:secret]"),
    ("curl -u bob:s3cret https://x", "curl -u bob:[redacted:basic-auth] https://x"),
    ("docker exec web curl -u bob:s3cret x", "docker exec web curl -u bob:[redacted:basic-auth] x"),
    ('"Authorization": "a1b2c3d4e5f6g7h8"', '"Authorization": "[redacted:secret]"'),
    # A bare word is a value where a variable cannot stand.
    ("POSTGRES_PASSWORD=supersecret", f"POSTGRES_PASSWORD={PASSWORD}"),
    (r"up\nexport DB_PASSWORD=my_secret_password\n", rf"up\nexport DB_PASSWORD={PASSWORD}\n"),
    ("docker run -e POSTGRES_PASSWORD=mysecretpassword db", f"docker run -e POSTGRES_PASSWORD={PASSWORD} db"),
    ("db.host=x\ndb_password=mysecretpassword\n", f"db.host=x\ndb_password={PASSWORD}\n"),
    ("password=abc(def)123", f"password={PASSWORD}"),
    # An escaped quote does not end a value, whatever it is quoted within.
    (r"password='it\'s hunter2'", f"password='{PASSWORD}'"),
    (r"password='hunter2\\\\' x", f"password='{PASSWORD}' x"),
    (r"path='C:\a', password='C:\hunter2\'", rf"path='C:\a', password='{PASSWORD}'"),
    (r'{"password": "a\"b hunter2", "n": "x"}', f'{{"password": "{PASSWORD}", "n": "x"}}'),
    (r"{\"password\": \"a\\\"b hunter2\", \"n\": \"x\"}", rf"{{\"password\": \"{PASSWORD}\", \"n\": \"x\"}}"),
    # What commands, statements and headers say without a name and a sign
    ("mysql -h db -u root -phunter2 shop", f"mysql -h db -u root -p{PASSWORD} shop"),
    ("mysqldump -phunter2 shop", f"mysqldump -p{PASSWORD} shop"),
    ("docker login -u bob -p hunter2 ghcr.io", f"docker login -u bob -p {PASSWORD} ghcr.io"),
    ("CREATE USER bob IDENTIFIED BY 'hunter2';", f"CREATE USER bob IDENTIFIED BY '{PASSWORD}';"),
    ("create user 'bob'@'%' identified by 'hunter2'", f"create user 'bob'@'%' identified by '{PASSWORD}'"),
    (r"ALTER ROLE bob WITH PASSWORD \'hunter2\'", rf"ALTER ROLE bob WITH PASSWORD \'{PASSWORD}\'"),
    ("create role bob login password 'hunter2'", f"create role bob login password '{PASSWORD}'"),
    ("Cookie: theme=dark; session=a1b2c3d4e5; lang=en", "Cookie: theme=dark; session=[redacted:cookie]; lang=en"),
    ("set-cookie: PHPSESSID=a1b2c3d4e5; HttpOnly", "set-cookie: PHPSESSID=[redacted:cookie]; HttpOnly"),
]


@pytest.mark.parametrize(("text", "wanted"), NAMED, ids=[text for text, _ in NAMED])
def test_of_what_a_name_is_given_only_the_secret_is_replaced(text: str, wanted: str) -> None:
    assert redact(text) == wanted


HARMLESS = [
    "commit 3f786850e387550fdab836ed7e6dc881de23001b",
    "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "id 550e8400-e29b-41d4-a716-446655440000",
    "max_tokens=500, token count: 12, tokens: 512",
    '{"max_tokens": 4096, "token_type": "bearer", "next_page": 2}',
    "password: ",
    "password: \nnext line",
    r"password: \nnext line",
    "the password is required",
    "Password: required",
    "password must be at least 8 characters",
    "api_key=<your-key>",
    'api_key = "<your-key>"',
    "api_key: YOUR_API_KEY",
    "password=$API_KEY",
    "token: ${TOKEN}",
    "secret: {{ vault.secret }}",
    'key = os.environ["API_KEY"]',
    'api_key = os.environ["API_KEY"]',
    "password = getpass.getpass()",
    "def login(user: str, password: str, token: str | None = None) -> None:",
    "token=token, password=self.password, api_key=openai_api_key",
    "password: ********",
    "password: [redacted:password]",
    "PWD=/home/bob",
    "task-management-system-for-2024-users",
    "bearer authentication required",
    "https://host:8080/path@x and http://a:8080\\nbob@example.org",
    "docker run -u 1000:1000 -u node:node",
    "docker run -u node:node1 x",
    "chown -u www-data:www-data2 /srv",
    "docker run --name mysql -p3306:3306 -p 8080:80 mysql:8",
    "mysql -u root -p shop",
    "docker login -u bob -p $TOKEN --password-stdin",
    "every row is identified by 'customer_id'",
    "CREATE USER bob IDENTIFIED BY '$PASSWORD'; ALTER ROLE bob WITH PASSWORD '${PASSWORD}'",
    "connect(HOST=host, PASSWORD=db_password, PORT=port)",
    "login(user=user, password=password)",
    "connect(\n    user=user,\n    password=db_password,\n)",
    "password=default_password\n",
    "DB_PASSWORD=DB_PASSWORD_FROM_ENV",
    "password=load(name)[0].password",
    "authorization: oauth2_authorization_header",
    "Cookie: theme=dark-mode-2024; lang=en; session=<id>",
    "the session cookie: session=None",
    "-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBaMQsw\n-----END CERTIFICATE-----",
]


@pytest.mark.parametrize("text", HARMLESS)
def test_what_is_no_secret_stays(text: str) -> None:
    assert redact(text) == text


FRAGMENTS = [secret for _, secret in SECRETS] + [text for text, _ in NAMED] + HARMLESS
FRAGMENTS += ["password=", "token: ", '"', "'", "\\", "\\n", "\n", " ", "-u a:", "Bearer ", "://a:", "@", "[redacted:"]


@given(st.lists(st.sampled_from(FRAGMENTS) | st.text(max_size=4), max_size=8).map("".join))
def test_redacting_again_changes_nothing(text: str) -> None:
    once = redact(text)
    assert redact(once) == once


BEGINNINGS = sorted({hint for known in secret_patterns() for hint in known.hints})
BEGINNINGS += ["stringData:\n  ", "password", "secret", "login", "key", "Cookie", "env:\n  - name: "]
ENDS = ["", " ", " " * 12, "\t", "\n", "\n  ", ":", "=", '"', "'", "\\", "\\n", "|", ",", "0", "a", "$", "é"]


@given(st.lists(st.sampled_from(BEGINNINGS) | st.sampled_from(ENDS), max_size=12).map("".join))
def test_what_only_begins_like_a_secret_is_read_without_an_error(text: str) -> None:
    assert isinstance(redact(text), str)


@pytest.mark.parametrize("levels", [1, 2, 3])
def test_numbers_in_json_text_are_replaced_so_that_it_stays_json(levels: int) -> None:
    text = json.dumps({"user": "ann", "password": 73918264, "db_password": [73918265, 1], "n": {"pwd": -7391.5}})
    for _ in range(levels - 1):
        text = json.dumps(text)
    redacted: Any = redact(text)
    for _ in range(levels):
        redacted = json.loads(redacted)
    assert redacted == {"user": "ann", "password": PASSWORD, "db_password": [PASSWORD, 1], "n": {"pwd": PASSWORD}}
    assert redact("{'password': 73918264}") == f"{{'password': '{PASSWORD}'}}"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["traj_tau_airline_gpt4o", "traj_reflexion_hotpotqa", "reflexion_prog"])
def test_real_runs_without_secrets_are_not_touched(shared_data: Path, name: str) -> None:
    text = (shared_data / f"{name}.jsonl").read_text("utf-8")
    assert redact(text) == text


@pytest.mark.slow
def test_of_real_bug_reports_only_the_secrets_in_them_go(shared_data: Path) -> None:
    text = redact((shared_data / "gitbugs_hadoop.jsonl").read_text("utf-8"))
    marks = re.findall(r"\[redacted:([a-z-]+)\]", text)
    # Looked at one by one: passwords and keys in URLs, settings and a command, and a session's token in a link.
    assert sum(kind != "random-secret" for kind in marks) == 10
    # Random text without a name: ids of messages and documents, which cannot be told from secrets.
    assert marks.count("random-secret") <= 20


HOSTILE = ["password=", 'password="', "eyJ", "sk-", "-----BEGIN PRIVATE KEY-----\n", "://a:", "--a-", "\\", "bearer  "]


@pytest.mark.slow
@pytest.mark.parametrize(
    "piece", [*HOSTILE, '2024-01-01 INFO worker: request 3f786850e387 done, token_count=12, "x"\n']
)
def test_a_million_characters_take_linear_time(piece: str) -> None:
    assert redacts_in_linear_time(piece), "within a piece of a long text"
    assert redacts_in_linear_time(piece, size=250_000)


def test_patterns_of_vendors_are_compiled_when_a_text_has_their_prefix() -> None:
    code = (
        "from mcp_reflect.domain.redaction.by_pattern.vendor_prefixes import VENDOR_PREFIXES\n"
        "from mcp_reflect.domain.redaction.patterns import secret_patterns\n"
        "from mcp_reflect.domain.redaction.redact import redact\n"
        "of_vendors = secret_patterns()[-len(VENDOR_PREFIXES):]\n"
        "def compiled(): return [each.kind for each in of_vendors if 'search' in vars(each.pattern)]\n"
        "redact('Fix the parser')\n"
        "assert len(of_vendors) > 150 and not compiled(), compiled()\n"
        f"redact('ghp_{LETTERS}abcde')\n"
        "assert compiled() == ['github-token'], compiled()\n"
        "assert all(each.pattern.flags for each in of_vendors)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize(("start", "unit"), [("", "token-"), ("%", "25"), ("", "secret ")])
def test_words_about_secrets_and_layers_of_encoding_take_linear_time(start: str, unit: str) -> None:
    text = start + unit * 2_000
    assert redact(text) == text
    assert redacts_in_linear_time(unit, start=start)


def test_a_secret_in_parts_and_by_position_goes() -> None:
    assert redact('send("a", "b")\nlogin("bob", "Vq7!rT2x")') == 'send("a", "b")\nlogin("bob", "[redacted:password]")'
    assert redact('api_key = "aB3dE5gH7j" + "K9mN1pQ2rS"') == 'api_key = "[redacted:api-key]"'
    assert redact("deploy --password \\\n  Vq7rT2xZ9 \\\n  --now") == "deploy --password [redacted:password] --now"
    assert redact("cat > a \\\n  b && x = 'a' + 'b'") == "cat > a \\\n  b && x = 'a' + 'b'"
