"""Errors that a run fixed: a command that failed, and what it passed after."""

from __future__ import annotations

import pytest

from mcp_reflect.domain.lessons.failures.fixed_errors import find_fixed_errors
from mcp_reflect.domain.lessons.failures.repaired_failures import ReadSteps
from mcp_reflect.domain.lessons.run.commands.effects import asks_database
from mcp_reflect.domain.lessons.run.step import Step
from mcp_reflect.domain.models.repairing_edit import RepairingEdit
from tests.domain.lessons.test_rework import lesson

DOXYGEN = "meson.build:6:0: ERROR: Program 'doxygen' not found or not executable"
CHOICE = 'meson.build:1:0: ERROR: Value "false" for combo option "docs" is not one of the choices'
NO_DOCUMENT = "ReferenceError: document is not defined"
NO_MODULE = "Error: Cannot find package 'jsdom' imported from /app/vitest.config.js"


def ran(command: str, output: str = "", *, failed: bool = False) -> Step:
    return Step("command", "Bash", command, failed=failed, output=output)


def edited(old: str, new: str, file: str = "vitest.config.js") -> Step:
    return Step("edit", "Edit", f"/app/{file}", change=((old, new),), file=file)


def as_called(step: Step) -> tuple[str, dict[str, str], str, bool]:
    return step.tool, {"command": step.subject}, step.output, bool(step.failed)


def test_what_finally_worked_is_the_way_out_of_each_error_before_it() -> None:
    steps = [
        ran("meson setup build", DOXYGEN, failed=True),
        ran("meson setup build -Ddocs=false", CHOICE, failed=True),
        ran("meson setup build -Ddocs=disabled"),
    ]
    first, second = find_fixed_errors(ReadSteps(steps))
    assert first.fix == "Run `meson setup build -Ddocs=disabled` instead of `meson setup build`"
    assert second.fix == "Run `meson setup build -Ddocs=disabled` instead of `meson setup build -Ddocs=false`"
    assert first.edits == ()  # the call itself has to be another one


def test_an_error_that_made_way_for_another_one_has_the_change_between_them_as_its_fix() -> None:
    steps = [
        ran("npm test", NO_DOCUMENT, failed=True),
        edited("test: {}", "test: { environment: 'jsdom' }"),
        ran("npm test", NO_MODULE, failed=True),
        ran("npm i -D jsdom"),
        ran("npm test"),
    ]
    first, second = find_fixed_errors(ReadSteps(steps))
    assert first.fix.endswith("`test: {}` → `test: { environment: 'jsdom' }`")
    assert first.edits == (RepairingEdit("/app/vitest.config.js", "test: {}", "test: { environment: 'jsdom' }"),)
    assert second.fix == "Run `npm i -D jsdom`"


def test_what_came_before_the_very_command_passed_mends_it_and_no_weaker_form_does() -> None:
    steps = [
        ran("poetry install", "pyproject.toml changed since poetry.lock was last generated", failed=True),
        ran("poetry install --no-root", "Installing dependencies from lock file failed", failed=True),
        ran("poetry lock"),
        ran("poetry install"),
    ]
    assert next(iter(find_fixed_errors(ReadSteps(steps)))).fix == "Run `poetry lock`"


def test_a_change_after_which_the_same_error_came_again_is_no_fix() -> None:
    steps = [
        ran("npm test", NO_DOCUMENT, failed=True),
        edited("mode: 'a'", "mode: 'b'", "other.js"),
        ran("npm test", NO_DOCUMENT, failed=True),
        edited("test: {}", "test: { environment: 'jsdom' }"),
        ran("npm test"),
    ]
    [fixed] = find_fixed_errors(ReadSteps(steps))
    assert "other.js" not in fixed.fix


def test_edits_that_passed_and_were_taken_back_are_no_fix_but_what_passed_in_the_end() -> None:
    error = "E       AssertionError: assert [1067] == ['01067']"
    steps = [
        ran("python -m pytest -q", error, failed=True),
        edited("    return frame", "    frame = pad(frame)\n    return frame", "importer.py"),
        ran("python -m pytest -q", "3 passed"),
        edited("    frame = pad(frame)\n", "", "importer.py"),
        edited("read_csv(path)", "read_csv(path, dtype=str)", "importer.py"),
        ran("python -m pytest -q", "3 passed"),
    ]
    [fixed] = find_fixed_errors(ReadSteps(steps))
    assert "dtype=str" in fixed.fix
    assert "pad" not in fixed.fix


