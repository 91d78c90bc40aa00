"""How many examples a property is tried on: all of them, or few where `make fast` asks for an answer soon."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

FAST = "fast"
"""The profile of `make fast`, chosen by `--hypothesis-profile`."""

_SHARE = 10


def register_profiles() -> None:
    """A busy machine is no reason to fail: neither profile counts anything but examples."""
    settings.register_profile("tests", deadline=None, suppress_health_check=[HealthCheck.too_slow])
    settings.register_profile(FAST, settings.get_profile("tests"), max_examples=100 // _SHARE)
    settings.load_profile("tests")


def examples(many: int) -> int:
    """`many`, for a property that needs another number than hypothesis's own; a part of it in `make fast`."""
    return many // _SHARE if settings.get_current_profile_name() == FAST else many
