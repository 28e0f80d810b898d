"""Settings of the simulation of an application."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from algorithms.autoscaling.collection_checks import check_mapping
from algorithms.core.arrays import MAX_SEED
from algorithms.core.input_errors import InvalidParameterError
from algorithms.core.setting import declared, setting
from algorithms.core.setting_checks import checked

MAX_DECISIONS = 1_000_000


@dataclass(frozen=True, kw_only=True)
class DecidedApplication:
    """What an application gets and when it is decided on, simulated or real."""

    decision_s: float = setting(30.0, "Time between decisions.", "s", above=0)
    spacing: str = setting(
        "exponential", "Times between the events of a source.", one_of=("exponential", "constant")
    )
    r_max: float = setting(
        1.0, "Bound of response times, for policies that are given none.", "s", above=0
    )
    receiver_queue: int = setting(
        1000,
        "Events that an instance fetches ahead, as Pulsar's receiverQueueSize; 0: the instances of "
        "a function share one queue.",
        "events",
        at_least=0,
        at_most=10_000,
    )


@dataclass(frozen=True, kw_only=True)
class ScaledApplication(DecidedApplication):
    """How an application is scaled; see `algorithms.simulation.simulate_application`."""

    startup_s: float = setting(0.0, "Time after which new instances work.", "s", at_least=0)
    start_gap_s: float = setting(
        0.0,
        "Time from the start of one instance to that of the next one of the same change.",
        "s",
        at_least=0,
    )
    replace: bool = setting(False, "Whether a change restarts all instances of the function.")
    in_turn: bool = setting(
        False,
        "Whether instances stop one after another, as on Pulsar: what one holds is processed again "
        "when its hold has ended. Needs a receiver_queue.",
    )


@dataclass(frozen=True, kw_only=True)
class ApplicationSettings(ScaledApplication):
    """Settings of a simulation."""

    seed: int = setting(0, "Seed of all random numbers.", "index", at_least=0, at_most=MAX_SEED)


def check_settings(settings: Mapping[str, Any] | None, seconds: float) -> ApplicationSettings:
    """Settings with defaults for sources that end after some seconds, or InvalidParameterError."""
    named = {} if settings is None else check_mapping("settings", settings, "values")
    names = declared(ApplicationSettings)
    unknown = [name for name in named if name not in names]
    if unknown:
        raise InvalidParameterError(
            f"settings must be among {', '.join(names)} (got {unknown[0]!r})"
        )
    plain = checked(ApplicationSettings(**named))
    if plain.in_turn and plain.receiver_queue == 0:
        raise InvalidParameterError(
            "receiver_queue must be at least 1 with in_turn, as on Pulsar (got 0)"
        )
    if seconds / plain.decision_s > MAX_DECISIONS:
        raise InvalidParameterError(
            f"decision_s must give at most {MAX_DECISIONS} decisions in {seconds:g} s "
            f"(got {plain.decision_s})"
        )
    return plain
