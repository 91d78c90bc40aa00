"""Passwords that their own form shows, where a name, an account or a file of accounts stands near them."""

from __future__ import annotations

import pytest

from mcp_reflect.domain.redaction.redact import redact
from mcp_reflect.domain.redaction.values.chosen_words import is_drawn_or_disguised, looks_chosen
from tests.support.linear_time import redacts_in_linear_time

BEHIND_A_NAME = (
    ("IPSec ID staff\nIPSec secret «gr0upKeyStaff»\nXauth username bo\n"),
    ('username "Auth" bob\npassword "Auth" «9SmTX6c»\n'),
    ("set service snmp community «cl1ffside» authorization ro\n"),
    ("La password è «Noce304!», grazie."),
    ("neo4j-admin dbms set-initial-password «Lagoon115»"),
    ("userlist ops\n  user joe insecure-password «harborSeal»\n"),
    ("config user local\n edit bob\n  set passwd «nectar-orchid»\n next\nend"),
    ('net { shared-secret "«zwei Dosen Lack»"; }\n'),
    ("icesecretwrite=«7yund34art»\n"),
    ("Passwort für den Server: «Regen-Schirm9», danke"),
    ("пароль от базы: «Zima_2026x», логин app"),
    ("The vault password in CI is called «moose-antler-12»."),
    ("The root password changed to «letmein9»."),
    ("log in as qa@corp.com, pw «tangerine-39», and open the page"),
    ("パスワードは «Sakura#2024» です。"),
    ("비밀번호는 «Tulip77» 입니다"),
)
IN_RECORDS = (
    ("# /etc/exim4/passwd.client\n*.smarthost.example.net:mailer:«kJh7_plover»\n"),
    ("[admins]\nadmin = «relax.Sofa»\n\n[chttpd]\nport = 5984\n"),
    ("# zabbix_agentd.psk, 256 bit\n«" + "819949bfbe45871c718803eba62ed946" * 2 + "»\n"),
    ("mirror:«two!Penguins»\n"),
    ("erika:{PLAIN}«Lavendel-77»:1001:1001::/home/erika\n"),
    ('"app" "«kestrel_dune»"\n'),
)
BESIDE_AN_ACCOUNT = (
    ("createUser bob SHA «Falcon!881» AES x"),
    ("transmission-remote 10.0.0.4 -n bob:«Rose!77» -l"),
    ("register => sales:«p0rzellan»@iax.example.org"),
    ("kadmin -q listprincs -w «realm!Keeper5»"),
    ('child.expect("assword:")\nchild.sendline("«Pebble162!»")'),
)
AS_A_KEY = (
    ("config wifi-iface 'default_radio0'\n\toption key '«Spaetkauf24h»'\n"),
    ("advanced:\n  network_key: [«145, 214, 104, 185, 147, 63, 252, 136, 22, 95, 221, 114, 149, 94, 167, 81»]\n"),
    ("define( 'NONCE_SALT', '«uB|?8+c-2Hn)K}e>Zr@5yL.;Wq6tX<aV»' );\n"),
)


@pytest.mark.parametrize("marked", [*BEHIND_A_NAME, *IN_RECORDS, *BESIDE_AN_ACCOUNT, *AS_A_KEY])
def test_a_password_is_replaced_and_the_rest_stays(marked: str) -> None:
    before, secret, after = marked.replace("»", "«").split("«")
    redacted = redact(before + secret + after)
    assert secret not in redacted
    assert redacted.startswith(before)
    assert redacted.endswith(after)
    assert redact(redacted) == redacted


@pytest.mark.parametrize(
    "text",
    [
        "Sure, my user ID is sophia_silva_7557 and the reservation is JG7FMM.",
        "user_home = Path(os.path.expanduser('~'))  # noqa: PTH111 - raises for a user without one",
        "oauthlib/resource_owner_password_credentials.py,sha256=wZopQGnJbqM6cs6bM1DmOGNaqtPWgiS1gXT1z1Y4-gY,7598",
        "fatal: could not read Password for 'https://git.example.org': terminal prompts disabled",
        "Signature made Mon 02 Mar 2026 using EDDSA key 09AB566C348F0FAD",
        "File.java: decryptEncryptedDataEncryptionKey(HdfsKMSUtil.java:212) ERROR!",
        "docker build -t app:build77 . && docker push registry.corp.com/app:build77",
        "bw get password github.com",
        "claude-code:255bdabf-8cee-4b94-8b66-21f0c91cae4e#2",
        "codex:4d4115b3ecbb9e12#3",
        '7z x -p"$ARCHIVE_PASSWORD" backup.7z -oout',
        "cargo test --offline -p ledger-core",
        "placeDep ROOT cookie-signature@1.2.2 OK for: express@5.3.0 want: ^1.2.1",
        "PASS: Run pr18718 with PIC (3)",
        "password = getP4variable('P4PASSWD')",
        "secret_ref: Optional[V1SecretReference] = Field(default=None)",
        "2025-06-24 14:36:33 install libnsl2:amd64 <none> 1.3.0-2",
        "sort_key = [10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110, 120, 130]",
        'input[type="password"]:focus-visible{outline:2px solid #2563eb}',
        "  + password               = (sensitive value)",
        "password: !secret db_password",
        "cache key: npm-Linux-8f4b1a0c2d9e7f6a5b4c3d2e1f0a9b8c7d6e5f4a3b2c1d0e9f8a7b6c5d4e3f2a",
        "FROM python:3.12-slim@sha256:2bac43769ace90ebd3ad83e5392295e25dfc58e58543d3ab326c3330b505283d",
        "La contraseña es incorrecta",
        "login.forgotPassword: Forgot your password?",
        '"password": "Passwort",',
        "パスワードは12文字以上で入力してください。",
        "0.00user 0.01system 0:00.04elapsed 25%CPU (0avgtext+0avgdata 0maxresident)k",
    ],
)
def test_names_versions_ids_and_code_near_the_name_of_a_secret_stay(text: str) -> None:
    assert redact(text) == text


@pytest.mark.parametrize("word", ["Winter2026!", "m1strAl-wind", "kJh7_plover", "two!Penguins", "z3phyr302"])
def test_the_form_of_a_chosen_password(word: str) -> None:
    assert looks_chosen(word)


@pytest.mark.parametrize("word", ["c0nsole7", "two!Penguins", "pmDf7mNCvzP"])
def test_the_form_of_a_password_that_needs_no_name(word: str) -> None:
    assert is_drawn_or_disguised(word)


@pytest.mark.parametrize("line", ["user a", "password x", "mirror:a", '"app" "', "# /etc/passwd\na:", "key: [1, 2, "])
def test_long_odd_lines_take_time_in_proportion(line: str) -> None:
    assert redacts_in_linear_time(line)
