"""An attacker who reads the home, a backup or a prompt wants the keys and passwords that runs held."""

from __future__ import annotations

from random import Random

import pytest

from benchmarks.secrets.cases import Case, cases, is_caught
from benchmarks.secrets.innocent import changed_lines, commands, innocent_lines
from benchmarks.secrets.programs import COMMANDS as EVERYDAY_COMMANDS
from mcp_reflect.domain.redaction.redact import redact, redact_json

SHARE = 12
"""One case of so many is tried here; `python -m benchmarks.secrets --held-out` tries all."""


def redacted(case: Case) -> object:
    return redact(case.value) if isinstance(case.value, str) else redact_json(case.value)


@pytest.mark.parametrize(
    ("part", "least"),
    [("in sight", 0.99), ("held out", 0.98), ("fresh", 0.9), ("recent", 0.98), ("unseen", 0.96), ("everyday", 0.98)],
)
def test_secrets_of_many_kinds_are_replaced_in_whatever_they_are_written(part: str, least: float) -> None:
    rng = Random(part)
    tried = [case for case in cases(part) if rng.randrange(SHARE) == 0]
    missed = [case for case in tried if not is_caught(case, redacted(case))]
    assert len(tried) > 200
    assert len(missed) <= (1.0 - least) * len(tried), [(case.kind, case.shape) for case in missed]


def test_a_redacted_secret_is_not_redacted_again() -> None:
    rng = Random(7)
    for case in cases("in sight"):
        if rng.randrange(5 * SHARE) == 0:
            once = redacted(case)
            assert (redact(once) if isinstance(once, str) else redact_json(once)) == once, case


@pytest.mark.slow
def test_code_logs_hashes_and_images_stay_as_they_are() -> None:
    lines = changed = 0
    for _, taken in innocent_lines(1_200, seed=1, git=False):
        lines += sum(map(bool, taken))
        changed += len(changed_lines(taken, redact))
    assert lines > 3_000
    assert changed <= 0.005 * lines


COMMANDS = """
git checkout 3f786850e387550fdab836ed7e6dc881de23001b && git push origin feature/token-refresh
docker run --rm -p 8080:80 -u 1000:1000 -e TOKEN="$TOKEN" -v "$PWD:/src" app:1.2
docker build --secret id=npm,src=$HOME/.npmrc -t app@sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca .
export API_KEY=$(gcloud auth print-access-token) && curl -H "Authorization: Bearer $API_KEY" https://api.corp.com
curl -u "$USER:$PASSWORD" https://api.corp.com/v1/jobs?page=2&sort=key
kubectl get secret db-password -o jsonpath='{.data.password}' | base64 -d
kubectl create secret generic db --from-literal=password="$DB_PASSWORD" --dry-run=client -o yaml
mysql -u root -p"$MYSQL_ROOT_PASSWORD" -e 'select 1'
psql "postgresql://app:$PGPASSWORD@db:5432/shop" -c 'select token_id from tokens'
openssl rand -hex 32 > secret.key && chmod 600 secret.key
openssl rsa -in key.pem -passin env:KEY_PASSWORD -out plain.pem
ssh-keygen -t ed25519 -f ~/.ssh/id_ed25519 -N "" -C bob@corp.com
aws secretsmanager get-secret-value --secret-id prod/db/password --query SecretString
gh secret set DEPLOY_TOKEN < token.txt
gh auth login --with-token < token.txt
pytest tests/test_token.py -k "password and not secret" -q --maxfail=1
python manage.py createsuperuser --username admin --no-input
pip install tokenizers==0.21.0 'secretstorage>=3.3' --hash=sha256:0123456789abcdef0123456789abcdef
npm config set //registry.npmjs.org/:_authToken '${NPM_TOKEN}'
rg -n "api_key|secret_key|password" src/ --glob '!*.lock'
sed -i 's|^PASSWORD=.*|PASSWORD=changeme|' .env.example
vault kv get -field=password secret/db
terraform apply -var="db_password=${TF_VAR_db_password}"
ansible-vault encrypt_string --name db_password --vault-password-file ~/.vault
7z a -p backup.7z src/ && zip -r out.zip dist && unzip -l out.zip
redis-cli -h cache -p 6379 --askpass ping
""".strip().splitlines()


def test_commands_still_run_after_redaction() -> None:
    assert [command for command in COMMANDS if redact(command) != command] == []
    found = commands(300, seed=2)
    found += EVERYDAY_COMMANDS
    assert [command for command in found if redact(command) != command] == []
