"""Settings of the simulation of an application."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from algorithms.autoscaling.collection_checks import check_mapping
from algorithms.autoscaling.number_checks import check_number, check_switch
from algorithms.core.arrays import check_seed
from algorithms.core.input_errors import InvalidParameterError

MAX_DECISIONS = 1_000_000

SPACINGS = ("exponential", "constant")
"""Times between the events of a source."""


class Settings(NamedTuple):
    """Settings of a simulation; see `algorithms.simulation.simulate_application`."""

    decision_s: float = 30.0
    startup_s: float = 0.0
    replace: bool = False
    spacing: str = "exponential"
    r_max: float = 1.0
    seed: int = 0


def check_settings(settings: Mapping[str, Any] | None, seconds: float) -> Settings:
    """Settings with defaults, for sources that end after some seconds.

    Raises
    ------
    InvalidParameterError
        If a name is unknown, or a value out of bounds.
    """
    named = {} if settings is None else check_mapping("settings", settings, "values")
    unknown = [name for name in named if name not in Settings._fields]
    if unknown:
        raise InvalidParameterError(
            f"settings must be among {', '.join(Settings._fields)} (got {unknown[0]!r})"
        )
    given = Settings(**named)
    spacing: Any = given.spacing
    if not isinstance(spacing, str) or spacing not in SPACINGS:
        raise InvalidParameterError(
            f"spacing must be one of {', '.join(SPACINGS)} (got {spacing!r})"
        )
    decision_s = check_number("decision_s", given.decision_s, above=0.0)
    if seconds / decision_s > MAX_DECISIONS:
        raise InvalidParameterError(
            f"decision_s must give at most {MAX_DECISIONS} decisions in {seconds:g} s "
            f"(got {given.decision_s})"
        )
    return Settings(
        decision_s,
        check_number("startup_s", given.startup_s, at_least=0.0),
        check_switch("replace", given.replace),
        given.spacing,
        check_number("r_max", given.r_max, above=0.0),
        check_seed(given.seed),
    )
