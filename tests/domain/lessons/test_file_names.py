"""Edited files are named from the folder that the run worked in, as far as its commands tell it."""

from __future__ import annotations

import pytest

from mcp_reflect.domain.lessons.run.file_names import find_run_folder, shown_name, whole_paths

APP = "/home/ada/work/shop/src/app.py"
OTHER = "/home/ada/work/shop/tests/test_app.py"


@pytest.mark.parametrize(
    ("edited", "texts", "folder"),
    [
        ([APP], ["python -m pytest -q src/app.py::test_total"], "/home/ada/work/shop/"),
        ([APP], ["src/app.py:4:21: error: undefined name"], "/home/ada/work/shop/"),
        ([APP], ["cd /home/ada/work/shop && make test"], "/home/ada/work/shop/"),
        ([APP, OTHER], ["python app.py", "pytest tests/test_app.py", "ruff check src/app.py"], "/home/ada/work/shop/"),
        (["C:\\work\\shop\\src\\app.py"], ["python src/app.py"], "C:/work/shop/"),
        ([APP], ["cat /home/ada/work/shop/src/app.py", "cd /srv/other && make"], ""),
        ([APP], ["python -m pytest -q", "import shop.app.py2"], ""),
        (["src/app.py"], ["python src/app.py"], ""),
    ],
)
def test_a_run_tells_the_folder_it_worked_in(edited: list[str], texts: list[str], folder: str) -> None:
    assert find_run_folder(edited, texts) == folder


@pytest.mark.parametrize(
    ("path", "folder", "shown"),
    [
        (APP, "/home/ada/work/shop/", "src/app.py"),
        (APP, "", "shop/src/app.py"),
        ("/etc/hosts", "/home/ada/work/shop/", "/etc/hosts"),
        ("./packages/api/src/main/app.py", "", "packages/api/src/main/app.py"),
        ("", "", "a file"),
    ],
)
def test_a_file_is_named_for_a_reader_on_another_machine(path: str, folder: str, shown: str) -> None:
    assert shown_name(path, folder) == shown


@pytest.mark.parametrize("text", ["a" * 200_000, "a." * 100_000, "a/" * 100_000, "cd /" + "x" * 200_000])
def test_a_text_without_words_takes_no_longer_than_others(text: str) -> None:
    assert find_run_folder([APP], [text] * 20) == ""


def test_files_of_the_system_keep_their_whole_path() -> None:
    assert shown_name("/etc/nginx/sites-available/shop.conf", "/etc/") == "/etc/nginx/sites-available/shop.conf"
    assert shown_name("/home/dev/shop/api/client.py", "") == "shop/api/client.py"


def test_a_relative_path_is_the_one_absolute_path_that_ends_with_it() -> None:
    assert whole_paths([APP, "./src/app.py", OTHER]) == {"./src/app.py": APP}
    assert whole_paths([APP, "/srv/src/app.py", "src/app.py"]) == {}
    assert whole_paths(["pp.py", APP]) == {}
