"""Packages that training requires."""

from __future__ import annotations

from importlib.util import find_spec

from pipeline.base.errors import InputError
from pipeline.base.paths import Paths
from pipeline.settings.run_config import RunConfig


def check_packages(config: RunConfig, paths: Paths, run_id: str) -> None:
    """Raise `InputError` before anything is written if JAX or optax is not installed."""
    missing = [name for name in ("jax", "optax") if find_spec(name) is None]
    if missing:
        raise InputError(
            f"learning requires the package{'s' * (len(missing) > 1)} {' and '.join(missing)}, "
            "not installed here; run make setup"
        )
