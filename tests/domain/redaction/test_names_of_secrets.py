"""Names of secrets, directives, references and documented defaults stay; a secret in the same place does not."""

from __future__ import annotations

import time

import pytest

from mcp_reflect.domain.redaction.redact import redact, redact_json
from mcp_reflect.domain.redaction.run_secrets import redact_run
from mcp_reflect.domain.trajectory.parsing import Trajectory

NAMES_OF_OBJECTS = (
    "kubectl -n search get secret sh.helm.release.v1.search-api.v88 -o yaml",
    "kubectl -n search delete secret sh.helm.release.v1.search-api.v88",
    'secret "sh.helm.release.v1.search-api.v88" deleted',
    "I deleted the orphaned secret sh.helm.release.v1.search-api.v88 and ran helm upgrade again",
    "kubectl describe secret default-token-x7k2p -n kube-system",
    "kubectl create secret tls web-tls-v3 --cert=fullchain.pem --key=privkey.pem",
    "kubectl create secret generic app-tls-2024 --from-file=tls.crt --from-file=tls.key",
    "kubectl get secret -n db pg-app-v3 -o yaml",
    "kubectl get secret api-env-7f9c8d6b5 -o json",
    'MountVolume.SetUp failed for volume "certs" : secret "web-tls-v3" not found',
    "the secret web-tls-v3 was missing in prod, so cert-manager recreated it",
    "  secretName: web-tls-v3",
    'secret_name = "web-tls-v3"',
    "tlsSecret: wildcard-acme-io-2",
    "existingSecretPasswordKey: pgpass1",
    "aws secretsmanager delete-secret --secret-id prod-db-2023 --force-delete-without-recovery",
    "az acr login --name acrprod01",
    "bw get password db-prod2",
    "LoadCredential=dbpw:/etc/creds/db2.cred",
    "vault kv put secret/prod/db password=@pw.txt",
    'kubectl patch secret argocd-secret -p \'{"stringData": {"admin.passwordMtime": "2024-01-01T00:00:00Z"}}\'',
    '"Resource": "arn:aws:secretsmanager:*:*:secret:prod/app2-*"',
    'aws cognito-idp admin-set-user-password --user-pool-id eu-west-1_AbC123xyz --password "$PW" --permanent',
)
DIRECTIVES_AND_PROSE = (
    "proxy_pass http://$app_upstream;",
    "it asks Docker's DNS at run time, because proxy_pass uses a variable",
    "proxy_pass resolves the host once at start",
    "fastcgi_pass php82:9000;",
    "uwsgi_pass app1:3031;",
    "Password is correct.",
    "username and password login, session cookies",
    "pass the --username and --password options instead",
    "Invalid password or PKCS12 data",
    "the password field id is input#pw2",
    "With a Granular Access Token with `npm token create`, this sets the name",
    "No credentials stored, starting provisioning (SoftAP node-4F90)",
    "We need to account for S3FileSystem returning paths",
    'Extract the cert from partner.p12 (password in $P12PW): "RC2-40-CBC unsupported"',
    "update_password: on_create",
    ":param password: Unicode password.",
    "password_hash: bcrypt cost 12",
    "--- PASS: TestRetryGetOn503 (0.07s)",
)
REFERENCES = (
    "  password    = var.db_password2",
    "  password = random_password.db2.result",
    "ALTER USER app2 WITH PASSWORD :'pw2';",
    "username, password = split",
    "password: Option<String>, token: Arc<Token2>,",
    "impl Secret for ApiKeyV2 {}",
    'userpass = username + b":" + password',
    'private_key: "_EllipticCurvePrivateKey"',
    'mariadb -uroot -p"$PW" -e "show collation like \'utf8mb4_un%\'"',
    'poetry config http-basic.acme "$ACME_USER" "$ACME_TOKEN" && poetry install --no-interaction',
    "GIT_CONFIG_KEY_0: url.https://oauth2:${SCHEMAS_PAT}@gitlab.corp/.insteadOf",
    '{"nextPageToken": "CAEaAggB", "isLast": false}',
    "aws s3api list-objects-v2 --starting-token eyJNYXJrZXIiOiBudWxsfQ==",
)
DOCUMENTED_DEFAULTS = (
    "DATABASE_URL=postgres://app:app@localhost:5433/app cargo sqlx prepare",
    "DATABASE_URL=postgresql://postgres:postgres@db:5432/app",
    "amqp://guest:guest@localhost:5672/",
    "docker run -d -e POSTGRES_PASSWORD=postgres -p 5432:5432 postgres:16",
    "keytool -importcert -alias ca -keystore cacerts -storepass changeit -noprompt",
    "mysqladmin ping -h 127.0.0.1 --protocol=tcp -pdev",
    "docker compose exec db mysql -uroot -proot app < schema.sql",
    "docker run -e MINIO_ROOT_PASSWORD=minioadmin minio/minio server /data",
)
ORDINARY_WORDS = (
    "cargo update -p home@0.5.11 --precise 0.5.9",
    "used_memory_human:12.71G",
    "org.jetbrains.kotlin:kotlin-stdlib-jdk8:1.6.21",
    "nightly-base:node22",
    "postgres:15.10-bookworm",
    "SHA256:uF3kexampleBox77abcdefghij",
    "(user) Read the NPV from cell Summary!C14 of model.xlsx",
    "Creating virtualenv ledger-7Qz1fKxM-py3.12 in /home/ada/.cache/pypoetry/virtualenvs",
    "/root/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/getrandom-0.3.3/src/backends.rs",
    "pvc-c01c5b12-77e0-4b1f-9a9b-2a7bb0e4e0c3   50Gi       ssd",
    "Cache restored from key: Linux-npm-2c26b46b68ffc68ff99b453c1d304134",
    "-----BEGIN CERTIFICATE-----\nMIIDcKSAm7/BNms+8UWGfpPErKdFxuTjQiu72Sqfxft1eaU=\n-----END CERTIFICATE-----",
    "Valid Development: 1.22.0.dev0+5-g7999db4df2",
    "License: LGPL-2.1-or-later",
    "saved 1EMH0098_20250401_20250407.csv (169 lines)",
    "_ZNKSt5ctypeIwE10do_tolowerEPwPKw",
    "EVP_PKEY_CTX_set1_tls1_prf_secret(EVP_PKEY_CTX *pctx)",
    'LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"',
    '<path d="M4 10.5H1v2h3v-2zm9-9.95h-2V3.5h2V.55zm7.45 3.91"/>',
    "sed 's/utf8mb4_0900_ai_ci/utf8mb4_general_ci/g' | mariadb -uroot -p\"$PASSWORD\" crm",
)
SECRETS_IN_THEIR_PLACE = (
    "kubectl create secret generic db --from-literal=password=«S3cr3t!x»",
    "kubectl create secret generic db-creds-v2 --from-literal=password=«S3cr3t!x»",
    "secret «Xk93bQ77»",
    "the shared secret is «gr0upKeyStaff», not found in the docs",
    "client_secret: «x7Kp93QmZt»",
    "aws secretsmanager create-secret --name prod-db --secret-string «hunter2!»",
    "vault write auth/approle/login role_id=app secret_id=«7d41a0c2-93be-4b7c-8f10-2a6de9c05b11»",
    "az acr login --name acrprod01 -u bot -p «Wq8!rTzz»",
    "vault kv put secret/prod/db password=«pw8!txtZ»",
    "proxy_pass=«tulip8Rose»",
    "proxy_pass = «tulip8rose»",
    "PASSWORD=«local_rose.maple.tulip»",
    "*:*:app:bob:«tulip8rose»",
    'proxy_password "«tulip8Rose»";',
    "existingSecret: pg-auth\nauth:\n  password: «Wq8!rTzz»",
    "Password is «Rose!Maple7».",
    "user bob, password «Rose!Maple7»",
    "curl --username bob --password «maple77!Q» https://dav.corp.com",
    'password = "«Rose!Maple7»"',
    "password = «Rose!Maple7»",
    "ALTER USER app2 WITH PASSWORD '«pw2!Maple»';",
    "poetry config http-basic.acme bot «Zx81kQp07h»",
    'mariadb -uroot -p"«Zx81kQp07h»" crm',
    'PASS: "«Zx81kQp07h»"',
    '{"accessToken": "«CAEaAggBx81kQp07h»"}',
    "DATABASE_URL=postgres://app:«app2!Rose»@localhost:5433/app",
    "docker run -e POSTGRES_PASSWORD=«postgres2!Zq» postgres:16",
    "keytool -list -keystore trust.jks -storepass «changeitQ7!»",
    "mysqladmin ping -h 127.0.0.1 -p«Falcon88»",
    "docker compose exec db mysql -uroot -p«root!Zq81» app",
    "mongodump -u admin -p «home!0511Zq» --archive",
    "mirror:«two!Penguins»",
    'kubectl patch secret argocd-secret -p \'{"stringData": {"admin.password": "«Rose!Maple7»"}}\'',
    "aws cognito-idp admin-set-user-password --username bob --password «Rose!Maple7» --permanent",
    "password_hash: «Rose!Maple7»",
    "Password: «Tulip9»<br>",
    "token: acme-«2c26b46b68ffc68ff99b453c1d304134»",
    "API secret: «QX7K2M9ZP4TR8WVB_3JHC6»",
    "ghp_«Zk81Qp07hTr5Vx93bQ77Lm20Wd64Ns8Yt1cF»",
    "sed -i 's/changeme/«Zx81kQp07h»/' .env",
)


