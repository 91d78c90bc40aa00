"""Secrets that only their surroundings tell: parts of keys, manifests, forms, addresses, dialogues, sentences."""

from __future__ import annotations

import base64
import json
import random
import string
from typing import Any

import pytest

from mcp_reflect.domain.redaction.redact import redact, redact_json
from mcp_reflect.domain.redaction.run_secrets import redact_run
from mcp_reflect.domain.trajectory.parsing import Trajectory
from tests.support.linear_time import redacts_in_linear_time

_RANDOM = random.Random(20)


def _data(length: int) -> str:
    return "".join(_RANDOM.choices(string.ascii_letters + string.digits + "+/", k=length))


KEY = [_data(64) for _ in range(6)]
HEX = "7144a6262a997702652f2b23a015da2219027c30d5c984b859a94e7bbe96cc3e"
END = "-----END RSA PRIVATE KEY-----"


def numbered(lines: list[str], sign: str) -> str:
    return "\n".join(f"{number:6}{sign}{line}" for number, line in enumerate(lines, 30))


@pytest.mark.parametrize(
    "text",
    [
        "\n".join([*KEY[2:], END]),
        "\n".join([*KEY[2:], "AwQ=", "-----END OPENSSH PRIVATE KEY-----"]),
        "the file ends in\n\n" + "\n".join([*KEY[2:], "-----END PRIVATE KEY-----", "", "That is all."]),
        numbered([*KEY[2:], END], "→"),
        numbered([*KEY[2:], END], "\t"),
        "\n".join(f"+{line}" for line in [*KEY[2:], END]),
        "\n".join(f"    {line}" for line in [*KEY[2:], END]),
        json.dumps({"output": "\n".join([*KEY[2:], END])}),
        json.dumps(json.dumps({"output": "\n".join([*KEY[2:], END])})),
        "…" + "\n".join([KEY[2][20:], *KEY[3:], END]),
        "$ tail -n 3 ~/.ssh/id_ed25519\n" + "\n".join([*KEY[3:], "-----END OPENSSH PRIVATE KEY-----"]),
        "$ sed -n '2,4p' ~/.ssh/id_rsa\n" + "\n".join(KEY[2:]),
        "$ sed -n 2,4p ~/.ssh/id_ed25519_work\n" + "\n".join(KEY[2:]),
        "$ sed -n 2,4p ~/.ssh/id_rsa.bak\n" + "\n".join(KEY[2:]),
        "$ sed -n 2,4p server.key.old\n" + "\n".join(KEY[2:]),
        "root@web:~# awk 'NR>1' /etc/ssl/private/server.key\n" + "\n".join([*KEY[2:], "Aw=="]) + "\n$ ls\nserver.key",
        json.dumps({"log": "$ head -c 400 deploy_key | tail -n +2\n" + "\n".join(KEY[2:])}),
    ],
)
def test_parts_of_a_private_key_are_redacted(text: str) -> None:
    redacted = redact(text)
    assert not any(line in redacted for line in KEY[3:])
    assert redact(redacted) == redacted


