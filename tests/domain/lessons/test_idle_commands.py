"""A command that found nothing to do mends nothing; one that found some of it done has done the rest."""

from __future__ import annotations

import pytest

from mcp_reflect.domain.lessons.drafting.left_out_acts import is_replaced_later
from mcp_reflect.domain.lessons.run.commands.idle_commands import did_nothing
from mcp_reflect.domain.lessons.run.steps import step_of
from tests.support.linear_time import takes_linear_time


@pytest.mark.parametrize(
    "output",
    [
        "Lockfile is up to date, resolution step is skipped\nPackages: +120",
        "Lockfile is up to date\nAlready up to date\nPackages: +120\nProgress: resolved 120, added 120, done",
        "Already up to date\nProgress: resolved 120, reused 120, downloaded 0, added 2, done",
        "Lockfile is up to date, resolution step is skipped\nDone in 3.1s",
        " /usr/bin/install -c tool '/usr/local/bin'\nmake[1]: Nothing to be done for 'install-data-am'.",
        "make[1]: Nothing to be done for 'all'.\ngcc -O2 -c main.c",
        "make[1]: 'lib.a' is up to date.\n  CC       main.o",
        "[ 50%] Building C object main.o\nmake[2]: Nothing to be done for 'depend'.",
        "openssl@3 3.1 is already installed and up-to-date.\n==> Installing postgresql",
        "Warning: openssl is already installed.\n==> Pouring postgresql--16.bottle.tar.gz",
        "Requirement already satisfied: six\nCollecting requests\nSuccessfully installed requests-2.31",
        "make is already the newest version.\n0 upgraded, 1 newly installed, 0 to remove",
        "No changes in base.\n  Applying shop.0002_price... OK",
    ],
)
def test_what_did_the_rest_has_acted(output: str) -> None:
    assert not did_nothing(output)


@pytest.mark.parametrize(
    "output",
    [
        "Lockfile is up to date, resolution step is skipped\nAlready up to date\n\nDone in 410ms",
        "Already up to date\nProgress: resolved 120, reused 120, downloaded 0, added 0, done",
        "make: Nothing to be done for 'all'.",
        "make[1]: Entering directory '/src/install'\nmake[1]: Nothing to be done for 'all'.",
        "make: 'tool' is up to date.",
        "[100%] Built target tool\nninja: no work to do.\nnothing to be done",
        "==> Downloading https://formulae.brew.sh/api/x.json\nWarning: postgresql 16.1 is already installed.",
        "Requirement already satisfied: six in ./lib (1.16.0)",
        "up to date, audited 120 packages in 1s",
        "Building dependency tree...\nmake is already the newest version.\n0 upgraded, 0 newly installed, 0 to remove",
        "Last updated 2026-01-02. Already up to date.",
        "  No migrations to apply.",
        "Everything is up to date.\nInstall a newer release by `x self update`.",
    ],
)
def test_what_found_all_of_it_done_has_not(output: str) -> None:
    assert did_nothing(output)


@pytest.mark.parametrize("text", ["/", "/a", " ", "\t/", "a b ", "installed 1", "\n", "[ 1", "1", "lockfile "])
def test_the_time_for_an_output_grows_with_its_length(text: str) -> None:
    assert takes_linear_time(lambda number: did_nothing("already exists\n" + text * number), 5_000 // len(text))


def test_a_program_that_a_later_one_holds_is_left_out() -> None:
    first = "k = pd.read_csv('kunden.csv', sep=';')\nm = k.merge(g, on='plz')\nprint(m)"
    later = "k = pd.read_csv('kunden.csv', sep=';', dtype={'plz': str})\nm = k.merge(g, on='plz')\nm.to_csv('out.csv')"
    steps = [step_of("python", {"code": first}), step_of("python", {"code": later})]
    assert is_replaced_later(steps[0], steps[1:])
    assert not is_replaced_later(steps[0], [step_of("python", {"code": "print(len(open('other.txt').read()))"})])