def test_a_command_that_fails_without_a_word_is_known_by_its_name() -> None:
    steps = [
        ran("sh check.sh", "Exit code 1", failed=True),
        edited("exit 1", "exit 0", "check.conf"),
        ran("sh check.sh"),
    ]
    [fixed] = find_fixed_errors(ReadSteps([*steps, *steps]))
    assert fixed.mistake == "`sh check.sh` failed"
    assert "check.conf" in fixed.fix


def test_what_the_output_says_after_the_command_passed_is_not_the_error() -> None:
    deprecated = "app.py:3: DeprecationWarning: The alias is deprecated"
    steps = [
        ran("pytest -q", f"{deprecated}\nFAILED test_app.py::test_health - TypeError: bad argument", failed=True),
        edited("httpx\n", "httpx<0.28\n", "requirements.txt"),
        ran("pytest -q", f"{deprecated}\n1 passed"),
    ]
    [fixed] = find_fixed_errors(ReadSteps(steps))
    assert "TypeError: bad argument" in fixed.mistake
    steps[-1] = ran("pytest -q || true", steps[0].output)
    assert not find_fixed_errors(ReadSteps(steps))


@pytest.mark.parametrize("command", ["grep -c EXPIRE smoke.sh", "cat smoke.sh"])
def test_what_only_reads_is_not_the_command_again(command: str) -> None:
    failed = ran("bash smoke.sh", "Error: write refused, see ls and cat smoke.sh", failed=True)
    steps = [
        failed,
        ran(command, failed=True),
        edited("volatile-lru", "allkeys-lru", "redis.conf"),
        ran(failed.subject),
    ]
    [fixed] = find_fixed_errors(ReadSteps(steps))
    assert "allkeys-lru" in fixed.fix
    assert not find_fixed_errors(ReadSteps([failed, ran(command)]))


@pytest.mark.parametrize(
    ("failed", "worked"),
    [
        ("jq '[.[].total] | add' may.json", "jq -s 'map(.total) | add' may.json"),
        ("git commit -m 'Remove the file'", "git commit -m 'OPS-0: remove the file'"),
        ("psql shop -tA 'SELECT count(*) FROM Orders'", "psql shop -tA 'SELECT count(*) FROM \"Orders\"'"),
    ],
)
def test_another_wording_of_a_query_or_a_message_is_the_way_out(failed: str, worked: str) -> None:
    [fixed] = find_fixed_errors(ReadSteps([ran(failed, "error: refused", failed=True), ran(worked)]))
    assert fixed.fix == f"Run `{worked}` instead of `{failed}`"
    other = "psql shop -tA 'DROP INDEX price_index'"
    assert not find_fixed_errors(ReadSteps([ran(failed, "error: refused", failed=True), ran(other)]))


def test_a_try_with_another_operand_on_the_way_to_the_same_one_does_not_hide_what_worked() -> None:
    tar = "tar -xzf etc.tar.gz -C restore {}"
    steps = [
        ran(tar.format("'*.conf'"), "tar: *.conf: Not found in archive", failed=True),
        ran(tar.format("'etc/*.conf'"), "tar: etc/*.conf: Not found in archive", failed=True),
        ran(tar.format("--wildcards '*.conf'")),
    ]
    first, _ = find_fixed_errors(ReadSteps(steps))
    assert first.fix == f"Run `{steps[2].subject}` instead of `{steps[0].subject}`"


@pytest.mark.parametrize(
    ("failed", "tried", "worked"),
    [
        ("npm test --workspace=api", "npm --prefix packages/api test", "npm test -w @shop/api"),
        ("sqlfluff lint sql", "sqlfluff lint --dialect postgres sql", "sqlfluff lint --dialect bigquery sql"),
        ("sshd -t -f sshd_config", "sshd -t -f sshd_config -h keys", "sshd -t -f sshd_config -h keys/host"),
    ],
)
def test_a_try_that_failed_with_another_error_does_not_hide_what_worked(failed: str, tried: str, worked: str) -> None:
    steps = [
        ran(failed, "error: nothing of that kind is configured", failed=True),
        ran(tried, "fatal: permission denied for everybody", failed=True),
        ran(worked),
    ]
    first, _ = find_fixed_errors(ReadSteps(steps))
    assert first.fix == f"Run `{worked}` instead of `{failed}`"


