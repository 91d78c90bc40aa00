"""Small projects with a fault in each, and how an agent finds and mends it: what `record.py` runs with real tools."""

from __future__ import annotations

from benchmarks.lessons.scenario import Edit, Run, Say, Scenario

SCENARIOS = (
    Scenario(
        "py-mutable-default",
        "python",
        "test_cart fails when the whole file is run but passes alone. Find out why and fix it.",
        "A shopping cart keeps items of an earlier customer; its tests depend on their order.",
        {
            "cart.py": "def add(item, items=[]):\n    items.append(item)\n    return items\n",
            "test_cart.py": "from cart import add\n\n\ndef test_one():\n    assert add('a') == ['a']\n\n\n"
            "def test_two():\n    assert add('b') == ['b']\n",
        },
        (
            Run("python -m pytest -q test_cart.py"),
            Run("cat cart.py"),
            Edit(
                "cart.py",
                "def add(item, items=[]):\n",
                "def add(item, items=None):\n    items = [] if items is None else items\n",
            ),
            Run("python -m pytest -q test_cart.py"),
            Say("The default list was shared between calls: add() now makes a new list where none is given."),
        ),
        "def add(item, items=None):",
    ),
    Scenario(
        "py-module-path",
        "python",
        "Run the unit tests of the billing package.",
        "How do I start the billing tests in this repository?",
        {
            "src/billing/__init__.py": "def total(xs):\n    return sum(xs)\n",
            "checks/test_total.py": "from billing import total\n\n\ndef test_total():\n    assert total([1, 2]) == 3\n",
        },
        (
            Run("python -m pytest -q checks"),
            Run("ls src"),
            Run("PYTHONPATH=src python -m pytest -q checks"),
            Say("The package lives under src/, so the tests need PYTHONPATH=src."),
        ),
        "PYTHONPATH=src python -m pytest -q checks",
    ),
    Scenario(
        "py-timezone",
        "python",
        "The invoice report crashes at month end. Make report.py work.",
        "Comparing due dates in the invoice report raises an exception.",
        {
            "report.py": "from datetime import datetime, timezone\n\nDUE = datetime(2026, 1, 31)\n\n"
            "print('late' if datetime.now(timezone.utc) > DUE else 'open')\n"
        },
        (
            Run("python report.py"),
            Edit("report.py", "datetime(2026, 1, 31)", "datetime(2026, 1, 31, tzinfo=timezone.utc)"),
            Run("python report.py"),
            Say("DUE was a naive datetime; all dates in reports must carry tzinfo=timezone.utc."),
        ),
        "tzinfo=timezone.utc",
    ),
    Scenario(
        "py-encoding",
        "python",
        "import_names.py fails on the customer file from Austria.",
        "Reading the Austrian customer list ends in a decoding error.",
        {"import_names.py": "print(open('names.csv', encoding='utf-8').read().count(';'))\n"},
        (
            Run("python import_names.py"),
            Edit("import_names.py", "encoding='utf-8'", "encoding='cp1252'"),
            Run("python import_names.py"),
            Say("The ERP exports names.csv in Windows-1252, not in UTF-8."),
        ),
        "encoding='cp1252'",
        setup="printf 'M\\374ller;Graz\\n' > names.csv",
    ),
    Scenario(
        "py-unittest-discovery",
        "python",
        "Check that the parser tests pass.",
        "Which command runs the parser's unit tests?",
        {
            "parser.py": "def parse(text):\n    return text.split(',')\n",
            "specs/__init__.py": "",
            "specs/parser_spec.py": "import unittest\nfrom parser import parse\n\n\n"
            "class ParserSpec(unittest.TestCase):\n"
            "    def test_split(self):\n        self.assertEqual(parse('a,b'), ['a', 'b'])\n",
        },
        (
            Run("python -m unittest specs.test_parser"),
            Run("ls specs"),
            Run("python -m unittest discover -s specs -p '*_spec.py' -t ."),
        ),
        "python -m unittest discover -s specs -p '*_spec.py' -t .",
    ),
    Scenario(
        "py-circular-import",
        "python",
        "python app.py fails at start since the refactoring of models.",
        "After moving code between models and services the application does not start: import error.",
        {
            "app.py": "from models import User\n\nprint(User('ann').greet())\n",
            "models.py": "from services import greeting\n\n\nclass User:\n    def __init__(self, name):\n"
            "        self.name = name\n\n"
            "    def greet(self):\n        return greeting(self)\n",
            "services.py": "from models import User\n\n\ndef greeting(user: User):\n    return f'hello {user.name}'\n",
        },
        (
            Run("python app.py"),
            Edit(
                "services.py",
                "from models import User\n",
                "from __future__ import annotations\n\nfrom typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n"
                "    from models import User\n",
            ),
            Run("python app.py"),
            Say("services imports models for the annotation only, so the import belongs under TYPE_CHECKING."),
        ),
        "TYPE_CHECKING",
    ),
    Scenario(
        "py-json-decimal",
        "python",
        "export.py cannot write the price list as JSON.",
        "Serialising prices for the web shop fails.",
        {
            "export.py": "import json\nfrom decimal import Decimal\n\nprint(json.dumps({'price': Decimal('9.90')}))\n",
        },
        (
            Run("python export.py"),
            Edit(
                "export.py",
                "json.dumps({'price': Decimal('9.90')})",
                "json.dumps({'price': Decimal('9.90')}, default=str)",
            ),
            Run("python export.py"),
            Say("Prices go out as strings (default=str), never as floats: the shop rounds floats wrongly."),
        ),
        "default=str",
    ),
    Scenario(
        "node-missing-script",
        "node",
        "Run the tests of the web client.",
        "npm cannot start the web client's tests; what is the right command?",
        {
            "package.json": '{"name": "web", "scripts": {"test:unit": "node --test"}}\n',
            "sum.test.js": "const test = require('node:test');\nconst assert = require('node:assert');\n"
            "test('sum', () => assert.strictEqual(1 + 1, 2));\n",
        },
        (Run("npm test"), Run("cat package.json"), Run("npm run test:unit")),
        "npm run test:unit",
    ),
    Scenario(
        "node-esm",
        "node",
        "node build.js fails with a syntax error about import.",
        "The build script does not start: cannot use import statement.",
        {
            "package.json": '{\n  "name": "site",\n  "version": "1.0.0"\n}\n',
            "build.mjs.txt": "",
            "build.js": "import fs from 'node:fs';\nimport { a } from './lib.js';\n"
            "console.log(fs.existsSync('.'), a);\n",
            "lib.js": "export const a = 1;\n",
        },
        (
            Run("node --no-experimental-detect-module build.js"),
            Edit("package.json", '  "version": "1.0.0"\n', '  "version": "1.0.0",\n  "type": "module"\n'),
            Run("node --no-experimental-detect-module build.js"),
            Say('The sources are ES modules, so package.json needs "type": "module".'),
        ),
        '"type": "module"',
    ),
    Scenario(
        "node-undefined-property",
        "node",
        "The price formatter crashes for products without a discount.",
        "Formatting a product that has no discount throws a TypeError.",
        {
            "format.js": "module.exports = (p) => `${p.price} (-${p.discount.percent}%)`;\n",
            "format.test.js": "const test = require('node:test');\nconst assert = require('node:assert');\n"
            "const format = require('./format');\n"
            "test('no discount', () => assert.strictEqual(format({ price: 5 }), '5 (-0%)'));\n",
        },
        (
            Run("node --test format.test.js"),
            Edit("format.js", "p.discount.percent", "p.discount?.percent ?? 0"),
            Run("node --test format.test.js"),
            Say("discount is optional in the catalogue: read it with ?. and default to 0."),
        ),
        "p.discount?.percent ?? 0",
    ),
    Scenario(
        "node-port-env",
        "node",
        "Start the mock server once to see that it answers.",
        "The mock API server refuses to start.",
        {
            "server.js": "if (!process.env.MOCK_PORT) { throw new Error('MOCK_PORT is not set'); }\n"
            "console.log('listening on ' + process.env.MOCK_PORT);\n"
        },
        (Run("node server.js"), Run("MOCK_PORT=4010 node server.js")),
        "MOCK_PORT=4010 node server.js",
    ),
    Scenario(
        "node-async-test",
        "node",
        "The loader test fails although the file is there.",
        "A test of the asynchronous loader compares a promise instead of its value.",
        {
            "load.js": "module.exports = async () => 42;\n",
            "load.test.js": "const test = require('node:test');\nconst assert = require('node:assert');\n"
            "const load = require('./load');\ntest('loads', () => { assert.strictEqual(load(), 42); });\n",
        },
        (
            Run("node --test load.test.js"),
            Edit(
                "load.test.js",
                "test('loads', () => { assert.strictEqual(load(), 42); });",
                "test('loads', async () => { assert.strictEqual(await load(), 42); });",
            ),
            Run("node --test load.test.js"),
        ),
        "await load()",
    ),
    Scenario(
        "node-json-comma",
        "node",
        "check-config.js reports that config.json is broken.",
        "The configuration file cannot be parsed by the checker.",
        {
            "config.json": '{\n  "retries": 3,\n  "timeout": 30,\n}\n',
            "check-config.js": "const text = require('node:fs').readFileSync('config.json', 'utf8');\n"
            "console.log(JSON.parse(text).retries);\n",
        },
        (
            Run("node check-config.js"),
            Edit("config.json", '"timeout": 30,\n', '"timeout": 30\n'),
            Run("node check-config.js"),
            Say("config.json must be strict JSON: no trailing comma behind the last entry."),
        ),
        "trailing comma",
    ),
    Scenario(
        "rust-moved-value",
        "rust",
        "src/main.rs does not compile any more.",
        "The Rust binary fails to build because of ownership.",
        {
            "main.rs": "fn show(words: Vec<String>) -> usize {\n    words.len()\n}\n\nfn main() {\n"
            '    let words = vec![String::from("a")];\n    println!("{}", show(words));\n'
            '    println!("{:?}", words);\n}\n'
        },
        (
            Run("rustc main.rs -o app"),
            Edit("main.rs", "show(words)", "show(words.clone())"),
            Run("rustc main.rs -o app"),
        ),
        "show(words.clone())",
    ),
    Scenario(
        "rust-missing-trait",
        "rust",
        "Make the debug output of Point compile.",
        "Printing a struct with {:?} is refused by the compiler.",
        {
            "point.rs": "struct Point {\n    x: i32,\n}\n\nfn main() {\n"
            '    println!("{:?} {}", Point { x: 1 }, Point { x: 1 }.x);\n}\n'
        },
        (
            Run("rustc point.rs -o point"),
            Edit("point.rs", "struct Point {", "#[derive(Debug)]\nstruct Point {"),
            Run("rustc point.rs -o point"),
        ),
        "#[derive(Debug)]",
    ),
    Scenario(
        "rust-edition",
        "rust",
        "Compile async_job.rs.",
        "Building the asynchronous job with the bare compiler fails.",
        {"async_job.rs": "async fn job() -> u8 {\n    1\n}\n\nfn main() {\n    let _pending = job();\n}\n"},
        (Run("rustc async_job.rs -o job"), Run("rustc --edition 2021 async_job.rs -o job")),
        "rustc --edition 2021 async_job.rs -o job",
    ),
    Scenario(
        "rust-offline-cargo",
        "rust",
        "Run the tests of the ledger crate.",
        "cargo refuses the lock file when the crate's tests are run.",
        {
            "Cargo.toml": '[package]\nname = "ledger"\nversion = "0.1.0"\nedition = "2021"\n',
            "src/lib.rs": "pub fn add(a: i32, b: i32) -> i32 {\n    a + b\n}\n\n#[test]\nfn adds() {\n"
            "    assert_eq!(add(1, 2), 3);\n}\n",
        },
        (Run("cargo test --locked --offline"), Run("cargo test --offline")),
        "cargo test --offline",
    ),
    Scenario(
        "rust-overflow",
        "rust",
        "The checksum program panics on long input.",
        "An arithmetic overflow stops the checksum tool.",
        {
            "sum.rs": "fn main() {\n    let data = vec![200u8, 100u8];\n    let mut sum = 0u8;\n    for b in data {\n"
            '        sum += b;\n    }\n    println!("{}", sum);\n}\n'
        },
        (
            Run("rustc sum.rs -o sum && ./sum"),
            Edit("sum.rs", "sum += b;", "sum = sum.wrapping_add(b);"),
            Run("rustc sum.rs -o sum && ./sum"),
            Say("Checksums wrap around by definition, so wrapping_add is right here."),
        ),
        "sum.wrapping_add(b)",
    ),
    Scenario(
        "c-link-math",
        "c",
        "Build the statistics tool stats.c.",
        "Linking the statistics program ends with an undefined reference.",
        {
            "stats.c": "#include <math.h>\n#include <stdio.h>\n#include <stdlib.h>\n\n"
            "int main(int argc, char **argv) {\n"
            '    printf("%f\\n", pow(atof(argv[argc - 1]), 0.5));\n    return 0;\n}\n'
        },
        (Run("gcc stats.c -o stats"), Run("gcc stats.c -o stats -lm"), Run("./stats 9")),
        "gcc stats.c -o stats -lm",
    ),
    Scenario(
        "c-implicit",
        "c",
        "make fails with warnings treated as errors.",
        "The C build stops at an implicit declaration.",
        {
            "Makefile": "app: app.c\n\tgcc -Wall -Werror -o app app.c\n",
            "app.c": '#include <stdio.h>\n\nint main(void) {\n    printf("%zu\\n", strlen("abc"));\n    return 0;\n}\n',
        },
        (
            Run("make"),
            Edit("app.c", "#include <stdio.h>\n", "#include <stdio.h>\n#include <string.h>\n"),
            Run("make"),
        ),
        "#include <string.h>",
    ),
    Scenario(
        "c-make-tabs",
        "c",
        "make says: missing separator.",
        "The Makefile cannot be read.",
        {"Makefile": "hello:\n    echo hello\n"},
        (
            Run("make hello"),
            Edit("Makefile", "    echo hello", "\techo hello"),
            Run("make hello"),
            Say("Recipes in this Makefile must begin with a tab, not with spaces."),
        ),
        "must begin with a tab",
    ),
    Scenario(
        "c-cmake-build-dir",
        "cmake",
        "Build the native module with CMake.",
        "CMake complains about the source folder when the native module is built.",
        {
            "native/CMakeLists.txt": "cmake_minimum_required(VERSION 3.10)\nproject(native C)\n"
            "add_executable(native main.c)\n",
            "native/main.c": "int main(void) {\n    return 0;\n}\n",
        },
        (Run("cmake -B build ."), Run("cmake -B build -S native"), Run("cmake --build build")),
        "cmake -B build -S native",
    ),
    Scenario(
        "java-class-name",
        "java",
        "Compile the Java greeter.",
        "javac refuses the greeter's source file.",
        {
            "Greeter.java": "public class Greeting {\n    public static void main(String[] args) {\n"
            '        System.out.println("hi");\n    }\n}\n'
        },
        (
            Run("javac Greeter.java"),
            Edit("Greeter.java", "public class Greeting", "public class Greeter"),
            Run("javac Greeter.java"),
        ),
        "public class Greeter",
    ),
    Scenario(
        "java-classpath",
        "java",
        "Run the report main class.",
        "The JVM cannot find the report's main class.",
        {
            "src/report/Main.java": "package report;\n\npublic class Main {\n"
            '    public static void main(String[] a) {\n        System.out.println("ok");\n    }\n}\n'
        },
        (
            Run("javac -d out src/report/Main.java"),
            Run("java -cp out Main"),
            Run("java -cp out report.Main"),
        ),
        "java -cp out report.Main",
    ),
    Scenario(
        "java-checked-exception",
        "java",
        "Loader.java does not compile.",
        "The loader class is rejected for an unreported exception.",
        {
            "Loader.java": "import java.nio.file.*;\n\npublic class Loader {\n    static String load(String f) {\n"
            "        return Files.readString(Path.of(f));\n    }\n}\n"
        },
        (
            Run("javac Loader.java"),
            Edit(
                "Loader.java",
                "static String load(String f) {",
                "static String load(String f) throws java.io.IOException {",
            ),
            Run("javac Loader.java"),
        ),
        "throws java.io.IOException",
    ),
    Scenario(
        "git-detached",
        "git",
        "Push the hotfix branch to the remote called origin.",
        "git does not want to push the branch for the hotfix.",
        {"a.txt": "a\n"},
        (
            Run("git push"),
            Run("git push --set-upstream origin hotfix"),
            Say("New branches need --set-upstream origin once; push.autoSetupRemote is off here."),
        ),
        "git push --set-upstream origin hotfix",
        setup="git init -q -b hotfix . && git config user.email a@example.org && git config user.name a"
        " && git add a.txt"
        " && git commit -qm a && git init -q --bare ../remote.git && git remote add origin ../remote.git",
    ),
    Scenario(
        "git-merge-unrelated",
        "git",
        "Merge the imported history branch into main.",
        "Merging the branch with the imported history is refused.",
        {"a.txt": "a\n"},
        (Run("git merge imported"), Run("git merge --allow-unrelated-histories -m 'merge import' imported")),
        "git merge --allow-unrelated-histories",
        setup="git init -q -b main . && git config user.email a@example.org && git config user.name a && git add a.txt"
        " && git commit -qm a && git checkout -q --orphan imported && git rm -qf a.txt && echo b > b.txt"
        " && git add b.txt"
        " && git commit -qm b && git checkout -q main",
    ),
    Scenario(
        "git-delete-branch",
        "git",
        "Delete the local branch experiment.",
        "Removing the experiment branch fails since it was not merged.",
        {"a.txt": "a\n"},
        (
            Run("git branch -d experiment"),
            Run("git branch -D experiment"),
            Say("experiment was abandoned on purpose, so -D is right for it."),
        ),
        "git branch -D experiment",
        setup="git init -q -b main . && git config user.email a@example.org && git config user.name a && git add a.txt"
        " && git commit -qm a && git checkout -q -b experiment && echo c > c.txt && git add c.txt && git commit -qm c"
        " && git checkout -q main",
    ),
    Scenario(
        "perl-strict",
        "perl",
        "The log counter script dies.",
        "count.pl stops with a message about a global symbol.",
        {"count.pl": 'use strict;\nuse warnings;\n$count = 3;\nprint "$count\\n";\n'},
        (
            Run("perl count.pl"),
            Edit("count.pl", "$count = 3;", "my $count = 3;"),
            Run("perl count.pl"),
        ),
        "my $count = 3;",
    ),
    Scenario(
        "perl-include",
        "perl",
        "Run the report script tools/report.pl.",
        "Perl cannot locate the module that the report needs.",
        {
            "lib/My/Sum.pm": "package My::Sum;\nsub add { $_[0] + $_[1] }\n1;\n",
            "tools/report.pl": 'use strict;\nuse My::Sum;\nprint My::Sum::add(1, 2), "\\n";\n',
        },
        (Run("perl tools/report.pl"), Run("perl -Ilib tools/report.pl")),
        "perl -Ilib tools/report.pl",
    ),
    Scenario(
        "shell-permission",
        "shell",
        "Run the deploy script in dry mode.",
        "./deploy.sh is not allowed to run.",
        {"deploy.sh": '#!/bin/sh\nset -eu\necho "would deploy to ${1:-staging}"\n'},
        (Run("./deploy.sh --dry-run"), Run("chmod +x deploy.sh"), Run("./deploy.sh --dry-run")),
        "chmod +x deploy.sh",
    ),
    Scenario(
        "shell-bashism",
        "shell",
        "backup.sh fails on the build machine.",
        "The backup script does not run under sh.",
        {"backup.sh": 'set -eu\nparts=(a b)\necho "${parts[1]}"\n'},
        (Run("sh backup.sh"), Run("bash backup.sh"), Say("backup.sh uses arrays, so it needs bash; sh is dash here.")),
        "bash backup.sh",
    ),
    Scenario(
        "sql-column",
        "sql",
        "query.py lists no overdue orders but fails.",
        "The overdue orders query names a column that does not exist.",
        {
            "query.py": "import sqlite3\n\ndb = sqlite3.connect(':memory:')\n"
            "db.execute('create table orders (id integer, due_on text)')\n"
            "print(db.execute('select id from orders where due_date < ?', ('2026-01-01',)).fetchall())\n"
        },
        (
            Run("python query.py"),
            Edit("query.py", "due_date < ?", "due_on < ?"),
            Run("python query.py"),
            Say("Date columns in this schema end in _on (due_on, paid_on), not in _date."),
        ),
        "due_on < ?",
    ),
    Scenario(
        "tcl-package",
        "tcl",
        "Run the Tcl smoke test.",
        "tclsh does not find the package of the smoke test.",
        {
            "pkgs/demo/pkgIndex.tcl": "package ifneeded demo 1.0 [list source [file join $dir demo.tcl]]\n",
            "pkgs/demo/demo.tcl": "package provide demo 1.0\nproc demo::hi {} {}\nnamespace eval demo {}\n",
            "smoke.tcl": "package require demo\nputs ok\n",
        },
        (
            Run("tclsh smoke.tcl"),
            Edit(
                "pkgs/demo/demo.tcl",
                "proc demo::hi {} {}\nnamespace eval demo {}\n",
                "namespace eval demo {}\nproc demo::hi {} {}\n",
            ),
            Run("TCLLIBPATH=pkgs tclsh smoke.tcl"),
        ),
        "TCLLIBPATH=pkgs tclsh smoke.tcl",
    ),
)
