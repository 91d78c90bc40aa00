"""Settings: the only place that reads the environment and `config.toml`.

Precedence: environment, then `config.toml`, then default. `load_settings` gives a frozen value or raises
ConfigurationError with one line: the setting, the value, where it came from, what it must be.

The sources are merged here and not by a settings library: a client's environment reaches the process as a mapping,
some variables are shared with other programs (`OPENAI_BASE_URL`), and every error must name where its value stood.
"""

from __future__ import annotations

import difflib
import errno
import os
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from mcp_reflect.config.home import refuse_foreign_home
from mcp_reflect.config.masking import mask_secrets
from mcp_reflect.config.project import locate_project, login_name, repository_root
from mcp_reflect.config.setting_rows import (
    CONFIG_VARIABLE,
    ENVIRONMENT_ONLY,
    PREFIX,
    SettingRow,
    setting_fields,
    setting_rows,
    setting_variables,
)
from mcp_reflect.config.settings import Settings
from mcp_reflect.domain.field_checks import InvalidRecord
from mcp_reflect.domain.truncate import truncate
from mcp_reflect.errors import ConfigurationError
from mcp_reflect.own_files import read_plain

__all__ = ["SettingRow", "Settings", "load_settings", "load_settings_with_origins", "setting_rows"]

_RESERVED = PREFIX + "TEST_"
"""Variables that the project's own tests read; no settings."""

_PATH = re.compile(r"[~./\\]|[A-Za-z]:[\\/]")
"""How a path of a folder begins; a fastembed name never does."""


def load_settings(
    environ: Mapping[str, str] | None = None, cwd: Path | None = None, roots: Sequence[Path] = ()
) -> Settings:
    """Return the settings in force for a process or client with that environment (default: this process's) and folder.

    `roots` are the folders that an MCP client says it works in.

    Reads `config.toml` and git's files, writes nothing. A variable that is set but blank counts as not set. Raises
    ConfigurationError for a wrong value, a setting that does not exist, a file that cannot be read, and for settings
    that contradict each other.
    """
    return load_settings_with_origins(environ, cwd, roots)[0]


def load_settings_with_origins(
    environ: Mapping[str, str] | None = None, cwd: Path | None = None, roots: Sequence[Path] = ()
) -> tuple[Settings, dict[str, str]]:
    """Load the settings, and return beside them where each one that somebody set stands: a variable, or a file."""
    environ = os.environ if environ is None else environ
    cwd = _working_directory() if cwd is None else cwd
    _refuse_unknown_variables(environ)
    home = _path(_given(environ, ENVIRONMENT_ONLY["home"]) or _data_folder(), cwd)
    refuse_foreign_home(home)  # its config.toml says where texts and keys are sent
    named = _given(environ, CONFIG_VARIABLE)
    config = _path(named, cwd) if named else home / "config.toml"
    values = _read_config(config, required=bool(named))
    made = dict.fromkeys(_keys(values), str(config))
    origins = _merge_environment(values, environ)
    values["home"] = home
    located = None if "project" in values else locate_project(environ, cwd, roots)
    if located is not None:
        values["project"] = located.project
    values.setdefault("user", login_name(environ))
    _resolve_model_folder(values, cwd)
    _resolve_mirror(values, environ, cwd, origins, config)
    try:
        settings = Settings.model_validate(values)
    except InvalidRecord as error:
        raise ConfigurationError(_explain(error, origins, config)) from None
    _check_combinations(settings, origins, config)
    if located is None:
        settings.note_project_origin((made | origins).get("project", ""), is_settled=True)
    else:
        settings.note_project_origin(located.origin, is_settled=located.is_settled)
    return settings, made | origins


def _data_folder() -> str:
    from platformdirs import user_data_dir  # noqa: PLC0415 - of use only where no variable names a home

    return user_data_dir("mcp-reflect", appauthor=False)


def _keys(values: Mapping[str, Any]) -> Iterable[str]:
    for name, value in values.items():
        yield from (f"{name}.{key}" for key in value) if isinstance(value, dict) else (name,)


def _working_directory() -> Path:
    try:
        return Path.cwd()
    except OSError:  # it was deleted under the process
        return Path.home()


def _given(environ: Mapping[str, str], variable: str) -> str:
    return environ.get(variable, "").strip()


def _path(value: str, cwd: Path) -> Path:
    try:
        path = Path(value).expanduser()
    except RuntimeError:  # a user without a home
        path = Path(value)
    return Path(os.path.normpath(cwd / path))


def _refuse_unknown_variables(environ: Mapping[str, str]) -> None:
    known = {variable for row in setting_rows() for variable in row.environment}
    for name in sorted(environ):
        if name.startswith(PREFIX) and not name.startswith(_RESERVED) and name not in known:
            raise ConfigurationError(f"{name} is no setting{_nearest(name, known)}")