@pytest.mark.parametrize(
    ("failed", "output", "worked"),
    [
        ("cmake -B build .", "CMake Error: no CMakeLists.txt there", "cmake -B build -S native"),
        ("join a.txt b.txt", "join: b.txt:2: is not sorted: 10", "join <(sort a.txt) <(sort b.txt)"),
        ("cp $(find in -name '*.jpg') out/", "cp: error", "find in -name '*.jpg' -print0 | xargs -0 -I{} cp {} out/"),
        ("analyze '7 * * 1-5'", "Failed to parse '7 * * 1-5': Invalid argument", "analyze 'Mon..Fri 07:00'"),
    ],
)
def test_what_stands_for_a_command_is_the_way_out_where_it_never_passed(failed: str, output: str, worked: str) -> None:
    [fixed] = find_fixed_errors(ReadSteps([ran(failed, output, failed=True), ran(worked)]))
    assert fixed.fix == f"Run `{worked}` instead of `{failed}`"


def test_what_reads_is_told_where_it_was_called_wrongly_not_where_it_found_nothing() -> None:
    wrongly = ran("date -d 31/12/2024 +%A", "date: invalid date ‘31/12/2024’", failed=True)
    [fixed] = find_fixed_errors(ReadSteps([wrongly, ran("date -d 2024-12-31 +%A")]))
    assert fixed.fix == "Run `date -d 2024-12-31 +%A` instead of `date -d 31/12/2024 +%A`"
    nothing = ran("ls build", "ls: cannot access 'build': No such file or directory", failed=True)
    assert not find_fixed_errors(ReadSteps([nothing, ran("ls dist")]))
    assert not find_fixed_errors(ReadSteps([ran("grep -c lru a.conf", "0", failed=True), ran("grep -ci lru a.conf")]))


@pytest.mark.parametrize(
    ("failed", "other"),
    [
        ("pytest tests/a.py", "pytest tests/b.py"),
        ("pytest tests", "pytest tests/b.py"),
        ("go test ./...", "go test ./price"),
        ("npm run build", "npm run lint"),
        ("make", "make clean"),
        ("kubectl apply -f a.yaml", "kubectl delete -f b.yaml"),
        ("node --test load.test.js", "node --test format.test.js"),
        ("python -m pytest -q tests/test_a.py", "python -m pytest -q tests/test_b.py"),
    ],
)
def test_what_does_something_else_or_less_is_no_way_out(failed: str, other: str) -> None:
    assert not find_fixed_errors(ReadSteps([ran(failed, "Error: it broke in a.py", failed=True), ran(other)]))


@pytest.mark.parametrize(
    ("failed", "output", "other"),
    [
        ("perl tools/report.pl", "Can't locate My/Sum.pm in @INC at tools/report.pl line 2.", "perl count.pl"),
        ("ruby tools/report.rb", "tools/report.rb:2: cannot load such file -- sum (LoadError)", "ruby count.rb"),
        ("java -cp out Main", "Error: Could not find or load main class Main", "javac Loader.java"),
        ("cmake -S . -B build", "CMake Error: Qt6 was not found", "cmake -S core -B build-core"),
        (
            "stack exec hlint -- src",
            'Executable named hlint not found on path: ["/src/wren/bin"]',
            "stack exec wren -- report",
        ),
    ],
)
def test_a_command_about_another_file_does_not_stand_for_one_that_complained_of_something_else(
    failed: str, output: str, other: str
) -> None:
    assert not find_fixed_errors(ReadSteps([ran(failed, output, failed=True), ran(other)]))


def test_an_exported_setting_is_what_another_form_of_a_command_has() -> None:
    steps = [
        ran("mvn -q test", "[ERROR] Fatal error compiling: error: release version 21 not supported", failed=True),
        ran("mvn -q test -Drelease=17", "[ERROR] Lager.java: patterns are a preview feature", failed=True),
        ran("export JAVA_HOME=/opt/jdk-21 && mvn -q test", "Tests run: 203"),
    ]
    first, _ = find_fixed_errors(ReadSteps(steps))
    assert first.fix == "Run `export JAVA_HOME=/opt/jdk-21 && mvn -q test` instead of `mvn -q test`"


def test_a_compound_command_with_what_had_failed_before_is_fixed_by_what_does_that() -> None:
    steps = [
        ran("pip install -r requirements.txt", "ERROR: ResolutionTooDeep: 200000", failed=True),
        ran("pip install -U pip && pip install -r requirements.txt", "ERROR: ResolutionTooDeep: 200000", failed=True),
        ran("pip install uv"),
        ran("uv pip install -r requirements.txt", "Installed 143 packages"),
    ]
    [found] = find_fixed_errors(ReadSteps(steps))
    assert found.command == "uv pip install -r requirements.txt"
    assert found.changes[0] == "Run `pip install uv`"


