"""Settings: where a value comes from, and the one line that a wrong one gives."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_reflect.config.load import Settings, load_settings, setting_rows
from mcp_reflect.errors import ConfigurationError

EXAMPLES = {  # for every setting: a value that is not the default, and one that is refused
    "MCP_REFLECT_PROJECT": ("team-bank", "two words"),
    "MCP_REFLECT_USER": ("ada", "x" * 201),
    "MCP_REFLECT_MEMORY__SCOPE": ("user", "everyone"),
    "MCP_REFLECT_MEMORY__SIMILARITY_THRESHOLD": ("0.25", "1.01"),
    "MCP_REFLECT_MEMORY__RETRIEVAL": ("semantic", "words"),
    "MCP_REFLECT_MEMORY__LIMIT": ("100", "0"),
    "MCP_REFLECT_MEMORY__LAMBDA_": ("0", "-0.1"),
    "MCP_REFLECT_MEMORY__MMR_LAMBDA": ("1", "inf"),
    "MCP_REFLECT_MEMORY__INITIAL_Q": ("0.9", "nan"),
    "MCP_REFLECT_Q_LEARNING__ALPHA": ("0.1", "fast"),
    "MCP_REFLECT_Q_LEARNING__CREDIT": ("retrieved", "all"),
    "MCP_REFLECT_Q_LEARNING__OPTIMISM": ("1", "3.5"),
    "MCP_REFLECT_REFLECTION__AUTHOR": ("extractive", "me"),
    "MCP_REFLECT_REFLECTION__BASE_URL": ("http://localhost:8000/v1", "localhost"),
    "MCP_REFLECT_REFLECTION__TIMEOUT_S": ("5", "0"),
    "MCP_REFLECT_REFLECTION__MAX_PROMPT_CHARS": ("5000", "4999"),
    "MCP_REFLECT_REFLECTION__MAX_TOKENS_PER_DAY": ("0", "-1"),
    "MCP_REFLECT_MEMORY__RECENCY_WEIGHT": ("1", "1.5"),
    "MCP_REFLECT_INSIGHTS__RECENT_CAPACITY": ("0", "101"),
    "MCP_REFLECT_INSIGHTS__CAPACITY": ("0", "-1"),
    "MCP_REFLECT_INSIGHTS__REFLECT_EVERY": ("0", "-1"),
    "MCP_REFLECT_INSIGHTS__IMPORTANCE_THRESHOLD": ("0", "high"),
    "MCP_REFLECT_EMBEDDING__MODEL": ("BAAI/bge-small-en-v1.5", "openai:"),
    "MCP_REFLECT_INDEX__URL": ("https://chroma.example.org", "http://host:99999"),
    "MCP_REFLECT_LEDGER__URL": ("postgresql+psycopg://host/name", "host/name"),
    "MCP_REFLECT_HUB__ENABLED": ("false", "perhaps"),
    "MCP_REFLECT_HUB__IDLE_EXIT_S": ("1.5", "0"),
    "MCP_REFLECT_HUB__START_TIMEOUT_S": ("120", "3601"),
    "MCP_REFLECT_HUB__ANSWER_WITHIN_S": ("4.5", "0"),
    "MCP_REFLECT_HOOKS__MEMORIES": ("5", "21"),
    "MCP_REFLECT_HOOKS__TOKENS": ("300", "2001"),
    "MCP_REFLECT_HOOKS__SUBMIT": ("false", "perhaps"),
    "MCP_REFLECT_HOOKS__ASK_FOR_LESSON": ("never", "perhaps"),
    "MCP_REFLECT_HOOKS__ACTIVE": ("true", "perhaps"),
}


def load(home: Path, config: str = "", **environ: str) -> Settings:
    if config:
        (home / "config.toml").write_text(config, encoding="utf-8")
    return load_settings({"MCP_REFLECT_HOME": str(home), **environ}, home)


def refusal(home: Path, config: str = "", **environ: str) -> str:
    with pytest.raises(ConfigurationError) as caught:
        load(home, config, **environ)
    message = str(caught.value)
    assert "\n" not in message
    return message


def value_of(settings: Settings, variable: str) -> object:
    found: object = settings
    for name in variable.removeprefix("MCP_REFLECT_").lower().split("__"):
        found = getattr(found, name)
    return found


def as_toml(variable: str, value: str) -> str:
    *section, name = variable.removeprefix("MCP_REFLECT_").lower().split("__")
    literal = value if re.fullmatch(r"[-\d.]+|true|false|inf|nan", value) else f'"{value}"'
    return (f"[{section[0]}]\n" if section else "") + f"{name} = {literal}\n"


def test_the_defaults_are_those_of_the_contract(tmp_path: Path) -> None:
    settings = load(tmp_path, USER="ada")
    assert (settings.home, settings.project.rpartition("-")[0], settings.user) == (tmp_path, tmp_path.name, "ada")
    memory = settings.memory
    assert (memory.scope, memory.limit, memory.lambda_, memory.mmr_lambda) == ("project", 10, 0.5, 0.95)
    assert (memory.initial_q, memory.similarity_threshold, settings.q_learning.alpha) == (0.5, None, 0.3)
    assert (settings.reflection.author, settings.reflection.model, settings.embedding.model) == ("auto", "", "bundled")
    assert (settings.index.url, settings.ledger.url, settings.hub.enabled, settings.hub.idle_exit_s) == (
        "",
        "",
        True,
        600,
    )


def test_every_setting_is_covered_by_these_tests() -> None:
    covered = (
        set(EXAMPLES)
        | {"MCP_REFLECT_HOME", "MCP_REFLECT_CONFIG", "MCP_REFLECT_REFLECTION__MODEL"}
        | {"MCP_REFLECT_ERRORS__MIRROR"}
        # Any text will do; tests/adapters/test_index.py has a server take them.
        | {f"MCP_REFLECT_INDEX__{name}" for name in ("TOKEN", "TENANT", "DATABASE")}
    )
    assert {row.environment[0] for row in setting_rows()} == covered | {"OPENAI_API_KEY"}


def test_the_mirror_of_errors_lies_in_the_repository(tmp_path: Path) -> None:
    (tmp_path / "clone" / ".git").mkdir(parents=True)
    (tmp_path / "clone" / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (tmp_path / "clone" / "src").mkdir()
    environ = {"MCP_REFLECT_HOME": str(tmp_path), "MCP_REFLECT_ERRORS__MIRROR": "docs/reflexion.jsonl"}
    mirror = load_settings(environ, tmp_path / "clone" / "src").errors.mirror
    assert mirror == str(tmp_path / "clone" / "docs" / "reflexion.jsonl")
    assert load_settings(environ, tmp_path).errors.mirror == str(tmp_path / "docs" / "reflexion.jsonl")
    assert load(tmp_path, '[errors]\nmirror = "  "').errors.mirror == ""
    for wrong in ("/etc/passwd", "../outside.jsonl", "docs/", ".", "a/../../b"):
        assert "inside the repository" in refusal(tmp_path, MCP_REFLECT_ERRORS__MIRROR=wrong)


def test_insights_come_with_the_documented_defaults(tmp_path: Path) -> None:
    insights = load(tmp_path).insights
    assert (insights.recent_capacity, insights.capacity) == (20, 10)
    assert (insights.reflect_every, insights.importance_threshold) == (15, 0.5)
    assert load(tmp_path).memory.recency_weight == 0.0


def test_every_setting_is_explained() -> None:
    assert all(row.meaning and row.default and row.allowed for row in setting_rows())


@pytest.mark.parametrize("variable", EXAMPLES)
def test_the_environment_sets_it(tmp_path: Path, variable: str) -> None:
    value = EXAMPLES[variable][0]
    changed, default = load(tmp_path, **{variable: value}), load(tmp_path)
    assert str(value_of(changed, variable)).lower().removesuffix(".0") == value.lower()
    assert value_of(changed, variable) != value_of(default, variable)


@pytest.mark.parametrize("variable", EXAMPLES)
def test_the_file_sets_it_and_the_environment_wins(tmp_path: Path, variable: str) -> None:
    value = EXAMPLES[variable][0]
    config = as_toml(variable, value)
    assert value_of(load(tmp_path, config), variable) == value_of(load(tmp_path, **{variable: value}), variable)
    with pytest.raises(ConfigurationError, match=variable):
        load(tmp_path, config, **{variable: EXAMPLES[variable][1]})


@pytest.mark.parametrize("variable", EXAMPLES)
def test_a_wrong_value_is_one_line_with_setting_value_and_origin(tmp_path: Path, variable: str) -> None:
    wrong = EXAMPLES[variable][1]
    key = variable.removeprefix("MCP_REFLECT_").lower().replace("__", ".")
    from_environment = refusal(tmp_path, **{variable: wrong})
    assert from_environment.startswith(f"{key} = '{wrong[:60]}")
    assert f"(from {variable})" in from_environment
    assert re.search(r"\) (must be|needs) \S+", from_environment)
    from_file = refusal(tmp_path, as_toml(variable, wrong))
    assert from_file.startswith(f"{key} = ")
    assert "config.toml" in from_file


@pytest.mark.parametrize("value", ["", "  "])
def test_a_blank_variable_counts_as_not_set(tmp_path: Path, value: str) -> None:
    assert load(tmp_path, MCP_REFLECT_MEMORY__LIMIT=value, OPENAI_API_KEY=value) == load(tmp_path)


def test_the_short_name_of_alpha_works_and_the_long_one_wins(tmp_path: Path) -> None:
    assert load(tmp_path, Q_LEARNING_ALPHA="0.2").q_learning.alpha == 0.2
    assert load(tmp_path, Q_LEARNING_ALPHA="0.2", MCP_REFLECT_Q_LEARNING__ALPHA="0.4").q_learning.alpha == 0.4
    assert "(from Q_LEARNING_ALPHA)" in refusal(tmp_path, Q_LEARNING_ALPHA="2")


def test_openai_base_url_is_the_address_of_the_llm(tmp_path: Path) -> None:
    settings = load(tmp_path, OPENAI_BASE_URL="http://localhost:4000/v1/")
    assert settings.reflection.base_url == settings.openai_base_url == "http://localhost:4000/v1"


def test_an_unknown_variable_names_the_nearest(tmp_path: Path) -> None:
    message = refusal(tmp_path, MCP_REFLECT_MEMORY__LIMITS="3")
    assert message == "MCP_REFLECT_MEMORY__LIMITS is no setting; did you mean MCP_REFLECT_MEMORY__LIMIT?"


def test_variables_of_the_tests_are_left_alone(tmp_path: Path) -> None:
    assert load(tmp_path, MCP_REFLECT_TEST_DATA="/data") == load(tmp_path)


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ("[memory]\nlimits = 3", "memory.limits .*is no setting; did you mean memory.limit?"),
        ("[memori]\nlimit = 3", "memori .*is no setting"),
        ("memory = 3", r"memory = 3 .*must be a table of settings"),
        ("[memory]\nlimit = true", "memory.limit = True .*must be an integer from 1 to 100"),
        ("[memory]\nlimit = 2.5", "memory.limit = 2.5 .*must be an integer"),
        ("[memory]\nlambda_ = nan", "memory.lambda_ = nan .*must be a number from 0 to 1"),
        ("user = 7", "user = 7 .*must be"),
        ('user = "a\\u0000b"', "user = .*must be"),
        ('home = "/tmp"', "home cannot be set in config.toml, only by MCP_REFLECT_HOME"),
        ('openai_api_key = "hunter2"', "openai_api_key cannot be set in config.toml, only by OPENAI_API_KEY"),
        ("[memory\nlimit = 3", r"config.toml: must be TOML: .*line 1"),
    ],
)
def test_a_mistake_in_the_file_is_named(tmp_path: Path, config: str, expected: str) -> None:
    assert re.search(expected, refusal(tmp_path, config))


def test_a_file_that_is_not_utf_8_is_named(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_bytes(b'user = "\xff"')
    assert "config.toml: must be UTF-8 text" in refusal(tmp_path)


def test_a_byte_order_mark_is_allowed(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_bytes(b'\xef\xbb\xbfuser = "ada"')
    assert load(tmp_path).user == "ada"


def test_a_folder_in_place_of_the_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "config.toml").mkdir()
    assert "config.toml: cannot be read: Is a directory" in refusal(tmp_path)


@pytest.mark.skipif(os.name == "nt", reason="no limit of descriptors")
def test_a_config_that_no_descriptor_is_left_for_says_which_limit_to_raise(tmp_path: Path) -> None:
    import resource  # noqa: PLC0415 - not on Windows

    (tmp_path / "config.toml").touch()
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (0, limits[1]))
    try:
        told = refusal(tmp_path)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
    assert "Too many open files; raise the limit of open files (ulimit -n)" in told


def test_another_file_can_be_named_and_must_exist(tmp_path: Path) -> None:
    other = tmp_path / "other.toml"
    assert f"{other} (from MCP_REFLECT_CONFIG): the file does not exist" in refusal(
        tmp_path, MCP_REFLECT_CONFIG="other.toml"
    )
    other.write_text('user = "other"')
    assert load(tmp_path, 'user = "home"', MCP_REFLECT_CONFIG=str(other)).user == "other"
    assert load(tmp_path, 'user = "home"', MCP_REFLECT_CONFIG=os.devnull).user != "home"


def test_the_default_home_is_the_platforms(tmp_path: Path) -> None:
    home = load_settings({}, tmp_path).home
    assert home.is_absolute()
    assert "mcp-reflect" in str(home)


def test_a_relative_home_is_taken_from_the_working_directory(tmp_path: Path) -> None:
    assert load_settings({"MCP_REFLECT_HOME": "a/../b"}, tmp_path).home == tmp_path / "b"


def test_loading_writes_nothing(tmp_path: Path) -> None:
    load_settings({"MCP_REFLECT_HOME": str(tmp_path / "new")}, tmp_path)
    assert not list(tmp_path.iterdir())


def test_an_llm_needs_a_model_and_a_key_or_an_address(tmp_path: Path) -> None:
    assert "needs reflection.model" in refusal(tmp_path, "[reflection]\nauthor = 'llm'")
    assert "needs OPENAI_API_KEY" in refusal(tmp_path, "[reflection]\nmodel = 'm'")
    assert "needs OPENAI_API_KEY" in refusal(tmp_path, MCP_REFLECT_EMBEDDING__MODEL="openai:m")
    assert load(tmp_path, "[reflection]\nmodel = 'm'\nbase_url = 'http://localhost:1'").llm_configured
    assert load(tmp_path, "[reflection]\nmodel = 'm'\nauthor = 'llm'", OPENAI_API_KEY="k").llm_configured


def test_the_default_server_is_openais(tmp_path: Path) -> None:
    assert load(tmp_path).openai_base_url == "https://api.openai.com/v1"


def test_a_key_alone_configures_no_llm(tmp_path: Path) -> None:
    assert not load(tmp_path, OPENAI_API_KEY="k", OPENAI_BASE_URL="http://localhost:1").llm_configured


@pytest.mark.parametrize("given", ["./model", "~/model", "/model", "model/../BAAI"])
def test_only_what_looks_like_a_path_is_made_one(tmp_path: Path, given: str) -> None:
    expected = {"./model": str(tmp_path / "model"), "~/model": str(Path.home() / "model"), "/model": "/model"}
    assert load(tmp_path, MCP_REFLECT_EMBEDDING__MODEL=given).embedding.model == expected.get(given, given)


def test_no_secret_is_ever_shown(tmp_path: Path) -> None:
    secrets = ("sk-proj-Abcdef0123456789abcdef", "hunter2")
    settings = load(
        tmp_path,
        OPENAI_API_KEY=secrets[0],
        MCP_REFLECT_LEDGER__URL=f"postgresql://ada:{secrets[1]}@host/name",
        MCP_REFLECT_INDEX__URL=f"http://ada:{secrets[1]}@host",
    )
    messages = [
        repr(settings),
        str(settings),
        refusal(tmp_path, MCP_REFLECT_REFLECTION__BASE_URL=secrets[0]),
        refusal(tmp_path, MCP_REFLECT_LEDGER__URL=f"ada:{secrets[1]}@host/name"),
        refusal(tmp_path, MCP_REFLECT_INDEX__URL=f"ftp://ada:{secrets[1]}@host"),
        refusal(tmp_path, MCP_REFLECT_LEDGER__URL=f"host/name?password={secrets[1]}"),
    ]
    assert not [message for message in messages for secret in secrets if secret in message]
    assert settings.openai_api_key is not None
    assert settings.openai_api_key.get_secret_value() == secrets[0]
    assert settings.ledger.url.endswith("hunter2@host/name")


def test_settings_cannot_be_changed(tmp_path: Path) -> None:
    settings = load(tmp_path)
    with pytest.raises(AttributeError, match="frozen"):
        settings.memory.limit = 3


def test_without_arguments_the_process_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("MCP_REFLECT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("MCP_REFLECT_HOME", "here")
    monkeypatch.chdir(tmp_path)
    assert load_settings().home == tmp_path / "here"


@given(
    variable=st.sampled_from(sorted(EXAMPLES)),
    value=st.text(alphabet=st.characters(exclude_characters="\0"), max_size=300),
)
def test_any_value_gives_settings_or_one_line(
    tmp_path_factory: pytest.TempPathFactory, variable: str, value: str
) -> None:
    home = tmp_path_factory.getbasetemp()
    try:
        load_settings({"MCP_REFLECT_HOME": str(home), variable: value}, home)
    except ConfigurationError as error:
        assert len(str(error).splitlines()) == 1  # noqa: PT017 - either outcome is right