def _nearest(name: str, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(name, sorted(known), n=1)
    return f"; did you mean {near[0]}?" if near else ""


def _read_config(path: Path, *, required: bool) -> dict[str, Any]:
    try:
        # Editors on Windows begin a file with a byte order mark, which TOML does not allow.
        return tomllib.loads(read_plain(path).decode("utf-8-sig"))
    except FileNotFoundError:
        if not required:
            return {}
        problem = "the file does not exist"
    except OSError as error:
        problem = f"cannot be read: {error.strerror}"
        if error.errno in {errno.EMFILE, errno.ENFILE}:
            problem += "; raise the limit of open files (ulimit -n), or close clients"
    except UnicodeDecodeError:
        problem = "must be UTF-8 text"
    except tomllib.TOMLDecodeError as error:
        problem = f"must be TOML: {error}"
    raise ConfigurationError(f"{path}{f' (from {CONFIG_VARIABLE})' if required else ''}: {_one_line(problem)}")


def _merge_environment(values: dict[str, Any], environ: Mapping[str, str]) -> dict[str, str]:
    """Put what the environment sets into `values`; gives back which variable each such setting came from."""
    for key in ENVIRONMENT_ONLY:
        if key in values:
            raise ConfigurationError(f"{key} cannot be set in config.toml, only by {ENVIRONMENT_ONLY[key]}")
    origins: dict[str, str] = {}
    for key, _ in setting_fields(Settings):
        variable = next((name for name in setting_variables(key) if _given(environ, name)), "")
        section, _, name = key.rpartition(".")
        target = values.setdefault(section, {}) if section else values
        # A section that is no table is left for validation to refuse.
        if variable and isinstance(target, dict):
            target[name] = _given(environ, variable)
            origins[key] = variable
    return origins


def _resolve_model_folder(values: dict[str, Any], cwd: Path) -> None:
    """Make a folder of an embedding model absolute: the process that loads it may have another working directory."""
    section = values.get("embedding")
    model = section.get("model") if isinstance(section, dict) else None
    if isinstance(section, dict) and isinstance(model, str) and _PATH.match(model):
        section["model"] = str(_path(model, cwd))


def _resolve_mirror(
    values: dict[str, Any], environ: Mapping[str, str], cwd: Path, origins: Mapping[str, str], config: Path
) -> None:
    """Make the mirror of errors absolute; it has to lie in the repository, or in the working directory without one."""
    section = values.get("errors")
    mirror = section.get("mirror") if isinstance(section, dict) else None
    if not isinstance(section, dict) or not isinstance(mirror, str) or not mirror.strip():
        return
    # Links above the repository are the user's own; whoever opens the file follows none below.
    root = Path(os.path.realpath(repository_root(environ, cwd)))
    file = Path(os.path.normpath(root / mirror.strip()))
    outside = Path(mirror.strip()).is_absolute() or root not in file.parents or mirror.strip()[-1] in "/\\"
    # A line of an error in a script, a hook or a shell's configuration could be run.
    of_others = file.suffix.lower() != ".jsonl" or any(part.lower() == ".git" for part in file.parts)
    if outside or of_others:
        raise ConfigurationError(
            _one_line(
                f"errors.mirror = {_shown(mirror)} (from {origins.get('errors.mirror', config)}) must be the path of a "
                ".jsonl file inside the repository, relative to it, such as docs/memory/reflexion.jsonl"
            )
        )
    section["mirror"] = str(file)


def _explain(error: InvalidRecord, origins: Mapping[str, str], config: Path) -> str:
    key = ".".join(error.path)
    origin = origins.get(key, str(config))
    rules = {row.key: row.allowed for row in setting_rows() if row.key}
    if error.is_unknown:
        return _one_line(f"{key} (from {origin}) is no setting{_nearest(key, rules)}")
    rule = rules.get(key, "a table of settings")
    # A project id is the one setting whose check knows a proposal.
    detail = error.problem.partition(", for example ")[2] if key == "project" else ""
    return _one_line(
        f"{key} = {_shown(error.value)} (from {origin}) must be {rule}{f', for example {detail}' * bool(detail)}"
    )


def _check_combinations(settings: Settings, origins: Mapping[str, str], config: Path) -> None:
    def refuse(key: str, value: str, need: str) -> ConfigurationError:
        return ConfigurationError(_one_line(f"{key} = {_shown(value)} (from {origins.get(key, config)}) needs {need}"))

    reflection, embedding = settings.reflection, settings.embedding
    without_key = settings.openai_api_key is None and not reflection.base_url
    key_or_address = "OPENAI_API_KEY, or reflection.base_url for a server that asks for no key"
    if reflection.author == "llm" and not reflection.model:
        raise refuse("reflection.author", reflection.author, "reflection.model, the name of the model to ask")
    if reflection.model and without_key:
        raise refuse("reflection.model", reflection.model, key_or_address)
    if embedding.model.startswith("openai:"):
        if not embedding.model.removeprefix("openai:").strip():
            raise refuse("embedding.model", embedding.model, "the name of a model after openai:")
        if without_key:
            raise refuse("embedding.model", embedding.model, key_or_address)


def _shown(value: object) -> str:
    return truncate(mask_secrets(repr(value)), 80)  # what one line bears


def _one_line(text: str) -> str:
    return " ".join(text.split())