def test_a_call_that_shows_a_part_of_a_key_tells_it() -> None:
    messages: list[dict[str, Any]] = []
    for number, (name, arguments) in enumerate(
        [("Bash", {"command": "sed -n '2,4p' ~/.ssh/id_rsa"}), ("Read", {"file_path": "/root/.ssh/id_ed25519"})]
    ):
        lines = KEY[3 * number : 3 * number + 3]
        call = {"type": "tool_use", "id": str(number), "name": name, "input": arguments}
        result = {"type": "tool_result", "tool_use_id": str(number), "content": numbered(lines, "→")}
        messages += [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
    run = redact_run(Trajectory.of(messages), {"final_response": f"It holds {KEY[4]}."})
    assert not any(line in f"{run.trajectory.text} {run.words}" for line in KEY)


@pytest.mark.parametrize(
    "text",
    [
        "\n".join(["-----BEGIN PUBLIC KEY-----", *KEY[:3], "-----END PUBLIC KEY-----"]),
        "$ sed -n '2,4p' server.crt\n" + "\n".join(KEY[:3]),
        "$ cat ~/.ssh/id_rsa.pub | cut -d' ' -f2\n" + "\n".join(KEY[:2]),
        "$ cat ~/.ssh/id_ed25519_work.pub | cut -d' ' -f2\n" + "\n".join(KEY[:2]),
        "$ grep -c . ~/.ssh/id_rsa\n27\n$ ls ~/.ssh\nid_rsa",
        "$ cat server.key | sha256sum\n" + HEX + "  -",
        "The file lacks its last line.\n-----END RSA PRIVATE KEY-----",
        "check that it ends in -----END PRIVATE KEY----- and in nothing else",
        "$ rg -l api_key\nsrc/main/java/com/example/authentication/KeyProvider",
        "$ grep -rl 'sort_key' .\ntests/integration/ordering/SortKeyOrderingTestCase2",
        "$ rg -o 'fn .*' server.key\ntestForeignKeyConstraintViolationIsRaisedOnInsert",
        "$ head -3 src/api_key.py\nimportosfromtypingimportAnyandmanyotherlettersofonewordwithoutend = 3\nx = 1",
    ],
)
def test_what_is_no_private_key_stays(text: str) -> None:
    assert redact(text) == text


B64 = base64.b64encode(b"rosewood12").decode()
SECRET_AFTER = f"kind: Secret\nmetadata:\n  name: db\ndata:\n  pgadmin: {B64}\n  host: ZGIuaW50ZXJuYWw=\n"
LIST = "items:\n- apiVersion: v1\n  data:\n    a: b\n  kind: ConfigMap\n- apiVersion: v1\n"
CONFIG = f"apiVersion: v1\nkind: ConfigMap\ndata:\n  pgadmin: {B64}\n"


@pytest.mark.parametrize(
    "text",
    [
        SECRET_AFTER,
        f"apiVersion: v1\ndata:\n  config: {B64}\nkind: Secret\n",
        f"{CONFIG}---\n{SECRET_AFTER}".replace(CONFIG, "kind: ConfigMap\ndata:\n  a: b\n"),
        f"{LIST}  data:\n    conn: {B64}\n  kind: Secret",
        f"  1→kind: Secret\n  2→data:\n  3→  conn: {B64}\n",
        json.dumps({"kind": "Secret", "data": {"pgadmin": B64}}),
        json.dumps({"kind": "Secret", "data": {"host": "ZGI=", "config": B64}}, indent=2),
        json.dumps({"output": json.dumps({"kind": "Secret", "data": {"pgadmin": B64}})}),
        f"kind: Secret\nstringData:\n  pgadmin: {B64}\n",
        f'kind: "Secret"\ndata: {{host: ZGI=, pgadmin: {B64}}}',
        f'{{"apiVersion":"v1","kind":"Secret","stringData":{{"conn":"{B64}"}}}}',
        f"kind: Secret\nstringData:\n  # the key\n  api: {B64}\n",
        json.dumps({"log": f"kind: Secret\ndata:\n  # the key\n\n  api: {B64}\n"}),
        f"kind: Secret\ndata:\n\n  api: a2V5cw==\n\n  conn: {B64}\n",
        f"kind: 'Secret'\ndata: # enc\n  api: {B64} # rotated\n",
        f"kind: Secret\ndata:\n  \"conn\": aHVudA==\n  'other': {B64}\n",
        json.dumps(f'kind: Secret\ndata:\n  "conn": {B64}\n  "x": "{B64}"\n'),
        f"kind: Secret\ndata:\n  conn:\n    {B64}\n  host: ZGIuaW50ZXJuYWw=\n",
        f"kind: Secret\ndata:\n  conn: !!binary {B64}\n",
        f"kind: Secret\ndata:\n  conn: !!binary |\n    {B64}\n",
        f'kind: Secret\nstringData:\n  conn: "a\\"b {B64}"\n  note: it\'s\n',
        f"kind: Secret\nstringData:\n  note: it's so\n  conn: {B64}\n",
        json.dumps({"kind": "Secret", "stringData": {"conf": f'a\n"pin" {B64}', "b": "c"}}),
        json.dumps({"log": json.dumps({"kind": "Secret", "stringData": {"conf": f'a\n"pin" {B64}\\'}})}),
    ],
)
def test_the_values_of_a_secret_of_kubernetes_go_whatever_their_keys_are(text: str) -> None:
    assert B64 not in redact(text)


@pytest.mark.parametrize(
    "text",
    [
        CONFIG,
        f"{CONFIG}---\nkind: Secret\nmetadata:\n  name: x\n",
        f"data:\n  pgadmin: {B64}\n",
        json.dumps({"kind": "ConfigMap", "data": {"pgadmin": B64}}),
        json.dumps({"data": {"pgadmin": B64}, "kind": "ConfigMap"}, indent=2),
        "kind: Secret\ndata:\n  host: ZGIuaW50ZXJuYWw=\n  port: NTQzMg==\n",
        f"kind: ConfigMap\ndata:\n  # the key\n  api: {B64}\n\n  'conn': {B64}\n",
        "kind: Secret\nstringData:\n  username: shop # of the shop\n\n# the end\ntype: Opaque\nimmutable: true\n",
        "kind: SecretStore\ndata:\n  region: ZXUtd2VzdA==\n  bucket: c2hvcA==\n",
    ],
)
def test_values_of_other_manifests_stay(text: str) -> None:
    assert redact(text) == text


def test_objects_of_json_say_what_their_members_are() -> None:
    manifest = {"kind": "List", "items": [{"kind": "Secret", "data": {"pgadmin": B64, "host": "ZGIuaW50ZXJuYWw="}}]}
    assert redact_json(manifest)["items"][0]["data"] == {"pgadmin": "[redacted:secret]", "host": "ZGIuaW50ZXJuYWw="}
    typed = {"element": "Password field", "ref": "e12", "text": "quietOwl"}
    assert redact_json(typed) == typed | {"text": "[redacted:password]"}
    for field in ({"field": "password", "value": "Must7-Rose"}, {"name": "password", "value": "hunter2-blue"}):
        assert redact_json(field)["value"] == "[redacted:password]"
    for other in (
        {"element": "Password field", "text": "Required"},
        {"element": "Search", "text": "quietOwl"},
        {"field": "password", "value": "minLength8"},
        {"label": "Password", "text": "Must contain 8"},
        {"target": "password", "value": "bcrypt2b"},
    ):
        assert redact_json(other) == other
        assert redact(json.dumps(other)) == json.dumps(other)


@pytest.mark.parametrize(
    ("secret", "text"),
    [
        (HEX, f"$ vault operator unseal {HEX}"),
        (HEX, f"vault operator unseal -address=https://v:8200 {HEX} && vault status"),
        ("ab-Gi4idaYZ-k2aL", "https://conda.anaconda.org/t/ab-Gi4idaYZ-k2aL/myorg"),
        (HEX[:40], f"channels:\n  - https://conda.corp.example/t/{HEX[:40]}/main"),
        ("b0bsled!", "sign in as bob@corp.example with b0bsled!"),
        ("Tulpe-Nord7", "I logged in to grafana as ops with Tulpe-Nord7 and it worked"),
        ("gardenGnome", "creds for grafana are admin:gardenGnome"),
        ("gardenGnome", "grafana creds: admin:gardenGnome"),
        ("willowPatch3", "we changed the db password from willowPatch3 to the new one"),
        ("quietOwl", 'browser_type element="Password field" ref=e12 text="quietOwl"'),
        ("gardenGnome4", "The credentials for the demo box are ann@corp.example:gardenGnome4, use them."),
        ("willowPatch3", "I changed it from willowPatch3 to the new password yesterday, but the old one still works"),
        ("cinderBlock3", "DEBUG auth: attempting login user=bob credential=cinderBlock3"),
        ("Kettle-drum9", "Password:\nKettle-drum9\nLogin ok"),
        ("Kettle-drum9", json.dumps({"output": "Password for ann: \nKettle-drum9\nWelcome to web-3\n"})),
        ("quietOwl88", json.dumps({"tool": "browser_type", "element": "Password field", "text": "quietOwl88"})),
        ("quietOwl", json.dumps({"selector": "input[name=password]", "value": "quietOwl"})),
        ("Kettle-drum9", "TF_VAR_db_master=Kettle-drum9 terraform apply"),
    ],
)
def test_surroundings_tell_a_secret(secret: str, text: str) -> None:
    redacted = redact(text)
    assert secret not in redacted
    assert "[redacted:" in redacted


@pytest.mark.parametrize(
    "text",
    [
        "PGPASSWORD= psql -h localhost",
        "MYSQL_PWD= PGPASSWORD= make test",
        "DB_PASSWORD= PGHOST=db PGPORT=5433 ./bin/migrate up",
        "DB_PASSWORD= python3.11 -m app",
        "token_type=bearer expires_in=3600",
        "order ord_1MqLN2eZvKYlo2C8x7pQ paid, invoice inv_9MqLN2eZvKYlo2C8x7pQ sent",
        "vault operator unseal $UNSEAL_KEY",
        "vault operator unseal -reset",
        "https://forum.example.org/t/how-to-fix-numpy-1-26/1234",
        "https://discuss.example.org/t/upgrading-to-python-3-12-breaks-things/55/2",
        "GET /t/orders/2024-01-02/items",
        "sign in as bob@corp.example with your password",
        "log in as root with sudo, then run the import",
        "signed in as a guest with limited rights",
        "the credentials for staging are in vault:secret/db",
        "creds for grafana are stored elsewhere",
        "creds: Token:Bearer, creds: file:credentials",
        "we changed the password policy from weak to the new one",
        "I changed it from bcrypt to the new password hasher",
        "we moved from sha256 to the new token format",
        "Password:\nincorrect\nLogin failed",
        "Password:\n\nLogin ok",
        json.dumps({"element": "Password toggle", "text": "Show"}),
        json.dumps({"label": "Password", "text": "Forgot your password?"}),
        "TF_VAR_db_master=db-master-1.internal TF_VAR_admin=alice terraform plan",
        "login user=bob credential=none",
    ],
)
def test_innocent_surroundings_stay(text: str) -> None:
    assert redact(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "PGPASSWORD= Zx9!kkLqw27T",
        "DB_PASSWORD= tulip\n",
        "DB_PASSWORD= hunter2 ; the db",
        "DB_PASSWORD= hunter2 // x",
        "DB_PASSWORD= hunter2 extra",
        "DB_PASSWORD= hunter2 \\",
        "DB_PASSWORD= hunter2 and DB_HOST=x",
        "DB_PASSWORD= swordfish9 DB_HOST: x",
        "DB_PASSWORD= tr0ub4dor (prod)",
        "DB_PASSWORD= passw.rd12 (prod)",
        "DB_PASSWORD= letmein-42 (prod)",
        "DB_PASSWORD= ABC1=hunter2 x",
        "MYSQL_PWD= trustno1 mysql -u root",
        "Authorization: Bearer a1b2c3d4e5f6",
        "Bearer a_b=cdefgh123456",
    ],
)
def test_a_secret_where_the_innocent_stands_goes_nevertheless(text: str) -> None:
    assert "[redacted:" in redact(text)


@pytest.mark.parametrize(
    "unit",
    [
        "AAAA" * 16 + "\n",
        END + "\n",
        "kind: Secret\ndata:\n",
        '{"kind":"Secret","data":{"a":"',
        "$ cat id_rsa\n",
        "data: ",
        "data:\n  a: bcde\n",
        "  data: bcde\n",
        "  data: b-c-d-e\n",
        'data:\n  a: "b\\"c\n',
        "data:\n  # remark\n\n",
        '"element": "Password", ',
        "https://h/t/",
        "Password:\n",
    ],
)
def test_the_time_stays_linear(unit: str) -> None:
    assert redacts_in_linear_time(unit, end="kind: Secret")
