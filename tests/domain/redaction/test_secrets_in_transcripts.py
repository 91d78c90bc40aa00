"""Secrets in what people paste of a terminal or a dialogue, passphrases of joined words, and ids that stay."""

from __future__ import annotations

import pytest

from mcp_reflect.domain.redaction.redact import redact

HEX = "943403b8172536b9837c9a5ab95a8af88c99236d401f142308e070c7f790efb0"
WORDS = "otter-velvet-saddle-thunder"
DRAWN = "aZ3kQ9vLm2XsT7bWc5Rd"


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        (f"$ openssl rand -hex 32\n{HEX}", HEX),
        (f"root@web1:~# security find-generic-password -s acme -w\n{WORDS}", WORDS),
        (f"bob@web1:/srv$ echo $DB_PASSWORD\n{WORDS}\nbob@web1:/srv$ exit", WORDS),
        ("It says:\n$ op read op://prod/db/password\nhM4_vCz9-rTq7", "hM4_vCz9"),
        ("C: AUTH LOGIN\nS: 334 UGFzc3dvcmQ6\nC: NkhXcHhDUn5wMmdZa2t6MA==\nS: 235 ok", "NkhXcHhDUn5w"),
        (f"Administrator:500:aad3b435b51404eeaad3b435b51404ee:{HEX[:32]}:::", HEX[:32]),
        ("[Note] A temporary password is generated for root@localhost: kgjh3fx_9AL9", "kgjh3fx_9AL9"),
        (f"root password changed from {WORDS} to something longer", WORDS),
        (f"my personal access token for the intranet git: {HEX[:40]}", HEX[:40]),
        (f"wandb login {HEX[:40]}", HEX[:40]),
        (f'{{"username":"bob","key":"{HEX[:32]}"}}', HEX[:32]),
        ("mail.login('bot@acme.io', 'pdju undw njlg fveu')", "undw njlg"),
        (f"fetch(url, {{headers: {{Authorization: 'Basic ' + btoa('admin:{WORDS}')}}}})", WORDS),
        (f"--parameters ParameterKey=DBPassword,ParameterValue={DRAWN}", DRAWN),
        (f"sed -i 's/changeme/{DRAWN}/' app.conf", DRAWN),
        ("https://hooks.zapier.com/hooks/catch/1234567/mddz6j1/", "mddz6j1"),
        (f"pw: {WORDS}", WORDS),
        (f"le mot de passe est {WORDS}", WORDS),
        (f"数据库密码是 {WORDS}", WORDS),
        (f"await page.fill('#password', '{WORDS}')", WORDS),
        (f"user.set_password('{WORDS}')", WORDS),
        ("changed it from willowPatch3 to the new password for the demo", "willowPatch3"),
        ("Update password from Maple_rose1 to Maple_rose2", "Maple_rose1"),
        ("https://conda.corp.example/t/ab-1f2e3d4c-5b6a-4978-8a7b-6c5d4e3f2a1b/main/linux-64", "4978-8a7b"),
        ("TF_VAR_db_root=Tulpe.Nord7 terraform plan", "Tulpe.Nord7"),
        ("credentials are svc:Tulpe-nord7", "Tulpe-nord7"),
        ("logged in as bob with Tulpe-Nord7, works", "Tulpe-Nord7"),
        ("authenticated as svc using Python!Rose3", "Python!Rose3"),
        (f"SET PASSWORD FOR 'bob'@'localhost' = PASSWORD('{WORDS}');", WORDS),
    ],
)
def test_a_secret_in_a_transcript_or_of_joined_words_goes(text: str, secret: str) -> None:
    redacted = redact(text)
    assert secret not in redacted
    assert redact(redacted) == redacted


@pytest.mark.parametrize(
    "text",
    [
        f"toolu_01{DRAWN}Qy bash ls",
        f"call_{DRAWN}Qy4F",
        f"chatcmpl-{DRAWN}Qy4F finished",
        f"https://docs.google.com/document/d/1{DRAWN}-{DRAWN}/edit",
        "openssl rsa -in key.pem -passin env:KEY_PASS -out plain.pem",
        "$ bin/elasticsearch-reset-password -u elastic\nPassword for the [elastic] user successfully reset.",
        "$ grep -c token conf.json\n12",
        f"$ git rev-parse token-branch\n{HEX[:40]}",
        "$ ls ~/.password-store\nbanking.gpg",
        "The password hashing changed from bcrypt to argon2id.",
        "the password field is type-checked",
        "sed -i 's/password/passphrase/g' docs/auth.md",
        "user.set_password(new_password)",
        "gcloud auth login",
        "npm login --scope=@acme",
        "authenticated as bob using Kerberos5",
        "log in as admin using OAuth2",
        "Signed in as alice@corp.example using SAML2.",
        "authenticated as svc with TLS1.3",
        "logged in as root with Python3.11, then ran it",
        "logged in as deploy using id_ed25519",
        "signed in as bob with GitHub2",
        "logged in as bob using v2.3.1",
        "updated the import from utils.Helper to the new password hasher",
        "Changed it from SHA256 to the new password hash",
        "changed auth from JWT2 to the password flow",
        "Switch from BCrypt to the password module",
        "Update password from EMAIL_1 to SMS_2",
        "https://discuss.pytorch.org/t/RuntimeError-CUDA12-oom/22606",
        "https://users.rust-lang.org/t/e0597-in-v1-70/22606/3",
        "https://x.example/app/t/order-9f8e7d6c5b/view",
        "TF_VAR_ecr_root=Registry9.example.com terraform plan",
        "TF_VAR_git_master=v1.2.3-Beta",
        "credentials are scheme:negotiate2",
        '"dist": {"url": "https://api.github.com/repos/a/password-hash", "ref": "21993adf4700478b68ec79f493fb96"}',
    ],
)
def test_ids_and_commands_that_only_resemble_one_stay(text: str) -> None:
    assert redact(text) == text
