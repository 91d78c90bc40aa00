"""Innocent lines that programs print when they are run, and everyday commands without a secret.

Both were taken together with `everyday.py`, before a look at the rules. A program that is missing is left out.
"""

from __future__ import annotations

import base64
import subprocess
import sys
from collections.abc import Iterator
from random import Random

from benchmarks.secrets.innocent import ROOT, site_packages

_NOT_OURS = (":!*redact*", ":!*secret*", ":!tests/security", ":!docs/security.md")
"""Files that are made of secrets, or of what looks like them."""
_SHELL = {
    "git": (
        "git log --stat -n 60",
        "git log --oneline --decorate -n 200",
        "git log --format=raw -n 60",
        "git reflog -n 60",
        "git ls-tree -r HEAD",
        "git ls-files -s",
        "git show-ref",
        "git count-objects -v",
        "git log -p -n 25 -- . " + " ".join(f"'{each}'" for each in _NOT_OURS),
        "git diff --raw HEAD~20 HEAD",
        "git blame -l pyproject.toml",
        "git config --list --show-origin",
    ),
    "checksums": (
        "sha256sum docs/* mcp_reflect/*.py",
        "md5sum docs/* tests/*.py",
        "sha1sum docs/*",
        "sha512sum *.toml *.md",
        "cksum docs/*",
        "b2sum docs/*",
        "cat /var/lib/dpkg/info/*.md5sums | head -300",
    ),
    "help": (
        "curl --help all",
        "ssh -V; ssh-keygen --help",
        "openssl req -help; openssl pkcs12 -help; openssl rsa -help",
        "git help -a",
        "git help -c",
        "tar --help",
        "{python} -m pip --help",
        "{python} -m venv --help",
        "{python} -m mcp_reflect --help",
        "wget --help",
        "gpg --help",
        "npm help install; npm config ls -l",
        "node --help",
        "passwd --help; useradd --help; chpasswd --help; su --help; login --help",
        "apt-key --help; apt-get --help",
        "sqlite3 --help",
    ),
    "machine": (
        "ls -la /etc /usr/bin | head -300",
        "find /usr/share -name '*k*' | head -300",
        "dpkg -l | head -200",
        "apt-cache show python3 openssl git",
        "cat /etc/passwd /etc/group",
        "cat /etc/ssh/ssh_config /etc/login.defs /etc/pam.d/*",
        "mount; df -h; free -m",
        "ps -eo pid,user,comm,etime",
        "cat /proc/cpuinfo /proc/meminfo /proc/net/tcp",
        "blkid; lsblk -f; cat /etc/fstab /etc/machine-id",
        "xxd /bin/ls | head -200",
        "od -A x -t x1z /bin/cat | head -100",
        "strings -n 8 /bin/ls | head -200",
        "readelf -n /bin/ls; readelf -S /bin/ls; nm -D /bin/ls",
        "openssl x509 -text -in /etc/ssl/certs/ca-certificates.crt",
        "head -150 /etc/ssl/certs/ca-certificates.crt",
    ),
    "python": (
        "{python} -m pip list --format=freeze",
        "{python} -X importtime -c 'import json, asyncio'",
        "{python} -m dis -c 'x = 1' 2>&1; {python} -m dis mcp_reflect/errors.py | head -300",
        "{python} -m tokenize mcp_reflect/errors.py | head -300",
        "{python} -m ast mcp_reflect/errors.py | head -300",
        "{python} -m cProfile -c 'import json' | head -80",
        "{python} -m pytest --collect-only -q tests/domain | grep -v -i -e redact -e secret | head -400",
        "{python} -c 'from uuid import uuid1, uuid4; [print(uuid4(), uuid1(), uuid4()) for each in range(99)]'",
        "{python} -c 'import this, sysconfig; print(sysconfig.get_config_vars())'",
        "{python} -m json.tool docs/tools.md; cat pyproject.toml",
    ),
}
"""Commands of a shell by source; each ends after 20 seconds."""
COMMANDS = """
docker run -d -p 5432:5432 -u postgres --name db -v pgdata:/var/lib/postgresql/data postgres:16
docker pull nginx@sha256:4c0fdaa8b6341bfdeca5f18f7837462c80cff90527ee35ef185571e1c327beac
docker login -u bob --password-stdin registry.corp.com < ~/.registry
docker compose -p shop -f compose.yml up -d --wait
docker exec -it -u root shop-db-1 psql -U app -d shop -c 'select now()'
curl -sSL -u "$CI_USER:$CI_TOKEN" -o out.json https://ci.corp.com/job/build/lastBuild/api/json
curl -H "Authorization: Bearer $(cat /run/secrets/token)" https://api.corp.com/v1/users?page=2
curl -u : --negotiate https://intranet.corp.com
curl -X POST -d '{"grant_type": "client_credentials"}' "$TOKEN_URL"
curl -b cookies.txt -c cookies.txt -L https://app.corp.com/login
mysql -u root -p shop < schema.sql
mysql -uroot -p -h 127.0.0.1 -P 3307 -e 'show databases'
mysqldump -u app -p --databases shop > dump.sql
psql -h db -p 5432 -U app -w shop -f migrate.sql
psql "host=db port=5432 user=app dbname=shop sslmode=require" -c 'select 1'
mongosh --host db --port 27017 -u admin -p --authenticationDatabase admin
redis-cli -h cache -p 6379 -n 2 keys 'session:*'
ssh -p 2222 -i ~/.ssh/id_ed25519 -o PasswordAuthentication=no bob@host 'sudo -n systemctl status nginx'
scp -P 2222 -p dist/app.tgz bob@host:/srv/app/
sshpass -f ~/.pw ssh bob@host uptime
sshpass -e ssh bob@host uptime
git -c user.name=bob -c credential.helper= push https://github.com/corp/app.git HEAD:main
git cherry-pick -x 9fceb02d0ae598e95dc970b74767f19372d61af8
git revert --no-edit 1a2b3c4d5e6f7a8b9c0d1e2f3a4b5c6d7e8f9a0b
git bisect start HEAD v1.2.0 -- src/auth/token.py
git log -S'password' --oneline -p -- src/settings.py
git grep -n -e 'password=' -e 'api_key' -- '*.py' ':!tests'
grep -rn "secret" --include=*.yml config/ | grep -v secretKeyRef
pytest -p no:cacheprovider -k test_password_reset --durations=5
pytest 'tests/test_auth.py::test_login[password-reset-9f86d081]' -x
python -m pytest --cov=src -u -p xdist -n auto
python manage.py changepassword bob
python manage.py test accounts.tests.PasswordResetTests --settings=app.settings.test --keepdb
rails credentials:edit --environment production
RAILS_ENV=test bin/rails db:migrate VERSION=20240102030405
php artisan key:generate --show && php artisan config:cache
composer require laravel/sanctum:^4.0 --no-interaction
npm ci --ignore-scripts --registry=https://registry.npmjs.org/
npm token list && npm whoami --registry https://registry.npmjs.org
npx tsc -p tsconfig.json --noEmit && npx eslint src/auth/password.ts
yarn workspace @corp/auth-token build --mode=production
cargo test -p token-store -- --nocapture password_hash
go test ./internal/auth -run 'TestToken/expired_secret' -count=1
make -C services/auth -j4 PREFIX=/usr/local PASSWORD_MIN_LENGTH=12 test
terraform plan -var-file=prod.tfvars -out=plan.tfplan -target=module.secrets
terraform import aws_secretsmanager_secret.db arn:aws:secretsmanager:eu-west-1:123456789012:secret:prod/db-a1B2c3
ansible-playbook -i hosts.ini site.yml --ask-become-pass --vault-id prod@prompt -u deploy
ansible-vault view group_vars/all/vault.yml --vault-password-file=scripts/vault_pass.sh
kubectl create secret tls web --cert=tls.crt --key=tls.key -n prod
kubectl create secret docker-registry reg --docker-username=bob --docker-password="$REG_PASS"
kubectl get secret db -o go-template='{{.data.password|base64decode}}'
kubectl -n prod set env deploy/api TOKEN_TTL=3600 AUTH_MODE=oauth PASSWORD_POLICY=strict
helm upgrade api ./chart -f values.yaml --set auth.existingSecret=api-auth --set image.tag=1.4.2
aws s3 cp s3://corp-backups/2024/01/db.dump . --sse aws:kms --sse-kms-key-id alias/backup
aws kms decrypt --key-id 1234abcd-12ab-34cd-56ef-1234567890ab --ciphertext-blob fileb://blob
aws sts get-caller-identity --profile prod --query Account --output text
az keyvault secret show --vault-name corp --name db-password --query value -o tsv
gcloud secrets versions access latest --secret=db-password --project=corp-prod
gcloud auth activate-service-account --key-file=/run/secrets/gcp.json
openssl req -new -newkey rsa:2048 -nodes -keyout server.key -out server.csr -subj "/CN=corp.com"
openssl s_client -connect corp.com:443 -servername corp.com -showcerts
openssl dgst -sha256 -verify pub.pem -signature sig.bin release.tgz
openssl passwd -6 -stdin < pw.txt
gpg --verify release.tgz.asc release.tgz && gpg --list-secret-keys --keyid-format long
gpg --recv-keys 0x3AA5C34371567BD2 --keyserver hkps://keys.openpgp.org
ssh-keygen -lf ~/.ssh/id_rsa.pub -E sha256
ssh-add -D && ssh-add ~/.ssh/deploy_key
keytool -importcert -alias corp -file corp.crt -keystore trust.jks -storepass:env STORE_PASS
htpasswd -c /etc/nginx/.htpasswd bob
htpasswd -n -B bob
ldapsearch -x -W -D cn=admin,dc=corp,dc=com -b dc=corp,dc=com '(uid=bob)' userPassword
smbclient //nas/share -U bob -W CORP -c 'ls'
net user bob * /add
useradd -m -p '*' -s /bin/bash bob && passwd -l bob
sudo -u postgres createuser --pwprompt app
vault kv get -field=password -mount=secret prod/db
vault write auth/approle/login role_id="$ROLE_ID" secret_id="$SECRET_ID"
op read op://Prod/db/password
pass show corp/db | head -1
bw get password github.com
sqlite3 app.db 'select id, token_hash from sessions where user_id = 7'
sqlcmd -S sql -E -d shop -Q 'select name from sys.sql_logins'
rsync -az --password-file=/etc/rsync.pw dist/ rsync://deploy@host/app
rclone copy -P dist remote:bucket/path --password-command "pass rclone"
restic -r s3:s3.amazonaws.com/backup --password-file /etc/restic.pw snapshots --tag nightly
7z x -p"$ARCHIVE_PASSWORD" backup.7z -oout
tar -xzpf dist.tgz -C /srv/app --same-owner
cp -p id_rsa.pub authorized_keys && chmod 600 authorized_keys
mkdir -p build/secrets/tokens && install -m 0600 /dev/null build/secrets/tokens/key
ps -p 1234 -o user,pid,cmd && lsof -p 1234 -a -u bob
nc -zv -w 5 db 5432 && nmap -p 22,80,443 host
sed -i 's/password: .*/password: "{{ db_password }}"/' templates/app.yml.j2
jq -r '.auths["registry.corp.com"].auth' ~/.docker/config.json
echo "$DEPLOY_KEY" | base64 -d > deploy.pem
export DB_PASSWORD=$(openssl rand -base64 24)
read -rsp 'Password: ' PASSWORD && export PASSWORD
uvicorn app.auth:app --reload --port 8001 --log-level debug
pip install passlib==1.7.4 PyJWT==2.8.0 'python-jose[cryptography]>=3.3' keyring==24.3.0
pip hash dist/app-1.0-py3-none-any.whl
uv lock --upgrade-package tokenizers
""".strip().splitlines()
"""Commands with options, names and values beside which secrets often stand, and none in them."""


