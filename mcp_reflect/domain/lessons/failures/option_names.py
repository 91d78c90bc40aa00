"""Short names of options and subcommands of programs that are often called, by their long ones."""

from __future__ import annotations

_COMPOSE = {"-d": "--detach", "-f": "--file", "-t": "--tag", "-p": "--project-name", "-e": "--env", "-v": "--volume"}
_NODE = {"i": "install", "-D": "--save-dev", "-g": "--global", "-w": "--workspace-root", "-E": "--save-exact"}
_POSTGRES = {"-U": "--username", "-d": "--dbname", "-h": "--host", "-p": "--port", "-c": "--command", "-f": "--file"}
_KUBE = {"-n": "--namespace", "-f": "--filename", "-l": "--selector", "-c": "--container", "-o": "--output"}

_LONG: dict[str, dict[str, str]] = {
    "docker": _COMPOSE,
    "docker-compose": _COMPOSE,
    "podman": _COMPOSE,
    "npm": {**_NODE, "-w": "--workspace", "t": "test", "it": "install-test"},
    "pnpm": {**_NODE, "-r": "--recursive", "-F": "--filter"},
    "yarn": {"-D": "--dev", "-W": "--ignore-workspace-root-check"},
    "cargo": {"-p": "--package", "-F": "--features", "-r": "--release", "b": "build", "t": "test", "r": "run"},
    "psql": _POSTGRES,
    "pg_dump": _POSTGRES,
    "pg_restore": _POSTGRES,
    "kubectl": _KUBE,
    "helm": {"-n": "--namespace", "-f": "--values"},
    "git": {"-m": "--message", "-b": "--branch"},
    "alembic": {"-m": "--message", "-c": "--config"},
    "ansible-playbook": {"-i": "--inventory", "-C": "--check", "-l": "--limit", "-t": "--tags", "-e": "--extra-vars"},
    "pip": {"-U": "--upgrade", "-r": "--requirement", "-e": "--editable", "-c": "--constraint"},
    "rg": {"-t": "--type", "-g": "--glob", "-i": "--ignore-case", "-l": "--files-with-matches"},
    "cmake": {"-t": "--target"},
    "jest": {"-i": "--runInBand", "-t": "--testNamePattern", "-c": "--config"},
    "dotnet": {"-c": "--configuration", "-f": "--framework", "-r": "--runtime", "-o": "--output"},
    "rspec": {"-f": "--format", "-e": "--example"},
}
_ONE_DASH = frozenset(("go", "terraform"))
"""Programs that take long options with one dash as well as with two."""


def long_name(program: str, word: str) -> str:
    """Return the long name of an option or a subcommand of a program; any other word as it is."""
    if program in _ONE_DASH and word.startswith("--"):
        return word[1:]
    return _LONG.get(program, {}).get(word, word)
