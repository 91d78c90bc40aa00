"""Tests of the project that a working directory belongs to, in real repositories that git itself makes."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_reflect.config.load import load_settings
from mcp_reflect.config.project import PROJECT_ID, check_project_id, detect_project, locate_project, login_name
from mcp_reflect.errors import ConfigurationError
from tests.support.waiting import HANG_S

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="makes real repositories with git")

ISOLATED = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1", "PATH": "/usr/local/bin:/usr/bin:/bin"}


def git(folder: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=T", "-c", "user.email=t@example.org", "-c", "protocol.file.allow=always")
    subprocess.run(
        ["git", *identity, *arguments], cwd=folder, env=ISOLATED, check=True, capture_output=True, timeout=HANG_S
    )


def repository(folder: Path, origin: str = "") -> Path:
    folder.mkdir(parents=True)
    git(folder, "init", "--quiet")
    if origin:
        git(folder, "remote", "add", "origin", origin)
    return folder


def project_of(folder: Path) -> str:
    return detect_project({}, folder)


def own(folder: Path) -> str:
    """The id of a folder that is in no repository."""
    located = locate_project({}, folder)
    assert not located.is_settled
    assert str(folder) in located.origin
    return located.project


def test_outside_of_a_repository_each_folder_has_its_own_bank(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    ids = {own(tmp_path / "a"), own(tmp_path / "b"), own(tmp_path / "gone"), own(Path("/"))}
    assert len(ids) == 4
    assert all(PROJECT_ID.fullmatch(each) for each in ids)
    assert own(tmp_path / "a").startswith("a-")


def test_the_clients_folders_count_where_the_working_directory_is_in_no_repository(tmp_path: Path) -> None:
    app, plain = repository(tmp_path / "app"), tmp_path / "plain"
    plain.mkdir()
    cursor = {"WORKSPACE_FOLDER_PATHS": f"{plain},{app}"}
    assert locate_project(cursor, tmp_path).project == project_of(app)
    assert locate_project(cursor, tmp_path, [plain]).project == own(plain)
    assert locate_project(cursor | {"WORKSPACE_FOLDER_PATHS": str(plain)}, tmp_path).project == own(plain)
    several = locate_project({}, tmp_path, [plain, app])
    assert several.project == project_of(app)
    assert several.origin.endswith("by the client's roots, of which there are 2")
    other = repository(tmp_path / "other")
    assert locate_project(cursor, other, [app]).project == project_of(other)
    assert locate_project(cursor | {"WORKSPACE_FOLDER_PATHS": "/gone,"}, tmp_path).project == own(tmp_path)


def test_an_empty_folder_named_git_is_no_repository(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    assert project_of(tmp_path) == own(tmp_path)


@pytest.mark.parametrize("content", ["", "gitdir:", "gitdir: nowhere", "gitdir: a\0b", "something else", "\udcff"])
def test_a_broken_git_file_is_no_repository(tmp_path: Path, content: str) -> None:
    (tmp_path / ".git").write_text(content, encoding="utf-8", errors="surrogateescape")
    assert project_of(tmp_path) == own(tmp_path)


def test_the_environment_names_the_bank(tmp_path: Path) -> None:
    folder = repository(tmp_path / "app")
    environ = {"MCP_REFLECT_HOME": str(tmp_path)}
    assert load_settings(environ | {"MCP_REFLECT_PROJECT": "team.bank_1"}, folder).project == "team.bank_1"
    assert load_settings(environ | {"MCP_REFLECT_PROJECT": "  "}, folder).project == project_of(folder)


@pytest.mark.parametrize("value", ["a" * 101, "my project", "a/b/c", "näme", "a\nb\nc"])
def test_a_wrong_id_in_the_environment_is_one_line_that_says_what_it_must_be(tmp_path: Path, value: str) -> None:
    with pytest.raises(ConfigurationError, match=r"MCP_REFLECT_PROJECT.*must be 1 to 100 characters") as caught:
        load_settings({"MCP_REFLECT_HOME": str(tmp_path), "MCP_REFLECT_PROJECT": value}, tmp_path)
    assert "\n" not in str(caught.value)


def test_a_wrong_id_comes_with_a_proposal_that_is_right() -> None:
    with pytest.raises(ValueError, match=r"for example My-Project$"):
        check_project_id("My Project!")


def test_a_folder_inside_a_repository_belongs_to_it(tmp_path: Path) -> None:
    folder = repository(tmp_path / "app")
    deep = folder / "src" / "deep"
    deep.mkdir(parents=True)
    assert project_of(deep) == project_of(folder)
    assert project_of(folder).startswith("app-")


def test_the_client_names_the_folder_before_the_working_directory(tmp_path: Path) -> None:
    app, other = repository(tmp_path / "app"), repository(tmp_path / "other")
    assert detect_project({"CLAUDE_PROJECT_DIR": str(app)}, other) == project_of(app)


def test_a_folder_named_by_the_client_that_does_not_exist_is_passed_over(tmp_path: Path) -> None:
    app = repository(tmp_path / "app")
    assert detect_project({"CLAUDE_PROJECT_DIR": str(tmp_path / "gone")}, app) == project_of(app)


def test_unrelated_folders_of_one_name_have_banks_of_their_own(tmp_path: Path) -> None:
    first, second = repository(tmp_path / "a" / "app"), repository(tmp_path / "b" / "app")
    assert project_of(first) != project_of(second)


def test_unrelated_remotes_of_one_name_have_banks_of_their_own(tmp_path: Path) -> None:
    first = repository(tmp_path / "a", "https://example.org/one/app.git")
    second = repository(tmp_path / "b", "https://example.org/two/app.git")
    assert project_of(first) != project_of(second)


@pytest.mark.parametrize(
    "spelling",
    [
        "https://example.org/team/app",
        "https://example.org/team/app.git",
        "https://example.org:443/team/app.git/",
        "https://somebody:secret-token@EXAMPLE.org/team/app.git",
        "git@example.org:team/app.git",
        "example.org:team/app",
        "ssh://git@example.org:22/team/app.git",
        "git://example.org/team/app.git",
    ],
)
def test_every_spelling_of_a_remote_means_the_same_bank(tmp_path: Path, spelling: str) -> None:
    plain = repository(tmp_path / "plain", "https://example.org/team/app.git")
    clone = repository(tmp_path / "some other folder name", spelling)
    assert project_of(clone) == project_of(plain)
    assert project_of(clone).startswith("app-")


def test_another_port_is_another_server(tmp_path: Path) -> None:
    first = repository(tmp_path / "a", "http://localhost:3000/team/app")
    second = repository(tmp_path / "b", "http://localhost:4000/team/app")
    assert project_of(first) != project_of(second)


def test_a_moved_clone_keeps_its_bank(tmp_path: Path) -> None:
    folder = repository(tmp_path / "app", "git@example.org:team/app.git")
    before = project_of(folder)
    assert project_of(folder.rename(tmp_path / "moved")) == before


@pytest.mark.parametrize("origin", ["", "git@example.org:team/app.git"])
def test_worktrees_of_one_repository_share_its_bank(tmp_path: Path, origin: str) -> None:
    main = repository(tmp_path / "app", origin)
    git(main, "commit", "--quiet", "--allow-empty", "-m", "first")
    git(main, "worktree", "add", "--quiet", str(tmp_path / "elsewhere"))
    assert project_of(tmp_path / "elsewhere") == project_of(main)


def test_worktrees_around_a_bare_repository_share_a_bank(tmp_path: Path) -> None:
    main = repository(tmp_path / "seed")
    git(main, "commit", "--quiet", "--allow-empty", "-m", "first")
    git(tmp_path, "clone", "--quiet", "--bare", str(main), "tool.git")
    bare = tmp_path / "tool.git"
    git(bare, "remote", "remove", "origin")
    for name in ("one", "two"):
        git(bare, "worktree", "add", "--quiet", "-b", name, str(tmp_path / name))
    assert project_of(tmp_path / "one") == project_of(tmp_path / "two")
    assert project_of(tmp_path / "one").startswith("tool-")


def test_a_submodule_is_a_project_of_its_own(tmp_path: Path) -> None:
    library, app = repository(tmp_path / "library"), repository(tmp_path / "app")
    git(library, "commit", "--quiet", "--allow-empty", "-m", "first")
    git(app, "submodule", "--quiet", "add", str(library), "vendored")
    assert project_of(app / "vendored") != project_of(app)
    assert project_of(app / "vendored").startswith("library-")


def test_two_clones_of_a_local_repository_share_a_bank(tmp_path: Path) -> None:
    source = repository(tmp_path / "source")
    git(source, "commit", "--quiet", "--allow-empty", "-m", "first")
    git(tmp_path, "clone", "--quiet", str(source), "first")
    git(tmp_path, "clone", "--quiet", f"file://{source}", "second")
    assert project_of(tmp_path / "first") == project_of(tmp_path / "second")


def test_another_remote_before_origin_does_not_count(tmp_path: Path) -> None:
    plain = repository(tmp_path / "plain", "https://example.org/team/app.git")
    forked = repository(tmp_path / "forked")
    git(forked, "remote", "add", "backup", "https://example.org/other/place.git")
    git(forked, "remote", "add", "origin", "https://example.org/team/app.git")
    assert project_of(forked) == project_of(plain)


def test_a_folder_whose_name_has_no_latin_letter_still_gets_an_id(tmp_path: Path) -> None:
    folder = repository(tmp_path / "記憶")
    assert PROJECT_ID.fullmatch(project_of(folder))
    assert project_of(folder).startswith("project-")


@given(url=st.text(max_size=200), name=st.text(max_size=200))
def test_whatever_the_git_config_says_the_id_is_an_id(
    tmp_path_factory: pytest.TempPathFactory, url: str, name: str
) -> None:
    folder = tmp_path_factory.mktemp("any")
    (folder / ".git").mkdir()
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    config = f'[core]\n\tbare = false\n[remote "origin"]\n\turl = {url}\n# {name}\n'
    (folder / ".git" / "config").write_text(config, encoding="utf-8", errors="replace")
    assert PROJECT_ID.fullmatch(project_of(folder))


def test_the_login_name_comes_from_the_environment_first() -> None:
    assert login_name({"USER": "second", "LOGNAME": "first"}) == "first"


@pytest.mark.parametrize("environ", [{}, {"USER": ""}, {"USER": " \n\0"}])
def test_there_is_always_a_login_name(environ: dict[str, str]) -> None:
    assert login_name(environ).strip()


@given(st.text(max_size=300))
def test_a_login_name_is_one_short_printable_word_or_more(name: str) -> None:
    found = login_name({"USER": name})
    assert found.isprintable()
    assert 1 <= len(found) <= 100
