"""Failures of programs that speak another language: known by exit status and structure, and found again."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from mcp_reflect.domain.error_matching.headlines import find_headlines
from mcp_reflect.domain.error_matching.signatures import error_signatures, is_same
from mcp_reflect.domain.trajectory.error_lines import errors_in_result


class Failure(NamedTuple):
    """An output, the same failure elsewhere, and another one of the same program."""

    output: str
    again: str
    other: str


FAILURES = {
    "German compiler": Failure(
        "src/app.c:7:5: Fehler: »conut« nicht deklariert\n    7 |     conut = 3;",
        "lib/app.c:19:5: Fehler: »conut« nicht deklariert\n   19 |     conut = 3;",
        "src/app.c:9:12: Fehler: expected »;« before »return«",
    ),
    "French make": Failure(
        "cc -c app.c\napp.c:7:5: erreur: « conut » non déclaré\nmake: *** [Makefile:3 : app.o] Erreur 1",
        "cc -O2 -c src/app.c\nsrc/app.c:17:5: erreur: « conut » non déclaré\nmake: *** [Makefile:9 : app.o] Erreur 1",
        "cc -c app.c\napp.c:9:1: erreur: « ; » attendu avant « } »\nmake: *** [Makefile:3 : app.o] Erreur 1",
    ),
    "Chinese git": Failure(
        "致命错误：不是 git 仓库（或者任何父目录）：.git",
        "致命错误：不是 git 仓库（或者任何父目录）：.git\n",
        "错误：路径规格 'featur-x' 未匹配任何 git 已知文件",
    ),
    "Spanish make": Failure(
        "make: *** No hay ninguna regla para construir el objetivo 'deploy'.  Alto.",
        "make[1]: *** No hay ninguna regla para construir el objetivo 'deploy'.  Alto.",
        "make: *** No hay ninguna regla para construir el objetivo 'a.o', necesario para 'app'.  Alto.",
    ),
    "Russian database": Failure(
        'ОШИБКА:  отношение "ordres" не существует\nLINE 1: select * from ordres;',
        'ОШИБКА:  отношение "ordres" не существует\nСТРОКА 1: select id from ordres;',
        'ОШИБКА:  столбец "totl" не существует\nLINE 1: select totl from orders;',
    ),
    "French database": Failure(
        "ERREUR:  la relation « ordres » n'existe pas\nLIGNE 1 : select * from ordres;",
        "ERREUR:  la relation « ordres » n'existe pas\nLIGNE 1 : select id from ordres;",
        "ERREUR:  la colonne « totl » n'existe pas\nLIGNE 1 : select totl from orders;",
    ),
    "German build": Failure(
        "Sammle Pakete\nErstelle foo\nFehler: Kompilierung von »foo« fehlgeschlagen: Python.h\nAufgeräumt",
        "Sammle Pakete\nErstelle foo\nFehler: Kompilierung von »foo« fehlgeschlagen: Python.h\nAufgeräumt nach 4 s",
        "Sammle Pakete\nErstelle foo\nFehler: Kein Platz mehr auf dem Gerät\nAufgeräumt",
    ),
}


@pytest.mark.parametrize("failure", FAILURES.values(), ids=FAILURES)
def test_a_failure_is_found_again_by_its_structure(failure: Failure) -> None:
    asked, again, other = map(error_signatures, failure)
    assert is_same(asked, again)
    assert not is_same(asked, other)


@pytest.mark.parametrize("failure", FAILURES.values(), ids=FAILURES)
def test_the_exit_status_tells_a_failure_that_no_word_tells(failure: Failure) -> None:
    assert list(errors_in_result(failure.output, failed=True))


def test_the_headline_is_the_labelled_line_of_a_long_output() -> None:
    assert [found.text for found in find_headlines(FAILURES["German build"].output)] == [
        "Fehler: Kompilierung von »foo« fehlgeschlagen: Python.h"
    ]
