"""Secrets without a known format: random words, judged by what stands around them."""

from __future__ import annotations

import pytest

from mcp_reflect.domain.redaction.redact import redact, redact_json
from mcp_reflect.domain.redaction.values.letter_model import random_bits

HEX = "6f1e4f6e973c9af43f55490d442a0a19"
UUID = "ec39d559-6057-4d0a-9440-0089877f7978"
MIXED = "kV9pQ2xLr7TzWm4Yc8Hd"
PASSWORD = "tR7wq2XkP9dLm4"


def test_words_and_random_text_are_told_apart_by_their_letters() -> None:
    assert all(random_bits(word) < 0 for word in ("getElementById", "Harbor", "base64EncodedString", "Amber1234"))
    assert all(random_bits(word) > 10 for word in (HEX, MIXED, PASSWORD))


@pytest.mark.parametrize(
    "text",
    [
        f"alg_sk_{HEX}",
        f"VALUE={MIXED}",
        f"BW_SESSION='{MIXED}'",
        f"Zigbee network key: {HEX}",
        f"consul acl set-agent-token default {HEX[:8]}-{HEX[:4]}-4{HEX[:3]}-a{HEX[:3]}-{HEX[:12]}",
        f"conn.simple_bind_s('cn=admin,dc=corp', '{PASSWORD}')",
        f"vsql -h db -U bob -w {PASSWORD} -c 'select 1'",
        f"winexe -U 'corp/bob%{PASSWORD}' //host cmd",
        f"1000.{HEX}.{HEX[::-1]}",
        f"curl -H 'Authorization: Splunk {UUID}' https://logs.corp.com",
        f"https://mainnet.nodes.corp.com/v3/{HEX}",
        f"https://weather.corp.com/data?q=Bern&appid={HEX}",
        f"session.cookies.set('JSESSIONID', '{HEX.upper()}')",
        f"agent committed the key {MIXED}{MIXED} to the repo",
        f"Please use the following password to proceed to installation:\n\n{HEX}\n\nIt is stored in /secrets/x",
        f'["password"]=>\n  string(14) "{PASSWORD}"',
        "&lt;password&gt;Cobalt6929*&lt;/password&gt;",
        "the TOTP seed for the staging admin is 7VSZXF3C6B2WQ2QZ",
        f"mvn verify -Dsonar.login={HEX}12345678",
        f"codecov -t {UUID}",
        "ABCD1-E2FGH-3IJKL-M4NOP-QR5ST",
        "card: 4111 1111 1111 1111",
        "The alarm code is 48213",
    ],
)
def test_random_text_that_its_surroundings_show_to_be_a_secret_goes(text: str) -> None:
    assert "[redacted:" in redact(text)


@pytest.mark.parametrize(
    "text",
    [
        "target_compile_definitions(tracksim PRIVATE _GLIBCXX_USE_CXX11_ABI=0)",
        f"commit {HEX}1234abcd",
        f"https://api.corp.com/v1/users/{HEX}",
        f"https://registry.corp.com/v2/{HEX}/manifests/latest",
        f"press the key {HEX[:8]} or the code {HEX[:10]} is shown",
        "proxy-authorization: the scheme requires-negotiation",
        f'"integrity": "sha512-{MIXED}{MIXED}=="',
        f"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{MIXED}{MIXED} bob@host",
        f"cache key: {HEX}; primary key (17)",
        f'{{"id": "call_{MIXED}", "token_count": 12, "key": "{HEX[:8]}-1234-4abc-8def-{HEX[:12]}"}}',
        f"GET /static/js/main.{HEX[:8]}.chunk.js HTTP/1.1 200",
        f"{HEX}  usr/share/doc/passwd/copyright",
        "#define sk_ESS_CERT_ID_V2_value(sk, idx) ((ESS_CERT_ID_V2 *)OPENSSL_sk_value(sk, idx))",
        "d='M0 0c3.3-7.9 3.3-16.7 0-24.6c-14.9-35.7-46.2-87.7-93-131.1C433.5 68.8'",
        '"output_token": "nextToken"',
    ],
)
def test_hashes_ids_and_names_stay(text: str) -> None:
    assert redact(text) == text


def test_of_json_the_key_says_whether_random_text_is_an_id() -> None:
    value = {"tool_call_id": MIXED, "parentUuid": MIXED, "bridge_token_v2": MIXED, "door_pin": "4821"}
    assert redact_json(value) == {
        "tool_call_id": MIXED,
        "parentUuid": MIXED,
        "bridge_token_v2": "[redacted:random-secret]",
        "door_pin": "[redacted:password]",
    }
