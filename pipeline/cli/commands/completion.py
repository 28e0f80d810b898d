"""What shells complete besides commands and options. A completion never fails and starts no Spark.

Modules with names are imported when a shell asks, for each runs in a process of its own.
"""

from __future__ import annotations

from collections.abc import Iterable

import typer

from pipeline.base.errors import InputError
from pipeline.cli.commands.options import places


def presets() -> list[str]:
    """Names of presets."""
    from pipeline.settings.presets import PRESETS

    return list(PRESETS)


def families() -> list[str]:
    """Names of families of experiments."""
    from pipeline.settings.settings import MODELS

    return list(MODELS)


def algorithms(incomplete: str) -> list[str]:
    """Names of assignment algorithms."""
    from algorithms.assignment import registry

    return _starting(registry.names(), incomplete)


def strategies(incomplete: str) -> list[str]:
    """Names of strategies, the last of a list."""
    from algorithms.autoscaling import strategies as registered

    return _starting(registered.names(), incomplete)


def live_strategies(incomplete: str) -> list[str]:
    """Names of strategies and algorithms, the last of a list."""
    return [*strategies(incomplete), *algorithms(incomplete)]


def runs(ctx: typer.Context, incomplete: str) -> list[str]:
    """Ids of runs with a report, the newest first."""
    reports = places(ctx.params.get("warehouse")).warehouse / "reports"
    try:
        run_ids = [entry.name for entry in reports.iterdir() if entry.is_dir()]
    except OSError:
        return []
    return _starting(sorted(run_ids, reverse=True), incomplete)


def run_keys(ctx: typer.Context, incomplete: str) -> list[str]:
    """Keys of settings of the preset's family, with their equals sign."""
    from pipeline.settings import presets as every
    from pipeline.settings.settings import KEYS

    try:
        family = every.get(ctx.params.get("preset") or every.DEFAULT).family
    except InputError:
        return []
    return [f"{key}=" for key in _starting(KEYS[family], incomplete)]


def group_keys(incomplete: str) -> list[str]:
    """Keys of settings of a group and its workload, with their equals sign."""
    from pipeline.experiments.autoscaling.simulation.simulation_settings import KEYS

    return [f"{key}=" for key in _starting(KEYS, incomplete)]


def policies(incomplete: str) -> list[str]:
    """Names of policies of applications, the last of a list."""
    from algorithms.simulation.application_policies import POLICIES

    return _starting(POLICIES, incomplete)


def application_keys(incomplete: str) -> list[str]:
    """Keys of settings of a simulated application, with their equals sign."""
    from pipeline.inputs.applications.application_file import SETTINGS

    return [f"{key}=" for key in _starting(SETTINGS, incomplete)]


def _starting(names: Iterable[str], incomplete: str) -> list[str]:
    """The names that the last part of a list separated by commas can become."""
    before, comma, last = incomplete.rpartition(",")
    return [f"{before}{comma}{name}" for name in names if name.startswith(last)]
