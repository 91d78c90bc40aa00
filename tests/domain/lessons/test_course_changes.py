"""What a run did instead of a call, where it gave that up or the user had it done over, as its closing words tell."""

from __future__ import annotations

import pytest

from mcp_reflect.domain.lessons.failures.fixed_errors import FixedError, find_fixed_errors
from mcp_reflect.domain.lessons.failures.repaired_failures import ReadSteps
from mcp_reflect.domain.lessons.run.compound_commands import separated_steps
from mcp_reflect.domain.lessons.run.step import Step

QUERY = "psql -X -v email=ada@example.org -c 'SELECT total FROM orders WHERE email = :email'"
REFUSED = 'ERROR: syntax error at or near ":"'
CLOSING = "Both addresses work. psql fills in no variables with `-c`, so the script uses `-f sql/open.sql`."


def ran(command: str, output: str = "", *, failed: bool = False) -> Step:
    return Step("command", "Bash", command, failed=failed, output=output)


def wrote(file: str, text: str) -> Step:
    return Step("edit", "Write", f"/srv/{file}", change=(("", text),), failed=False, file=file)


SCRIPT = wrote("open.sh", 'exec psql -X -v email="$1" -f sql/open.sql')
GIVEN_UP = (ran(QUERY, REFUSED, failed=True), SCRIPT, ran("./open.sh ada@example.org", "12.50"))


def fixed(*steps: Step, closing: str = CLOSING) -> list[FixedError]:
    return find_fixed_errors(ReadSteps(steps, closing=closing))


def test_a_call_that_was_given_up_has_the_way_that_the_closing_words_name() -> None:
    [found] = fixed(*GIVEN_UP)
    assert (found.mistake, found.triggers) == (REFUSED, (f"run {QUERY}",))
    way, said = found.fix.splitlines()
    assert 'psql -X -v email="$1" -f sql/open.sql' in way
    assert said == f'The agent said in the end: "{CLOSING}"'


@pytest.mark.parametrize(
    "closing",
    [
        "Both addresses work now.",  # names nothing
        "psql fills in no variables with `-c`.",  # names what had been done before
        "The script runs `./deploy.sh`.",  # names what was not done
    ],
)
def test_words_that_name_nothing_new_that_was_done_explain_nothing(closing: str) -> None:
    assert fixed(*GIVEN_UP, closing=closing) == []


def test_a_way_of_several_commands_is_told_whole() -> None:
    failed = ran("./ship.sh staging", "ship.sh: not logged in", failed=True)
    release = "git tag deploy/staging/7 && git push origin deploy/staging/7"
    [found] = fixed(*separated_steps([failed, ran(release)]), closing="Pushed deploy/staging/7 in place of ship.sh.")
    assert found.changes == (f"Run `{release}`",)


def test_what_has_no_word_in_common_with_a_failure_was_not_done_instead_of_it() -> None:
    failed = ran("gcc main.c", "main.c:3: expected ';'", failed=True)
    assert fixed(failed, SCRIPT, closing="The orders come from `sql/open.sql`.") == []


def test_a_step_that_shares_a_word_with_a_failure_was_not_done_instead_where_the_closing_words_share_none() -> None:
    failed = ran("git push", "fatal: The current branch hotfix has no upstream branch.", failed=True)
    closing = "experiment was abandoned on purpose, so `-D` is right for it."
    assert fixed(failed, ran("git branch -D experiment"), closing=closing) == []


def test_what_repaired_another_failure_was_not_done_instead_of_one_that_was_left() -> None:
    left = ran("./deploy.sh --dry-run", "/bin/bash: line 1: ./deploy.sh: Permission denied", failed=True)
    other = ran("sh backup.sh", 'backup.sh: 3: Syntax error: "(" unexpected', failed=True)
    closing = "backup.sh uses arrays, so it needs `bash`; sh is dash here."
    assert [each.mistake for each in fixed(left, other, ran("bash backup.sh"), closing=closing)] == [
        'backup.sh: 3: Syntax error: "(" unexpected'
    ]


def test_folders_and_kinds_of_files_are_no_words_that_tell_what_a_failure_is_about() -> None:
    failed = ran("hlint src", "Executable named hlint not found on path: /src/wren/.stack-work/bin/", failed=True)
    closing = "`wren report --json` prints pretty JSON."
    assert fixed(failed, ran("stack exec wren report --json"), closing=closing) == []
    failed = ran("psql -f sql/setup.sql", "psql:sql/setup.sql:1: ERROR: no such extension", failed=True)
    later = ran("psql -f sql/suppliers.sql | wc -l", "24")
    assert fixed(failed, later, closing="The report is in sql/suppliers.sql.") == []


def test_a_way_that_failed_is_none() -> None:
    assert fixed(GIVEN_UP[0], ran("psql -X -f sql/open.sql", "permission denied", failed=True)) == []


def test_a_repair_brings_what_the_closing_words_say_of_it_and_nothing_else() -> None:
    steps = [
        ran("tar -xf a.tar '*.conf'", "tar: *.conf: Not found", failed=True),
        ran("tar -xf a.tar --wildcards '*.conf'"),
    ]
    why = "GNU tar takes names literally unless `--wildcards` is given."
    [found] = fixed(*steps, closing=f"Three files are there. {why} `make` was not needed.")
    assert found.said == (why,)


def test_what_ended_well_and_was_done_over_for_the_user_was_wrong() -> None:
    steps = [ran("prove -l t", "ok"), ran("prove -lr t", "ok")]
    read = ReadSteps(steps, spoke=[1], words=["there is one more in a folder below"])
    [found] = find_fixed_errors(read)
    assert found.mistake == '`prove -l t` was wrong: the user said "there is one more in a folder below"'
    assert (found.fix, found.triggers) == ("Run `prove -lr t` instead of `prove -l t`", ("run prove -l t",))
    assert find_fixed_errors(ReadSteps(steps)) == []  # without the user's words
    other = [ran("curl -o may.json host/may"), ran("curl -o june.json host/june")]
    assert find_fixed_errors(ReadSteps(other, spoke=[1], words=["now June"])) == []


def test_many_long_commands_that_failed_take_no_longer_than_their_number() -> None:
    words = [f"target{number}" for number in range(70)]
    steps = [
        ran(" ".join(["make", f"first{n}", *words]), f"error: rule {n} is broken", failed=True) for n in range(300)
    ]
    assert fixed(*steps, closing="Use `--all` and `rules.mk`. " * 200) == []
