"""Perl, shell, SQL and Tcl."""

from __future__ import annotations

from benchmarks.lessons.scenario import Edit, Run, Say, Scenario

SCRIPTS = (
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