def test_a_form_behind_which_the_error_came_back_is_no_way_out() -> None:
    error = "thread 'writes' panicked at src/lib.rs:19:5: assertion failed"
    steps = [
        ran("cargo test --offline", error, failed=True),
        ran("cargo test --offline writes_one"),
        ran("cargo test --offline --release", error, failed=True),
        ran("cargo test --offline -- --test-threads=1"),
    ]
    [fixed] = find_fixed_errors(ReadSteps(steps))
    assert fixed.command == "cargo test --offline -- --test-threads=1"
    assert "run cargo test --offline" in fixed.triggers


def test_of_several_forms_that_passed_the_one_is_told_that_the_agent_names_in_the_end() -> None:
    steps = [
        ran("cmake --preset dev", "CMake Error: generator does not match", failed=True),
        ran("cmake --preset dev -G 'Unix Makefiles'"),
        ran("cmake --fresh --preset dev"),
    ]
    [first] = find_fixed_errors(ReadSteps(steps))
    [named] = find_fixed_errors(ReadSteps(steps, closing="Configured anew, hence `cmake --fresh --preset dev`."))
    assert (first.command, named.command) == (steps[1].subject, steps[2].subject)


def test_the_way_out_is_not_warned_of_though_it_failed_on_the_way() -> None:
    hook = "pre-commit run --hook-stage manual licence --all-files"
    steps = [
        ran("pre-commit run licence --all-files", "No hook with id `licence` in stage `pre-commit`", failed=True),
        ran(hook, "licence....Failed\n- files were modified by this hook", failed=True),
        ran(hook),
    ]
    [fixed] = find_fixed_errors(ReadSteps(steps))
    assert fixed.triggers == ("run pre-commit run licence --all-files",)


def test_a_change_of_which_the_next_error_came_and_that_was_changed_again_is_no_fix() -> None:
    steps = [
        ran("npm start", NO_MODULE, failed=True),
        edited('"baseUrl": "."', '"baseUrl": "./dist"', "tsconfig.json"),
        ran("npm start", NO_DOCUMENT, failed=True),
        edited('"baseUrl": "./dist"', "", "tsconfig.json"),
        edited('"type": "module"', '"type": "module", "imports": {}', "package.json"),
        ran("npm start"),
    ]
    first, second = find_fixed_errors(ReadSteps(steps))
    assert '"imports": {}' in first.fix
    assert '"imports": {}' in second.fix


def test_of_a_file_that_the_run_wrote_itself_the_change_is_told() -> None:
    steps = [
        edited("", "BEGIN;\nDROP TABLE a;\nCREATE TABLE a (b);\nINSERT INTO a VALUES (1);\nCOMMIT;\n", "004.sql"),
        ran("./migrate.sh", "Runtime error: FOREIGN KEY constraint failed", failed=True),
        edited("BEGIN;\n", "PRAGMA foreign_keys = OFF;\nBEGIN;\n", "004.sql"),
        ran("./migrate.sh"),
    ]
    [fixed] = find_fixed_errors(ReadSteps(steps))
    assert fixed.fix == "Edit 004.sql: + `PRAGMA foreign_keys = OFF;`"


def test_what_was_tried_in_vain_is_warned_of_with_what_then_worked() -> None:
    steps = [
        ran("./configure && make", "aclocal-1.15: command not found", failed=True),
        ran("automake --add-missing", "error: version mismatch", failed=True),
        ran("autoreconf -fi"),
        ran("./configure"),
        ran("make"),
    ]
    [fixed] = find_fixed_errors(ReadSteps(steps))
    assert fixed.fix == "Run `autoreconf -fi`"
    assert "run automake --add-missing" in fixed.triggers


@pytest.mark.parametrize("spoke", [True, False])
def test_what_the_user_had_done_over_is_told_in_its_last_form(spoke: bool) -> None:
    unused = "Error (warning 27): unused variable currency."
    steps = [
        ran("dune build", unused, failed=True),
        ran("dune build --profile release"),
        edited("~currency rate", "~currency:_ rate", "rate.ml"),
        ran("dune build"),
    ]
    [fixed] = find_fixed_errors(ReadSteps(steps, [2] if spoke else []))
    assert ("~currency:_" in fixed.fix) is spoke


