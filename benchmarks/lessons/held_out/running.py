# ruff: noqa: E501 - files as they stand in the projects
"""Sessions about commands: their options, order, environment, folder, permissions and time."""

from __future__ import annotations

from benchmarks.lessons.scenario import Edit, Hear, Run, Say, Scenario

_COMMIT = "git config user.email a@example.org && git config user.name a"

RUNNING = (
    Scenario(
        "py-hash-seed",
        "python",
        "Does the snapshot check still pass?",
        "The snapshot of tags differs from one run to the next.",
        {
            "snapshot.py": "import sys\n\ntags = ' '.join({f'tag{n}' for n in range(30)})\n"
            "if '--write' in sys.argv:\n    open('snapshot.txt', 'w').write(tags)\n"
            "elif tags != open('snapshot.txt').read():\n    sys.exit('snapshot differs from snapshot.txt')\n"
        },
        (
            Run("python snapshot.py --check"),
            Run("cat snapshot.py"),
            Run("python -I snapshot.py --check"),
            Run("PYTHONHASHSEED=0 python snapshot.py --check"),
        ),
        "PYTHONHASHSEED=0 python snapshot.py --check",
        setup="PYTHONHASHSEED=0 python snapshot.py --write",
        client="gemini",
    ),
    Scenario(
        "ssh-key-mode",
        "ssh",
        "Derive the public key from deploy_key so that I can register it.",
        "ssh-keygen ignores the deployment key, it says something about it being unprotected.",
        {},
        (
            Run("ssh-keygen -y -f deploy_key > deploy_key.pub"),
            Run("ls -l deploy_key"),
            Run("chmod 600 deploy_key"),
            Run("ssh-keygen -y -f deploy_key > deploy_key.pub"),
        ),
        "chmod 600 deploy_key",
        setup="ssh-keygen -q -t ed25519 -N '' -f deploy_key && rm deploy_key.pub && chmod 644 deploy_key",
        client="gemini",
    ),
    Scenario(
        "curl-server-not-ready",
        "shell",
        "Smoke-test the server: it has to answer on /health.",
        "The health request is refused right after the server was started.",
        {
            "serve.py": "import http.server\nimport time\n\ntime.sleep(2)\n\n\n"
            "class Handler(http.server.BaseHTTPRequestHandler):\n    def do_GET(self):\n        self.send_response(200)\n"
            "        self.end_headers()\n        self.wfile.write(b'ok')\n\n    def log_message(self, *a):\n        pass\n\n\n"
            "http.server.HTTPServer(('127.0.0.1', 48731), Handler).serve_forever()\n"
        },
        (
            Run("python serve.py & P=$!; curl -sS http://127.0.0.1:48731/health; E=$?; kill $P; exit $E"),
            Say("The port might be blocked by a proxy."),
            Run("python serve.py & P=$!; curl -sS --noproxy '*' http://127.0.0.1:48731/health; E=$?; kill $P; exit $E"),
            Run(
                "python serve.py & P=$!; curl -sS --retry 10 --retry-delay 1 --retry-connrefused"
                " http://127.0.0.1:48731/health; E=$?; kill $P; exit $E"
            ),
            Say("The server needs about two seconds before it listens; the request has to be retried until then."),
        ),
        "--retry 10 --retry-delay 1 --retry-connrefused",
    ),
    Scenario(
        "openssl-intermediate",
        "openssl",
        "Is server.pem valid against our root?",
        "Verifying the server certificate ends with an issuer that cannot be found.",
        {
            "ca.cnf": "[ca]\nbasicConstraints=critical,CA:TRUE\nkeyUsage=keyCertSign\n[leaf]\nbasicConstraints=CA:FALSE\n"
        },
        (
            Run("openssl verify server.pem"),
            Run("openssl verify -CAfile root.pem server.pem"),
            Run("openssl verify -CAfile intermediate.pem server.pem"),
            Run("openssl verify -CAfile root.pem -untrusted intermediate.pem server.pem"),
        ),
        "openssl verify -CAfile root.pem -untrusted intermediate.pem server.pem",
        setup="for n in root intermediate server; do openssl genrsa -out $n.key 2048 2>/dev/null"
        " && openssl req -new -key $n.key -subj /CN=$n -out $n.csr; done"
        " && openssl x509 -req -in root.csr -signkey root.key -extfile ca.cnf -extensions ca -days 900 -out root.pem 2>/dev/null"
        " && openssl x509 -req -in intermediate.csr -CA root.pem -CAkey root.key -CAcreateserial -extfile ca.cnf"
        " -extensions ca -days 900 -out intermediate.pem 2>/dev/null"
        " && openssl x509 -req -in server.csr -CA intermediate.pem -CAkey intermediate.key -CAcreateserial -extfile ca.cnf"
        " -extensions leaf -days 900 -out server.pem 2>/dev/null",
        client="codex-exec",
    ),
    Scenario(
        "tar-wrong-compression",
        "tar",
        "Unpack backup.tgz into restore/.",
        "The archive of the backup cannot be extracted, gzip rejects it.",
        {},
        (
            Run("mkdir restore && tar xzf backup.tgz -C restore"),
            Run("file backup.tgz || head -c 6 backup.tgz | od -c"),
            Run("tar xJf backup.tgz -C restore"),
            Run("ls restore"),
        ),
        "tar xJf backup.tgz -C restore",
        setup="mkdir data && echo 1 > data/a.txt && tar cJf backup.tgz data && rm -r data",
        client="log",
    ),
    Scenario(
        "join-unsorted",
        "shell",
        "Join prices.txt and stock.txt on the article number.",
        "Combining the two article lists fails because of their order.",
        {"prices.txt": "a10 5\na2 3\na7 9\n", "stock.txt": "a7 1\na10 4\na2 8\n"},
        (
            Run("join prices.txt stock.txt"),
            Run("join --check-order prices.txt stock.txt"),
            Run("join <(sort prices.txt) <(sort stock.txt)"),
        ),
        "join <(sort prices.txt) <(sort stock.txt)",
        client="openhands",
    ),
    Scenario(
        "git-divergent",
        "git",
        "Bring my branch up to date with origin/main.",
        "git pull does not know how to combine the two histories.",
        {},
        (
            Run("git pull"),
            Run("git pull --ff-only"),
            Hear("We always rebase here, there must be no merge commits on main."),
            Run("git pull --rebase"),
            Run("git log --oneline"),
        ),
        "git pull --rebase",
        setup="git init -q --bare -b main ../remote.git && git init -q -b main . && "
        + _COMMIT
        + " && echo a > a && git add a && git commit -qm a && git remote add origin ../remote.git && git push -qu origin main"
        " && git clone -q ../remote.git ../other && (cd ../other && " + _COMMIT + " && echo b > b && git add b"
        " && git commit -qm b && git push -q) && echo c > c && git add c && git commit -qm c",
        client="codex",
    ),
    Scenario(
        "git-submodule-file",
        "git",
        "Fetch the submodules of this checkout.",
        "The submodule of the theme is not cloned: a transport is forbidden.",
        {},
        (
            Run("git submodule update --init"),
            Run("git submodule sync && git submodule update --init"),
            Run("git -c protocol.file.allow=always submodule update --init"),
        ),
        "git -c protocol.file.allow=always submodule update --init",
        setup="git init -q -b main ../theme && (cd ../theme && "
        + _COMMIT
        + " && echo x > x && git add x && git commit -qm x)"
        " && git init -q -b main . && "
        + _COMMIT
        + " && git -c protocol.file.allow=always submodule --quiet add ../theme theme"
        " && git commit -qm s && git submodule --quiet deinit -f theme && rm -rf .git/modules/theme",
        client="gemini",
    ),
    Scenario(
        "npm-no-lock-file",
        "node",
        "CI runs npm ci and fails; what is missing?",
        "A clean install of the dashboard stops because of a lock file.",
        {"package.json": '{\n  "name": "dash",\n  "version": "1.0.0"\n}\n'},
        (
            Run("npm ci --offline"),
            Run("npm ci --offline --force"),
            Run("npm install --offline --package-lock-only"),
            Run("npm ci --offline"),
        ),
        "npm install --offline --package-lock-only",
        client="openhands",
    ),
    Scenario(
        "find-blanks",
        "shell",
        "Copy all jpg files below photos into out.",
        "Copying pictures fails for names with blanks.",
        {},
        (
            Run("cp $(find photos -name '*.jpg') out/"),
            Run("find photos -name '*.jpg' | xargs -I cp {} out/"),
            Run("find photos -name '*.jpg' -print0 | xargs -0 -I{} cp {} out/"),
            Run("ls out"),
        ),
        "find photos -name '*.jpg' -print0 | xargs -0 -I{} cp {} out/",
        setup="mkdir -p photos/2024 out && touch 'photos/2024/summer day.jpg' photos/a.jpg",
        client="log",
    ),
    Scenario(
        "py-local-time",
        "python",
        "Run tests/test_invoices.py and tell me whether it passes.",
        "Invoice tests fail on a build machine that is set to UTC.",
        {
            "tests/test_invoices.py": "import time\n\n\ndef test_due_hour():\n"
            "    assert time.localtime(1767225600).tm_hour == 1  # midnight UTC, invoices are due in local time\n"
        },
        (
            Run("python -m pytest -q -p no:cacheprovider tests/test_invoices.py"),
            Run("date +%Z"),
            Run("TZ=CET-1CEST python -m pytest -q -p no:cacheprovider tests/test_invoices.py"),
        ),
        "TZ=CET-1CEST python -m pytest",
        client="gemini",
    ),
    Scenario(
        "jq-null-list",
        "jq",
        "Print the prices in feed.json.",
        "jq breaks on feed entries without a list.",
        {"feed.json": '{"shops": [{"items": [{"price": 3}]}, {"name": "empty"}]}\n'},
        (
            Run("jq '.shops[].items[].price' feed.json"),
            Run("jq '.shops[].items | .[].price' feed.json"),
            Run("jq '.shops[].items[]?.price' feed.json"),
            Edit("feed.json", '"name": "empty"', '"name": "closed"'),
            Run("jq '.shops[].items[]?.price' feed.json"),
        ),
        "jq '.shops[].items[]?.price' feed.json",
        client="codex",
    ),
)
