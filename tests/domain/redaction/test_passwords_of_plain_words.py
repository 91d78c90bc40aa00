"""Passwords that are plain words: their position tells them, and the same words elsewhere stay."""

from __future__ import annotations

import json

import pytest

from mcp_reflect.domain.redaction.redact import redact
from tests.support.linear_time import redacts_in_linear_time

POSITIONS = [
    "remoteuser = bob\nremotepass = @\n",  # beside a user in the same form
    "User bob\nPass @\nSSLType IMAPS\n",
    "poll mail.corp.com proto imap user bob password @ ssl",
    "rootdn cn=admin\nrootpw @\n",  # a compound name alone on its line
    "set system login user bob authentication plain-text-password-value @\n",
    "server {\n  password @;\n}",
    'password "@"\n',
    "enable password 0 @\n",
    "NAME          VALUE\nJENKINS_PASSWORD    @\n",
    "jarsigner -storepass @ a.jar key",  # options
    "apksigner sign --ks-pass pass:@ a.apk",
    "ncftpput -u bob -p @ ftp.corp.com / a.tgz",
    "jenkins-cli -auth bob:@ list-jobs",
    "stats auth admin:@",
    "echo @ | openconnect --user=bob --passwd-on-stdin vpn.corp.com",
    "server.login('bob@corp.com', '@')",  # arguments of calls
    "requests.get(url, auth=('bob', '@'), timeout=5)",
    "pymysql.connect('db', 'root', '@', 'shop')",
    'Credentials("Nexus", "nexus.corp.com", "bob", "@")',
    "The password is @.",  # prose
    "Das Passwort lautet @",
    "I reset the password from changeme to @ yesterday.",
    "Use @ as the sudo password.",
    "Login: bob / @",
    "wachtwoord: @",
    "hasło: @",
    "<passwordText>@</passwordText>",
]


@pytest.mark.parametrize("secret", ["tuliptree", "Kestrel"])
@pytest.mark.parametrize("text", POSITIONS)
def test_a_plain_word_in_the_place_of_a_password_goes(text: str, secret: str) -> None:
    text = text.replace("bob@corp.com", "bob\0corp.com").replace("@", secret).replace("\0", "@")
    redacted = redact(text)
    assert "[redacted:" in redacted
    assert secret not in redacted


@pytest.mark.parametrize("text", [each for each in POSITIONS if each.isascii() and '"' not in each])
def test_it_goes_from_the_output_of_a_program_in_json_as_well(text: str) -> None:
    printed = json.dumps({"stdout": text.replace("bob@corp.com", "bob").replace("@", "Kestrel"), "code": 0})
    redacted = redact(printed)
    assert "Kestrel" not in redacted
    assert json.loads(redacted)["code"] == 0


@pytest.mark.parametrize(
    "text",
    [
        "The password is wrong, and the token was expired.",
        "The password is sent in plain text, which is unsafe.",
        "The password is required",
        "Password manager\npassword reset\nuser password hashing\n",
        "Use email as the user name, and set the password to log in.",
        "mysql -u root -p shop < dump.sql",
        "sudo -u www-data mkdir -p storage",
        "docker run -u node -p 8080:80 web",
        "psql -U app -p 5432 shop",
        "beeline -u jdbc:hive2://db:10000 -f a.sql",
        "openssl pkcs12 -twopass            Separate passwords",
        "git -c core.askpass=/bin/true fetch",
        "for x in xs:\n    pass\n    return x",
        '7z x -p"$ARCHIVE_PASSWORD" backup.7z -oout',
        "connect client/server pairs",
        "scp notes.txt bob@host.corp.com:backup",
        "user: bob\nrole: admin\ncompass: north",
        "auth('users', 'read')",
    ],
)
def test_the_same_words_elsewhere_stay(text: str) -> None:
    assert redact(text) == text


@pytest.mark.slow
@pytest.mark.parametrize(
    "piece",
    [
        "user bob password ",
        "user=a,pass=",
        "rootpw a\n",
        "set a b c d password ",
        " -u a -b c -p ",
        "auth a:",
        "login: a/",
        "a@b.c:",
        "connect a/",
        "login('a', 'b', ",
    ],
)
def test_odd_characters_take_linear_time(piece: str) -> None:
    assert redacts_in_linear_time(piece)
