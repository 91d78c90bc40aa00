"""Secrets whose name stands in a header, before a firm gap or after them, and short passwords beside a user."""

from __future__ import annotations

import json

import pytest

from mcp_reflect.domain.redaction.redact import redact
from tests.support.linear_time import redacts_in_linear_time

ROWS = [
    "id,username,password\n1,bob,@\n2,eve,@\n",
    '"Account","Password","Site"\n"Mail","@","a.b"',
    "host\tuser\tpassword\n10.0.0.4\troot\t@",
    " id | login | password\n----+-------+---\n 1 | bob | @\n",
    "INSERT INTO users (id, login, password) VALUES (1, 'bob', '@');",
    "COPY users (id, login, password) FROM stdin;\n1\tbob\t@\n\\.",
    "name,value\nDB_PASSWORD,@\nPORT,80",
]


@pytest.mark.parametrize("secret", ["riverstone", "Plum81"])
@pytest.mark.parametrize("row", ROWS)
def test_the_values_of_a_column_with_the_name_of_a_secret_go(row: str, secret: str) -> None:
    text, expected = row.replace("@", secret), row.replace("@", "[redacted:password]")
    assert redact(text) == expected
    printed = json.dumps({"stdout": text, "code": 0})
    assert redact(printed) == json.dumps({"stdout": expected, "code": 0})


FIRM = [
    ("$ aws ssm get-parameter --name /prod/db/password --output text\nblue.Lagoon.77\n$ ", "blue.Lagoon.77"),
    ('{\n  "db_password": {\n    "type": "string",\n    "value": "riverstone"\n  }\n}', "riverstone"),
    ("helm registry login r.corp.com -p tulip -u bob", "tulip"),
    ("redis-cli> AUTH hunter2x", "hunter2x"),
    ('variable "db_password" {\n  type = string\n  default = "riverstone"\n}', "riverstone"),
    ("<entry><key>dbPassword</key>\n  <value>riverstone</value></entry>", "riverstone"),
    ("- name: DB_PASSWORD\n  value: riverstone\n", "riverstone"),
    ("page.get_by_label('Password').fill('riverstone')", "riverstone"),
    ("props.setProperty('db.password', 'riverstone');", "riverstone"),
    ("const dbPassword = process.env.DB_PASSWORD || 'riverstone';", "riverstone"),
    ("setenv DB_PASSWORD riverstone", "riverstone"),
    ("./deploy.ps1 -DbPassword 'riverstone' -Verbose", "riverstone"),
    ("Use plum81x as the db password.", "plum81x"),
    ("I changed the client secret from changeme to 7b8996cf-43f5-4ef1-afd6-d345817f93ac.", "7b8996cf"),
    ("curl -su admin:plum81x http://localhost:8080", "plum81x"),
    ("echo 'riverstone' > .vault_pass", "riverstone"),
    ("mount -t cifs //nas/x /mnt -o user=bob,pass=riverstone", "riverstone"),
    ('sql.Open("mysql", "root:plum81x@tcp(127.0.0.1:3306)/shop")', "plum81x"),
    ("backup -u bob -p plum81x host", "plum81x"),
]


