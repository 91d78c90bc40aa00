"""Secrets that only their context shows, and texts that look like one of them and hold none."""

from __future__ import annotations

import pytest

from mcp_reflect.domain.redaction.redact import redact

UUID = "5ee62ebf-c02b-4da9-8838-7d628bf41dfe"


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        (
            '{"type": "random_password",\n "instances": [{"attributes": {"result": "oYT9!p1yw8N%J0Kx"}}]}',
            "oYT9!p1yw8N%J0Kx",
        ),
        ("      NEO4J_AUTH: neo4j/graph-Eule-31", "graph-Eule-31"),
        ('Authorization:\n  values: ["Basic cHJvbTpNZXNzd2VydCE1NQ=="]', "cHJvbTpNZXNzd2VydCE1NQ"),
        ('gh secret set DEPLOY_PASS -b "Segel-Setzen-12" --repo acme/platform', "Segel-Setzen-12"),
        ("[smtp.acme.dev]:587 noreply@acme.dev:umSchlag_C5", "umSchlag_C5"),
        ("use the gmail app password abqz kfwe mtuy plrn for the relay", "abqz kfwe mtuy plrn"),
        ("the login asks for the code that came by SMS, it is 598911", "598911"),
        ('accounts: ["0x' + "a4f1" * 16 + '"],', "a4f1" * 16),
        ("https://calendar.acme.dev/ical/mk%40acme.dev/private-4e2857ba6a776687701f/basic.ics", "4e2857ba6a776687701f"),
        ('new NetworkCredential("svc_mail", "Kompass!Nord", "ACME");', "Kompass!Nord"),
        ("eyJwYXlsb2Fk" + "Qz3k" * 20, "Qz3kQz3k"),
        ('1) "requirepass"\n2) "Fels-Spalte-3"', "Fels-Spalte-3"),
        ("> what is the wifi password?\nit's quietRiver88", "quietRiver88"),
        ("You can ssh in as deploy, passphrase for the key is tea.cup.storm (with the dots).", "tea.cup.storm"),
        ("log in to the dashboard (https://grafana.acme.dev, admin:PanelFour4!)", "PanelFour4!"),
        ("usa la clave Lluvia.Mayo3 para entrar al panel", "Lluvia.Mayo3"),
        (f"secret_id             {UUID}\nsecret_id_ttl  24h", UUID),
        ('algoliasearch("Q0YEFJHNJN", "84b51bfa2f899d46c45b79941741fea1");', "84b51bfa2f899d46c45b79941741fea1"),
        (f"bash <(curl -s https://codecov.io/bash) -t {UUID}", UUID),
        ("Password for the elastic user (reset with `bin/reset -u elastic`):\n  30fzr4GVNW*YGBBQXg2i", "30fzr4GVNW"),
        ("type this setup key into your authenticator: 57sf whbh nwwr cumx fpl7 ozg5 o2yz 37xw", "57sf whbh"),
        ('OpenSSL::HMAC.hexdigest("SHA256", "cbNaeqW8HLutcvrg", request.body.read)', "cbNaeqW8HLutcvrg"),
        ("creds: mkeller / Treibholz_61", "Treibholz_61"),
        ("credentials for the demo box: mkeller / Treibholz*61", "Treibholz*61"),
        ("Password for the [elastic] user successfully reset.\nNew value: 3trKAmIt8egh", "3trKAmIt8egh"),
        ("crypto isakmp key violet-rocket-puzzle address 203.0.113.7", "violet-rocket-puzzle"),
        ("net use Z: \\\\nas01\\share /user:ACME\\ann Acme2024?", "Acme2024?"),
        ("postgres://ann:Gin/ger/503:@db-2.internal:5432/auth", "Gin/ger/503:"),
        ("Der Datadog-Schl\u00fcssel lautet 6a33d2b2dc9a1bc1f67e1d60, bitte eintragen.", "6a33d2b2dc9a1bc1"),
        ("secret for the webhook should be set to moss-lantern-29 on both sides", "moss-lantern-29"),
        ("Bitte mit Benutzer admin und Kennwort Kachelofen-88 anmelden", "Kachelofen-88"),
        ("Die PIN für die SIM-Karte lautet 4839", "4839"),
        ("le mdp du wifi c'est croissant2022", "croissant2022"),
        ('        - name: SMTP_PASS\n          value: "lutefisk1905"\n', "lutefisk1905"),
        ('#define WIFI_PASS "solder&flux"', "solder&flux"),
        ("  SIGN_PASS: codeS1gn!Me", "codeS1gn!Me"),
        ('ansible-playbook site.yml -e "grafana_admin_pw=Vis!ualize7" --limit mon01', "Vis!ualize7"),
        ('Environment="RESTIC_REPOSITORY=/mnt/bk" "RESTIC_PASSWORD=the quick brown f0x"', "quick brown"),
        ('echo -n "pinguin im Frack" | cryptsetup luksOpen /dev/sdb1 vault -', "pinguin im Frack"),
        ('<Key>Password</Key><Value ProtectInMemory="True">gW5[x}Rq8;mT</Value>', "gW5[x}Rq8;mT"),
        ('DBI->connect("dbi:Pg:dbname=rt", "rt_user", "camel_hump2", { RaiseError => 1 });', "camel_hump2"),
        ('local ok, err = red:auth("lunaLuaLuz")', "lunaLuaLuz"),
        ("Пароль от тестового сервера: Snegovik_v_mae, логин прежний", "Snegovik_v_mae"),
        ("検証環境のパスワードは「sakura2Fubuki」です。", "sakura2Fubuki"),
        ("ejabberdctl register bot acme.io chatty_Kathy3", "chatty_Kathy3"),
    ],
)
def test_a_secret_goes_that_its_context_shows(text: str, secret: str) -> None:
    assert secret not in redact(text)