def test_what_the_user_had_done_by_an_edit_is_told_with_it() -> None:
    steps = [
        ran("lua spec.lua", "lua: spec.lua:1: module 'units' not found", failed=True),
        ran("LUA_PATH='src/?.lua' lua spec.lua"),
        edited("local u", "package.path = 'src/?.lua'\nlocal u", "spec.lua"),
        ran("lua spec.lua"),
    ]
    wrong = find_fixed_errors(ReadSteps(steps, (2,), "It is set in spec.lua.", ("put it into the spec",)))[-1]
    assert wrong.mistake == "`LUA_PATH='src/?.lua' lua spec.lua` was wrong: the user said \"put it into the spec\""
    edit, run = wrong.changes
    assert edit == "Edit spec.lua: + `package.path = 'src/?.lua'`"
    assert run == "Run `lua spec.lua` instead of `LUA_PATH='src/?.lua' lua spec.lua`"


def test_blanks_of_a_command_are_told_as_they_are() -> None:
    command = "sed -i 's/^    /\\t/' Makefile"
    steps = [ran("make", "Makefile:2: *** missing separator.", failed=True), ran(f"{command}\n"), ran("make")]
    [fixed] = find_fixed_errors(ReadSteps(steps))
    assert fixed.fix == f"Run `{command}`"
    told = lesson(*map(as_called, steps)).correct_action
    assert told.startswith("`make` after editing Makefile (`    ` → `\\t`); before that it failed")


def test_edits_that_the_user_had_taken_back_are_no_fix_but_the_form_that_passed_then() -> None:
    steps = [
        ran("make -j4 dist", "tar: version.txt: Cannot stat: No such file or directory", failed=True),
        edited(".PHONY: dist", ".NOTPARALLEL:\n.PHONY: dist", "Makefile"),
        ran("make -j4 dist"),
        edited(".NOTPARALLEL:\n.PHONY: dist", ".PHONY: dist", "Makefile"),
        ran("make -j1 dist"),
    ]
    [fixed] = find_fixed_errors(ReadSteps(steps, [3]))
    assert fixed.fix == "Run `make -j1 dist` instead of `make -j4 dist`"


@pytest.mark.parametrize(("text", "needed"), [("a = 1\n", True), ("a = 2\n", False), ("b = 1\n", False), (None, False)])
def test_a_file_needs_an_edit_while_it_is_as_it_was(text: str | None, needed: bool) -> None:
    assert RepairingEdit("/app/x.py", "a = 1", "a = 2").is_needed_by(text) is needed


def test_an_edit_that_only_takes_out_is_in_place_where_the_rest_stands_alone() -> None:
    shorter = RepairingEdit("/app/report.py", "calculators", "calculator")
    assert shorter.is_needed_by("import calculators\n")
    assert not shorter.is_needed_by("import calculator\n")
    assert not shorter.is_needed_by("import calculator\n# not calculators\n")


def test_an_edit_that_adds_lines_is_in_place_where_they_stand_and_a_new_file_where_it_is() -> None:
    added = RepairingEdit("/app/tox.ini", "changedir = docs\n", "changedir = docs\nallow = make\n")
    assert added.is_needed_by("[docs]\nchangedir = docs\n")
    assert not added.is_needed_by("[docs]\nchangedir = docs\nallow = make\n")
    written = RepairingEdit("/app/conftest.py", "", "import app\n")
    assert written.is_needed_by(None)
    assert not written.is_needed_by("")


@pytest.mark.parametrize(
    ("command", "asks"),
    [
        ("""mysql shop -e "select a from t where b='x'"; cat q.sql""", True),
        ("psql -Atc 'SHOW server_version'", True),
        ("sqlite3 shop.db '.tables'", True),
        ("""psql -c "select 1; drop table t" """, False),
        ("sudo -u postgres psql -XAt -c 'select slot_name from pg_replication_slots'", True),
        ('psql service=app -c "select pg_cancel_backend(61207)"', False),
        ("""psql -c "select pg_drop_replication_slot('old')" """, False),
        ("sleep 240; df -h /var | tail -1; psql -c 'select 1'", True),
        ("mysql shop < q.sql", False),
        ("make test", False),
    ],
)
def test_a_query_that_changes_nothing_only_asks_a_database(command: str, asks: bool) -> None:
    assert asks_database(command) is asks


def test_looking_at_the_data_is_not_the_script_again() -> None:
    steps = [
        ran("mysql shop < q.sql", "ERROR 1267 (HY000) at line 3: Illegal mix of collations", failed=True),
        ran("""mysql shop -e "select c from columns where t='x'"; cat q.sql"""),
        ran('mysql shop -e "ALTER TABLE x CONVERT TO CHARACTER SET utf8mb4"'),
        ran("mysql -vv shop < q.sql"),
    ]
    [fixed] = find_fixed_errors(ReadSteps(steps))
    assert "ALTER TABLE x" in fixed.fix