@pytest.mark.parametrize(
    "text", [*NAMES_OF_OBJECTS, *DIRECTIVES_AND_PROSE, *REFERENCES, *DOCUMENTED_DEFAULTS, *ORDINARY_WORDS]
)
def test_what_only_looks_like_a_secret_stays(text: str) -> None:
    assert redact(text) == text


@pytest.mark.parametrize("marked", SECRETS_IN_THEIR_PLACE)
def test_a_secret_in_the_same_place_is_redacted(marked: str) -> None:
    secret = marked.partition("«")[2].partition("»")[0]
    text = marked.replace("«", "").replace("»", "")

    redacted = redact(text)

    assert secret not in redacted
    assert "[redacted:" in redacted


def test_a_user_with_its_own_name_as_password_is_no_default_on_a_server() -> None:
    redacted = redact("DATABASE_URL=postgres://app:app@db.prod.acme.io:5432/app")

    assert redacted == "DATABASE_URL=postgres://app:[redacted:url-password]@db.prod.acme.io:5432/app"


def test_a_command_about_a_secret_of_kubernetes_stays_in_a_run_that_prints_its_name() -> None:
    command = "kubectl -n search delete secret sh.helm.release.v1.search-api.v88"
    messages = [
        {"role": "assistant", "content": command},
        {"role": "user", "content": 'secret "sh.helm.release.v1.search-api.v88" deleted'},
    ]

    run = redact_run(Trajectory.of(messages), {"final_response": f"I ran `{command}`."})

    assert run.words["final_response"] == f"I ran `{command}`."
    assert redact_json(messages) == messages


@pytest.mark.parametrize(
    "part", ["get secret a-", "$PASSWORD ", "a, b, password = c ", "secretsmanager ", "h1v2h3.", "_pass "]
)
def test_names_of_secrets_take_linear_time(part: str) -> None:
    def seconds(size: int) -> float:
        text = part * (size // len(part))
        start = time.process_time()
        redact(text)
        return time.process_time() - start

    seconds(1_000)  # patterns are compiled when they are first used
    assert seconds(80_000) < 12 * seconds(20_000) + 0.2
