# ruff: noqa: E501 - files as they stand in the projects
"""Sessions in which code, data or a test was wrong."""

from __future__ import annotations

from benchmarks.lessons.scenario import Edit, Hear, Run, Say, Scenario, Write

_CASES = ", ".join(f"({n}, {n * 2})" for n in range(60))

CODE = (
    Scenario(
        "py-marker-config",
        "python",
        "The new integration test is not collected, pytest errors out.",
        "pytest refuses a mark that it does not know.",
        {
            "pytest.ini": "[pytest]\naddopts = --strict-markers\nmarkers =\n    slow: takes longer than a second\n",
            "test_sync.py": "import pytest\n\n\n@pytest.mark.staging\ndef test_sync():\n    assert True\n",
        },
        (
            Run("python -m pytest -q -p no:cacheprovider"),
            Run("python -m pytest -q -p no:cacheprovider -m staging"),
            Edit(
                "pytest.ini",
                "    slow: takes longer than a second\n",
                "    slow: takes longer than a second\n    staging: needs the staging database\n",
            ),
            Run("python -m pytest -q -p no:cacheprovider"),
        ),
        "staging: needs the staging database",
        client="codex",
    ),
    Scenario(
        "node-numeric-sort",
        "node",
        "top3.test.js fails, the ranking is wrong for large scores.",
        "High scores come out in the wrong order in the leaderboard.",
        {
            "top3.js": "module.exports = (scores) => scores.map((s) => Math.round(s)).sort().reverse().slice(0, 3);\n",
            "top3.test.js": "const test = require('node:test');\nconst assert = require('node:assert');\n"
            "const top3 = require('./top3');\n"
            "test('top3', () => assert.deepStrictEqual(top3([9, 100, 25, 80]), [100, 80, 25]));\n",
        },
        (
            Run("node --test top3.test.js"),
            Say("The rounding is to blame: Math.round changes the scores before they are compared."),
            Edit("top3.js", "scores.map((s) => Math.round(s)).sort()", "scores.map((s) => Math.floor(s)).sort()"),
            Run("node --test top3.test.js"),
            Say("It was not the rounding. sort() without a comparator compares as strings."),
            Edit(
                "top3.js",
                "scores.map((s) => Math.floor(s)).sort().reverse()",
                "scores.map((s) => Math.round(s)).sort((a, b) => b - a)",
            ),
            Run("node --test top3.test.js"),
        ),
        "sort((a, b) => b - a)",
        client="gemini",
    ),
    Scenario(
        "py-rounding-rule",
        "python",
        "test_vat.py fails for some amounts. Find the cause and fix vat().",
        "The tax on an invoice is one cent off.",
        {
            "vat.py": "from decimal import Decimal\n\n\ndef vat(net):\n    return round(float(net) * 0.19, 2)\n",
            "test_vat.py": "from decimal import Decimal\n\nimport pytest\n\nfrom vat import vat\n\n"
            f"\n@pytest.mark.parametrize('n, double', [{_CASES}])\ndef test_plain(n, double):\n    assert n * 2 == double\n\n"
            "\ndef test_half():\n    assert vat(Decimal('0.50')) == Decimal('0.10')\n\n"
            "\ndef test_even():\n    assert vat(Decimal('4.50')) == Decimal('0.86')\n\n"
            "\ndef test_even_down():\n    assert vat(Decimal('6.50')) == Decimal('1.24')\n",
        },
        (
            Run("python -m pytest -v -p no:cacheprovider test_vat.py"),
            Edit(
                "vat.py",
                "from decimal import Decimal\n\n\ndef vat(net):\n    return round(float(net) * 0.19, 2)\n",
                "from decimal import ROUND_HALF_UP, Decimal\n\n\ndef vat(net):\n"
                "    return (net * Decimal('0.19')).quantize(Decimal('0.01'), ROUND_HALF_UP)\n",
            ),
            Run("python -m pytest -v -p no:cacheprovider test_vat.py"),
            Hear("Not half up: accounting rounds half to even, see the handbook."),
            Edit(
                "vat.py",
                "from decimal import ROUND_HALF_UP, Decimal\n\n\ndef vat(net):\n"
                "    return (net * Decimal('0.19')).quantize(Decimal('0.01'), ROUND_HALF_UP)\n",
                "from decimal import ROUND_HALF_EVEN, Decimal\n\n\ndef vat(net):\n"
                "    return (net * Decimal('0.19')).quantize(Decimal('0.01'), ROUND_HALF_EVEN)\n",
            ),
            Run("python -m pytest -v -p no:cacheprovider test_vat.py"),
        ),
        "ROUND_HALF_EVEN",
    ),
    Scenario(
        "perl-source-encoding",
        "perl",
        "prove fails in t/umlaut.t. Fix lib/Name.pm.",
        "The Perl test about umlauts counts too many characters.",
        {
            "lib/Name.pm": "package Name;\nuse strict;\nuse warnings;\n\nsub city { return 'Köln' }\n\n1;\n",
            "t/umlaut.t": "use strict;\nuse warnings;\nuse Test::More tests => 3;\nuse Name;\n\nok(1, 'loads');\n"
            "is(length(Name::city()), 4, 'four letters');\nlike(Name::city(), qr/^K/, 'begins with K');\n",
        },
        (
            Run("prove -Ilib t/"),
            Edit("lib/Name.pm", "use warnings;\n", "use warnings;\nbinmode(STDOUT, ':utf8');\n"),
            Run("prove -Ilib t/"),
            Edit("lib/Name.pm", "binmode(STDOUT, ':utf8');\n", "use utf8;\n"),
            Run("prove -Ilib t/"),
        ),
        "use utf8;",
    ),
    Scenario(
        "sqlite-missing-migration",
        "sql",
        "check_users.py crashes on the developers' databases.",
        "The user check fails for a column that an older local database lacks.",
        {
            "check_users.py": "import sqlite3\n\ndb = sqlite3.connect('app.db')\n"
            "print(db.execute('select count(*) from users where verified = 1').fetchone()[0], 'verified')\n",
            "migrations/0001_users.sql": "create table users (id integer primary key, email text);\n",
            "migrations/0002_verified.sql": "alter table users add column verified integer not null default 0;\n"
            "update users set verified = 1 where email like '%@example.org';\n",
        },
        (
            Run("python check_users.py"),
            Run("sqlite3 app.db .schema"),
            Run("ls migrations"),
            Run("sqlite3 app.db < migrations/0002_verified.sql"),
            Run("python check_users.py"),
        ),
        "sqlite3 app.db < migrations/0002_verified.sql",
        setup="sqlite3 app.db < migrations/0001_users.sql && sqlite3 app.db \"insert into users(email) values('a@example.org')\"",
        client="openhands",
    ),
    Scenario(
        "sqlite-locked",
        "sql",
        "import_orders.py fails every other day. Make it robust.",
        "Two jobs write to the order database at once and one of them gives up.",
        {
            "import_orders.py": "import sqlite3\nimport threading\nimport time\n\nsetup = sqlite3.connect('orders.db')\n"
            "setup.execute('create table if not exists orders (id integer)')\nsetup.commit()\n\n\ndef hold():\n"
            "    other = sqlite3.connect('orders.db', isolation_level=None)\n    other.execute('begin immediate')\n"
            "    time.sleep(1.5)\n    other.execute('commit')\n\n\nholder = threading.Thread(target=hold)\nholder.start()\n"
            "time.sleep(0.3)\ndb = sqlite3.connect('orders.db', timeout=0.2)\n"
            "db.execute('insert into orders values (1)')\ndb.commit()\nprint('imported')\n"
        },
        (
            Run("python import_orders.py"),
            Say("The table may be damaged."),
            Run("sqlite3 orders.db 'pragma integrity_check'"),
            Edit("import_orders.py", "timeout=0.2", "timeout=30"),
            Run("python import_orders.py"),
        ),
        "timeout=30",
    ),
    Scenario(
        "node-missing-config",
        "node",
        "npm start crashes on my machine.",
        "The service does not come up after cloning because a settings file is missing.",
        {
            "package.json": '{"name": "svc", "scripts": {"start": "node index.js"}}\n',
            "index.js": "const fs = require('node:fs');\n"
            "const config = JSON.parse(fs.readFileSync('config/local.json', 'utf8'));\nconsole.log('port', config.port);\n",
            "config/local.example.json": '{"port": 3100}\n',
        },
        (
            Run("npm start"),
            Run("npm install --offline --no-audit"),
            Run("npm start"),
            Run("ls config"),
            Run("cp config/local.example.json config/local.json"),
            Run("npm start"),
        ),
        "cp config/local.example.json config/local.json",
        client="openhands",
    ),
    Scenario(
        "py-package-init",
        "python",
        "pytest cannot import the helpers from tests/unit.",
        "Unit tests end in an import error about their shared helper module.",
        {
            "tests/helpers.py": "def make():\n    return 1\n",
            "tests/unit/test_make.py": "from ..helpers import make\n\n\ndef test_make():\n    assert make() == 1\n",
        },
        (
            Run("python -m pytest -q -p no:cacheprovider tests"),
            Run("PYTHONPATH=tests python -m pytest -q -p no:cacheprovider tests"),
            Write("tests/__init__.py", ""),
            Write("tests/unit/__init__.py", ""),
            Run("python -m pytest -q -p no:cacheprovider tests"),
        ),
        "tests/unit/__init__.py",
        client="gemini",
    ),
    Scenario(
        "java-heap-flag",
        "java",
        "run.sh dies while sorting the large file.",
        "The Java sorter runs out of memory.",
        {
            "Sort.java": "public class Sort {\n    public static void main(String[] a) {\n"
            "        long[] all = new long[12_000_000];\n        java.util.Arrays.sort(all);\n"
            '        System.out.println("sorted " + all.length);\n    }\n}\n',
            "run.sh": "#!/bin/sh\nexec java -Xmx32m Sort.java\n",
        },
        (
            Run("sh run.sh"),
            Edit("run.sh", "-Xmx32m", "-Xmx32m -Xss8m"),
            Run("sh run.sh"),
            Edit("run.sh", "-Xmx32m -Xss8m", "-Xmx256m"),
            Run("sh run.sh"),
        ),
        "-Xmx256m",
        client="gemini",
    ),
)