@pytest.mark.parametrize(
    "text",
    [
        "cache-key: node-modules-0bc809c4e17b31bc00f97e9b690bc663cc2997209b6f43a5def4a861c52d5c78",
        "bc1qaz0cvfwlc96cvw6992gg0vwuj7dtul5ch5rt6n",
        '  "auth.failed": "Usuario o contraseña incorrectos",',
        "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=",
        "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==",
        "peer: A4OAvkhqLe6n1tVdNaPe5UzkLqUj5g0QBlh4YrTttlx=",
        "MIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBaMQswCQYDVQQGEwJJ",
        "Enter host password for user 'ci':",
        "STRIPE_SECRET_KEY=sk_test_xxxxxxxxxxxxxxxxxxxxxxxx",
        "label.apikey=API-Schlüssel",
        "usage: deploy.py [-h] [--user USER] [--password PASSWORD] [--token TOKEN] host",
        "gpg --keyserver hkps://keys.openpgp.org --recv-keys 901B45828823BDD390067C769EE168E213F9CA8A",
        'sed -i "s/DB_PASSWORD=.*/DB_PASSWORD=${NEW_PW}/" .env',
        '  "hashed_secret": "07aa232b4a3a5826537ecc15587c51e12700b92d",',
        '    "@types/jsonwebtoken": "^9.0.6",',
        "ENC[AES256_GCM,data:6HtaOLjnhK5GV7X9UJ5TRGoG,iv:+wI5xB6jwaSmyuyRyYfQZASwrxHJxbkIgRb5VKnGumW=,type:str]",
        '  "login.password": "Mot de passe",',
        "require github.com/acme/keys v0.0.0-20230105123456-c82deb045046",
        "sshpass -f /root/.pw ssh deploy@web03",
        "sshpass -e ssh deploy@web03 uptime",
        "checkout-6c8f7d9b5-x2zqk   0/1     CrashLoopBackOff   17 (2m3s ago)   66m",
        "vpc-0a9f3c1e77b4d2580 peered with vpc-05d1e8b3a6f7c9024 (pcx-0e4b7a91)",
        "requirepass is not set, so the default user has no password",
        'ETag: W/"1f4c-n0jkD/zbUu2RKT8AX4w0UPswtoB"',
        'DB_PASS = os.environ["DB_PASS"]',
        '{"old_string":"password = os.environ[\\"DB_PASSWORD\\"]","new_string":"password = settings.db_password"}',
        '$request->validate(["password" => "required|confirmed|min:8"]);',
        'enum TokenType { Access = "access", ApiKey = "api_key" }',
        '"forgotPassword": "Passwort vergessen?",',
        "password: Has\u0142o\nusername: U\u017cytkownik",
        '{{ lookup("hashi_vault", "secret=kv/data/billing:password") }}',
        "\x1b[1mPassword:\x1b[0m ",
        "D[0, 13] = -0.18148505520854727256656404962e+2",
        "ulid=01J1G7WXCCMEB3FBPC4NQB6TNX",
        '{"kid":"euAm8p-AjHdQSl5x2IOgDG","kty":"RSA"}',
        "Content-MD5: 6Q8ETvERCVmumbKXOiJVlY==",
        "project_id: prj_XlA0mruFGdRDGxk1vb6G6Bo6",
        "const DB_PASS = process.env.DB_PASS;",
        "SMTP_PASS: config.smtp.pass",
        "ADMIN_PW=getpass()",
        "MAX_PASS = 12345",
        "second_pass=lighting",
        'RENDER_PASS = "shadow"',
        'client.auth("bearer")',
        "yarn test:e2e4ci",
        "def login(user):\n    pass\n    return user.name2value",
        "Annotations:  checksum/secret: 02b5cab431dd6220ddf58c7b2c443cfa15e9f7fb59c9cb6bb2a35cea946c3815",
    ],
)
def test_what_only_looks_like_a_secret_stays(text: str) -> None:
    assert redact(text) == text