def program_lines(most: int, seed: int) -> Iterator[tuple[str, list[str]]]:
    """Yield each source's name with up to `most` lines: programs run now, files of installed packages, images."""
    rng = Random(seed)
    for name, commands in _SHELL.items():
        yield name, [line for command in commands for line in _printed(command)][:most]
    for name, patterns in (
        ("package code", ("*.py", "*.pyi")),
        ("package records", ("RECORD", "METADATA", "*.toml")),
        ("package data", ("*.json", "*.yaml", "*.proto", "*.sql", "*.txt", "*.cfg")),
    ):
        yield name, list(_pieces(patterns, most, rng))
    yield "images", [*_images(rng)][:most]


def _printed(command: str) -> list[str]:
    try:
        done = subprocess.run(
            ["/bin/sh", "-c", command.replace("{python}", sys.executable)],
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=20,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return []
    return done.stdout.decode("utf-8", "replace").splitlines()


def _pieces(patterns: tuple[str, ...], most: int, rng: Random) -> Iterator[str]:
    """Yield 60 lines that stand together from each of some files."""
    paths = sorted({path for pattern in patterns for path in site_packages().rglob(pattern) if path.is_file()})
    for path in rng.sample(paths, min(len(paths), most // 60)):
        lines = path.read_bytes()[:400_000].decode("utf-8", "replace").splitlines()
        first = rng.randrange(max(len(lines) - 60, 0) + 1)
        yield from lines[first : first + 60]


def _images(rng: Random) -> Iterator[str]:
    for _ in range(40):
        text = base64.b64encode(rng.randbytes(1500)).decode()
        yield f"![plot](data:image/png;base64,iVBORw0KGgo{text})"
        yield from (text[start : start + 76] for start in range(0, len(text), 76))
