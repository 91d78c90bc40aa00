# ruff: noqa: E501 - files as they stand in the projects
"""Sessions that were recorded after what the first ones showed had been mended, for another first look."""

from __future__ import annotations

from benchmarks.lessons.scenario import Edit, Hear, Run, Say, Scenario

_COMMIT = "git config user.email a@example.org && git config user.name a"

LATER = (
    Scenario(
        "git-cherry-pick-merge",
        "git",
        "Take the merge of the billing fix over to the release branch.",
        "Cherry-picking a merge commit is refused.",
        {"a.txt": "a\n"},
        (
            Run("git cherry-pick main"),
            Run("git cherry-pick --no-commit main"),
            Run("git log --oneline -3 main"),
            Run("git cherry-pick -m 1 main"),
            Run("git log --oneline -1"),
        ),
        "git cherry-pick -m 1 main",
        setup="git init -q -b main . && " + _COMMIT + " && git add a.txt && git commit -qm a && git branch release"
        " && git checkout -q -b fix && echo f > f.txt && git add f.txt && git commit -qm fix && git checkout -q main"
        " && git merge -q --no-ff -m 'merge billing fix' fix && git checkout -q release",
        client="codex",
    ),
    Scenario(
        "py-toml-module",
        "python",
        "settings.py does not start any more in the new environment.",
        "Reading the TOML settings fails for a module that is not installed.",
        {
            "settings.py": "import toml_reader\n\nwith open('app.toml') as f:\n    print(toml_reader.load(f)['port'])\n",
            "app.toml": "port = 8080\n",
        },
        (
            Run("python settings.py"),
            Run("pip install --no-index toml_reader"),
            Say(
                "There is no package index here. Python has a parser for TOML itself since 3.11; it wants a binary file."
            ),
            Edit("settings.py", "import toml_reader\n", "import tomllib\n"),
            Edit("settings.py", "open('app.toml') as f", "open('app.toml', 'rb') as f"),
            Edit("settings.py", "toml_reader.load(f)", "tomllib.load(f)"),
            Run("python settings.py"),
        ),
        "tomllib",
        client="gemini",
    ),
    Scenario(
        "c-library-order",
        "c",
        "Link main.c with our two static libraries.",
        "The linker reports symbols of libutil as undefined although the library is given.",
        {
            "main.c": "int app(void);\nint main(void) {\n    return app();\n}\n",
            "app.c": "int util(void);\nint app(void) {\n    return util();\n}\n",
            "util.c": "int util(void) {\n    return 0;\n}\n",
        },
        (
            Run("gcc -L. -lutil -lapp main.c -o main"),
            Say("libutil.a might be built for another architecture."),
            Run("nm libutil.a"),
            Run("gcc main.c -L. -lutil -lapp -o main"),
            Run("gcc main.c -L. -lapp -lutil -o main"),
            Run("./main"),
        ),
        "gcc main.c -L. -lapp -lutil -o main",
        setup="gcc -c app.c util.c && ar rc libapp.a app.o && ar rc libutil.a util.o && rm app.o util.o",
    ),
    Scenario(
        "npm-workspace-script",
        "node",
        "Please run the web package's tests.",
        "npm says that the test script is missing.",
        {
            "package.json": '{\n  "name": "root",\n  "private": true,\n  "workspaces": ["packages/*"]\n}\n',
            "packages/web/package.json": '{\n  "name": "@acme/web",\n  "version": "1.0.0",\n  "scripts": {"test": "node --test"}\n}\n',
            "packages/web/a.test.js": "require('node:test')('ok', () => {});\n",
        },
        (
            Run("npm test"),
            Run("npm run test:web"),
            Run("ls packages"),
            Run("npm test --workspace @acme/web"),
        ),
        "npm test --workspace @acme/web",
        client="codex-exec",
    ),
    Scenario(
        "sqlite-import-order",
        "sql",
        "Load the two SQL dumps into lib.db with foreign keys on.",
        "Importing books fails with a constraint on their authors.",
        {
            "schema.sql": "create table authors (id integer primary key);\n"
            "create table books (id integer primary key, author integer not null references authors(id));\n",
            "authors.sql": "insert into authors values (1);\n",
            "books.sql": "insert into books values (10, 1);\n",
        },
        (
            Run("cat books.sql authors.sql | sqlite3 -bail -cmd 'pragma foreign_keys=on' lib.db"),
            Run("cat schema.sql"),
            Run("cat authors.sql books.sql | sqlite3 -bail -cmd 'pragma foreign_keys=on' lib.db"),
        ),
        "cat authors.sql books.sql | sqlite3 -bail",
        setup="sqlite3 lib.db < schema.sql",
        client="openhands",
    ),
    Scenario(
        "shell-open-files",
        "shell",
        "run_all.sh stops halfway through the shards.",
        "Processing all shards ends because too many files are open.",
        {
            "run_all.sh": "#!/bin/bash\nset -e\nulimit -n 40\npython open_shards.py\n",
            "open_shards.py": "shards = [open('run_all.sh') for _ in range(60)]\nprint(len(shards), 'shards')\n",
        },
        (
            Run("bash run_all.sh"),
            Say("A shard may be missing on disk."),
            Run("ls"),
            Edit("run_all.sh", "set -e\n", "set -eu\n"),
            Run("bash run_all.sh"),
            Edit("run_all.sh", "ulimit -n 40", "ulimit -n 1024"),
            Run("bash run_all.sh"),
        ),
        "ulimit -n 1024",
    ),
    Scenario(
        "py-thread-race",
        "python",
        "test_worker.py is flaky, make it stable.",
        "A test looks at the result before the background worker has finished.",
        {
            "worker.py": "import threading\nimport time\n\n\ndef start(results):\n    def work():\n        time.sleep(0.5)\n"
            "        results.append('done')\n\n    worker = threading.Thread(target=work)\n    worker.start()\n    return worker\n",
            "test_worker.py": "import time\n\nfrom worker import start\n\n\ndef test_work():\n    results = []\n"
            "    worker = start(results)\n    time.sleep(0.1)\n    assert results == ['done']\n",
        },
        (
            Run("python -m pytest -q -p no:cacheprovider"),
            Edit("test_worker.py", "time.sleep(0.1)", "time.sleep(0.2)"),
            Run("python -m pytest -q -p no:cacheprovider"),
            Edit("test_worker.py", "time.sleep(0.2)", "worker.join(timeout=5)"),
            Run("python -m pytest -q -p no:cacheprovider"),
        ),
        "worker.join(timeout=5)",
        client="openhands",
    ),
    Scenario(
        "py-data-migration",
        "python",
        "load.py breaks on people.json. Get it running.",
        "The people file is in the old format and cannot be loaded.",
        {
            "load.py": "import json\n\nprint([person['full_name'] for person in json.load(open('people.json'))])\n",
            "people.json": '[{"first": "Ann", "last": "Berg"}]\n',
            "tools/migrate_people.py": "import json\nimport sys\n\nold = json.load(open(sys.argv[1]))\n"
            "new = [{'full_name': f\"{p['first']} {p['last']}\"} for p in old]\njson.dump(new, open(sys.argv[1], 'w'))\n",
        },
        (
            Run("python load.py"),
            Edit("load.py", "person['full_name']", "person.get('full_name', '')"),
            Run("python load.py"),
            Hear("That hides the problem. Leave load.py alone, the data has to be migrated, we have a tool for it."),
            Edit("load.py", "person.get('full_name', '')", "person['full_name']"),
            Run("ls tools"),
            Run("python tools/migrate_people.py people.json"),
            Run("python load.py"),
        ),
        "python tools/migrate_people.py people.json",
        client="gemini",
    ),
    Scenario(
        "openssl-key-derivation",
        "openssl",
        "Decrypt backup.enc with the pass phrase in pass.txt.",
        "Decrypting the backup ends in a bad decrypt.",
        {"pass.txt": "not-a-secret\n"},
        (
            Run("openssl enc -d -aes-256-cbc -pass file:pass.txt -in backup.enc -out backup.txt"),
            Run("openssl enc -d -aes-256-cbc -md md5 -pass file:pass.txt -in backup.enc -out backup.txt"),
            Run("openssl enc -d -aes-256-cbc -pbkdf2 -pass file:pass.txt -in backup.enc -out backup.txt"),
            Hear("It was written with 20000 iterations."),
            Run("openssl enc -d -aes-256-cbc -pbkdf2 -iter 20000 -pass file:pass.txt -in backup.enc -out backup.txt"),
        ),
        "-pbkdf2 -iter 20000",
        setup="printf 'rows of the table\\n%.0s' $(seq 9) | openssl enc -aes-256-cbc -pbkdf2 -iter 20000 -pass file:pass.txt -out backup.enc",
        client="codex",
    ),
    Scenario(
        "cargo-shared-file",
        "rust",
        "cargo test fails in this crate although each test passes on its own.",
        "Rust tests that share a file fail when they run together.",
        {
            "Cargo.toml": '[package]\nname = "spool"\nversion = "0.1.0"\nedition = "2021"\n',
            "src/lib.rs": "".join(
                f'#[test]\nfn writes_{name}() {{\n    std::fs::write("spool.tmp", "{name}").unwrap();\n'
                "    std::thread::sleep(std::time::Duration::from_millis(300));\n"
                f'    assert_eq!(std::fs::read_to_string("spool.tmp").unwrap(), "{name}");\n}}\n\n'
                for name in ("one", "two", "three")
            ),
        },
        (
            Run("cargo test --offline"),
            Run("cargo test --offline writes_one"),
            Run("cargo test --offline --release"),
            Run("cargo test --offline -- --test-threads=1"),
            Say("The tests write one file, so they need --test-threads=1."),
        ),
        "cargo test --offline -- --test-threads=1",
    ),
)
