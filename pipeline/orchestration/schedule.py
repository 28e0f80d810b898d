"""Schedule, preset, deadline and time limits of the DAGs, from the environment.

The DAG files read them when Airflow parses them. An invalid value becomes an import error with the
message from here.
"""

from __future__ import annotations

import math
import os
from datetime import timedelta

from pipeline.base.errors import InputError
from pipeline.settings.presets import PRESETS

SCHEDULE, PRESET = "GROUPSCALE_NIGHTLY_SCHEDULE", "GROUPSCALE_NIGHTLY_PRESET"
DEADLINE, FACTOR = "GROUPSCALE_DEADLINE_HOURS", "GROUPSCALE_TIME_LIMIT_FACTOR"

DEFAULT_SCHEDULE = "0 1 * * *"
DEFAULT_DEADLINE_HOURS = 3.0
MAX_HOURS = 8760.0
MAX_FACTOR = 1000.0

_MINUTES = {"begin": 15, "stage": 240, "check": 120, "tell": 60, "conclude": 30, "upkeep": 120}
"""Time limits for hanging tasks, by kind: far above the largest preset's times on two cores."""


def nightly_schedule() -> str:
    """Cron expression of `nightly`, UTC. Raises InputError if its variable is not one."""
    from croniter import croniter  # type: ignore[import-untyped]

    text = os.environ.get(SCHEDULE, DEFAULT_SCHEDULE).strip()
    fields = 1 if text.startswith("@") else 5
    if len(text.split()) != fields or not croniter.is_valid(text):
        raise InputError(
            f"{SCHEDULE} must be a cron expression with five fields (UTC) or one of @hourly, "
            f"@daily, @weekly, @monthly (got {text!r}); unset it for {DEFAULT_SCHEDULE!r}"
        )
    return text


def nightly_preset() -> str:
    """Preset of the DAG `nightly`. Raises InputError if its variable is not one."""
    name = os.environ.get(PRESET, "nightly")
    if name not in PRESETS:
        raise InputError(
            f"{PRESET} must be one of {', '.join(PRESETS)} (got {name!r}); unset it for nightly"
        )
    return name


def deadline() -> timedelta | None:
    """Time after queueing when a nightly run counts as late, None for never.

    Raises InputError if ``GROUPSCALE_DEADLINE_HOURS`` is not a valid number of hours.
    """
    hours = _number(DEADLINE, DEFAULT_DEADLINE_HOURS, 0.0, MAX_HOURS)
    return timedelta(hours=hours) if hours > 0 else None


def time_limit(kind: str) -> timedelta:
    """Time limit of a task, by its kind.

    kind: ``begin``, ``stage`` (one unit of it), ``check``, ``tell`` (stages without a table),
        ``conclude`` or ``upkeep``.
    Raises InputError if ``GROUPSCALE_TIME_LIMIT_FACTOR``, which multiplies all limits, is not a
        valid number.
    """
    return timedelta(minutes=_MINUTES[kind] * _number(FACTOR, 1.0, 1.0, MAX_FACTOR))


def _number(name: str, default: float, least: float, most: float) -> float:
    text = os.environ.get(name, str(default))
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not least <= value <= most:
        raise InputError(
            f"{name} must be a number between {least:g} and {most:g} (got {text!r}); unset it "
            f"for {default:g}"
        )
    return value