FIRM += [
    ("ALTER USER shop IDENTIFIED BY riverstone REPLACE plum81x;", "riverstone"),
    ("ALTER USER shop IDENTIFIED BY riverstone REPLACE plum81x;", "plum81x"),
    ("SQL> create user shop identified by riverstone default tablespace users;", "riverstone"),
    ("new PDO('mysql:host=db1;dbname=shop', 'app', 'riverstone')", "riverstone"),
    ('DriverManager.getConnection("jdbc:h2:mem:x", "app", "riverstone")', "riverstone"),
    ("consul kv put shop/db/password riverstone", "riverstone"),
    ("pulumi config set --secret dbPassword riverstone", "riverstone"),
    ("drone secret add --name db_password --data riverstone", "riverstone"),
    ("drush user:password admin 'riverstone'", "riverstone"),
    ("plink -ssh bob@web1 -pw riverstone uptime", "riverstone"),
    ('execve("/usr/bin/curl", ["curl", "-u", "bob:riverstone", "https://x"])', "riverstone"),
    ('type=EXECVE a0="mysql" a1="-u" a2="app" a3="-priverstone"', "riverstone"),
    ("sshpass -f <(printf '%s' 'plum81xq') rsync -a /srv web1:", "plum81xq"),
    ('login = cleartext "riverstone"', "riverstone"),
    ("rootpw --plaintext riverstone", "riverstone"),
    ('@corp 203.0.113.9 : PSK "riverstone"', "riverstone"),
    ('bob * "riverstone" *', "riverstone"),
    ("snmp-server community riverstone RO", "riverstone"),
    ("ip ospf message-digest-key 1 md5 riverstone", "riverstone"),
    ("neighbor 10.0.0.1 password riverstone", "riverstone"),
    ("d-i passwd/root-password password riverstone", "riverstone"),
    ("127.0.0.1:6379> AUTH app riverstone", "riverstone"),
    ('proxy-user = "bob:riverstone"', "riverstone"),
    ("winrs -r:web1 -u:bob -p:plum81x ipconfig", "plum81x"),
    ('network={\n  ssid="office"\n  psk="riverstone"\n}', "riverstone"),
    ("env:\n     2→  - name: DB_PASSWORD\n     3→    value: riverstone\n", "riverstone"),
    ("kind: Secret\nstringData:\n  username: shop\n  redis: 'riverstone'\n  cache.conf: plum81x\n", "riverstone"),
    ("kind: Secret\nstringData:\n  username: shop\n  redis: 'riverstone'\n  cache.conf: plum81x\n", "plum81x"),
    ("kind: Secret\nstringData:\n  empty:\n  blank:            \n  redis: riverstone\n", "riverstone"),
    ("session:\n  secret: riverstone\n  age: 60", "riverstone"),
    ("PASS=riverstone ./deploy.sh", "riverstone"),
    (r"localhost:5432:shop:anna:plum\:81x", "plum"),
    ("define( 'AUTH_SALT', 'uo;Fq3 Zk+1Lp#7)vRt$Wq8^mXn2@bYc5' );", "Zk+1Lp"),
    ("htpasswd -nb admin riverstone", "riverstone"),
    (r"cmdkey /add:server01 /user:corp\anna /pass:river-stone", "river-stone"),
    ("snmpwalk -v2c -c riverstone 10.0.0.1", "riverstone"),
    ("kadmin -p admin/admin -w riverstone -q listprincs", "riverstone"),
    ("Backup codes:\n1. 4821 9930\n2. 7713 0258", "7713 0258"),
]


@pytest.mark.parametrize(("text", "secret"), FIRM)
def test_a_position_that_only_a_password_has_needs_no_random_text(text: str, secret: str) -> None:
    redacted = redact(text)
    assert "[redacted:" in redacted
    assert secret not in redacted


INNOCENT = [
    "PGPASSWORD=$DB_PASS psql -h db -c 'select 1'",
    "curl -x http://user:pass@proxy:3128 https://example.org",
    "stringData:\n  password: {{ .Values.password }}\n  token: <token>\n  host: db.corp\ndata:\n  level: debug\n",
    "tls:\n  secret: web-tls\n  mode: strict",
    "properties:\n  secret: string\n",
    "snmpwalk -v2c -c public 10.0.0.1",
    "PASS=$1 FAIL=$2",
    "PASS=true",
    "Backup codes: 10 codes of 8 digits were made",
    "from a import b, token, c\nfrom d import e, other2, f",
    "| Setting | Password | Meaning |\n|---|---|---|\n| ssh | supported | see below |",
    "User,Password\n\nSecond,paragraph",
    "password\t\toptional\tpam_a\nsession\t\toptional\tpam_b",
    'def login(user, password, host):\n    return connect(user, "password", host1)',
    "git grep -n -e 'password=' -e 'api_key' -- '*.py'",
    "helm upgrade api ./chart --set auth.existingSecret=api-auth",
    "arn:aws:secretsmanager:eu-west-1:123456789012:secret:prod/db-a1B2c3",
    '7z x -p"$ARCHIVE_PASSWORD" backup.7z -oout',
    "$ git rev-parse HEAD:password.py\n3f8c1d2e9b7a6f5e4d3c2b1a09f8e7d6c5b4a392\n",
    "$ grep -rc password src\nNothing\n",
    "POSTGRES_PASSWORD=${POSTGRES_PASSWORD:?must be set}",
    "postgres://user:password@localhost/db",
    "github.com/stretchr/testify v1.9.0 h1:HtqpIVDClZ4nwg75+f6Lvsy/wHu+3BoSGCbBAcpTsTg=",
    "redis login -p 6379 --timeout 5",
    "docker run -u root -p 5432:5432 postgres:16",
    "java -Duser=bob -Xmx8589934592 -jar app.jar",
    "34a6ccd7-6e1f-4768-912c-5480f0876d2e b1337086-e70d-11f1-a484-02fc00000001",
    "A user is identified by name or by id, and files are identified by their hash.",
    "The statement IDENTIFIED BY is described in chapter 4.",
    "git config set user.email bob@corp.com",
    "step 3 password reset\nreset password of 2 users\n",
    'docker run --user "1000:1000" -v a:b x',
    'user = "www:www"',
    "https://example.com/docs see chapter2\n",
    "origin https://git.corp.com/shop/app.git (fetch)",
    "/* a * b * c */ int x = a * bcdef * 4;",
    "set password token for the session",
    "aws ssm get-parameter --name /shop/db/password --query Parameter.Value",
    'diff <(sort a) <(echo "$token")',
    "Signature Value:\n    97:31:02:9f:e7:fd:43:67:48:44:14:e4:29",
]


@pytest.mark.parametrize("text", INNOCENT)
def test_lists_references_and_ids_stay(text: str) -> None:
    assert redact(text) == text


def test_a_token_with_slashes_in_a_dotted_name_goes_and_a_long_setting_stays() -> None:
    assert redact("x = acme.aB3d/E5gH7jK9mN1pQ2rS==") == "x = acme.[redacted:token]"
    assert redact("uploadpack.allowAnySHA1InWant") == "uploadpack.allowAnySHA1InWant"


PIECES = [
    "a,password,b\n",
    "| password |\n",
    "(a,password) values (",
    "key,value,password\n1,2\n",
    "secret:-",
    "curl -su a:",
    "IDENTIFIED BY ",
    " * a",
    "put a/",
    "user x identified by ",
    "https://a ",
    " --name password",
    'mysql"',
    "<(echo ",
    "hmac-md5:",
]


@pytest.mark.slow
@pytest.mark.parametrize("piece", [*PIECES, "password').fill('", "x as the password ", "user bob and password "])
def test_odd_characters_take_linear_time(piece: str) -> None:
    assert redacts_in_linear_time(piece)


@pytest.mark.parametrize(
    ("text", "redacted"),
    [
        ("Run `mysql -priverstone7`, then go.", "Run `mysql -p[redacted:password]`, then go."),
        (
            "必要(`mysqladmin ping -priverstone7`)が必要でした。",
            "必要(`mysqladmin ping -p[redacted:password]`)が必要でした。",
        ),
        ("redis-cli -a 'river stone 7' ping", "redis-cli -a '[redacted:password]' ping"),
        ("mysql -p'river`stone' shop", "mysql -p'[redacted:password]' shop"),
        ('mysql -p"river\'stone" shop', 'mysql -p"[redacted:password]" shop'),
        ("mysql -p密码九九 shop", "mysql -p[redacted:password] shop"),
        ("mysql -p,river7stone shop", "mysql -p[redacted:password] shop"),
        ("Run it (mysql -p), then go.", "Run it (mysql -p), then go."),
        ('mysql -p"$PW" shop', 'mysql -p"$PW" shop'),
    ],
)
def test_a_password_of_a_command_ends_where_its_word_or_its_quotes_end(text: str, redacted: str) -> None:
    assert redact(text) == redacted
