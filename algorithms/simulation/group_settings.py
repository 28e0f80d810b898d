"""Settings of a simulated consumer group, and the checks of all arguments before anything runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

import numpy as np

from algorithms.assignment import assignors
from algorithms.autoscaling.number_checks import check_number, check_switch
from algorithms.autoscaling.scaled_group import PROTOCOLS, Group
from algorithms.core.arrays import Floats, check_count, check_seed
from algorithms.core.input_errors import InvalidParameterError
from algorithms.simulation.group_rules import Rules

ARRIVALS = ("uniform", "burst")
OBSERVED = ("last", "now")

MIN_STEP_S = 1e-6
"""Shortest step, in s: times that are closer than a thousandth of it count as one instant."""

MAX_REPLICAS = 1_000_000

MAX_WINDOW = 1_000_000
"""Most steps between two decisions: a strategy sees the events of each."""

MAX_SERVICE_CV = 100.0

MAX_DRAIN_STEPS = 1_000_000
"""Most steps after the last one if service times vary: rates are drawn for each."""

_EXACT = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupSettings:
    """Settings of a group, with their defaults. Times are in s, rates in events/s.

    Attributes
    ----------
    step_s : float
        Length of a step of the workload.
    arrivals : str
        ``uniform``: spread over the step; ``burst``: all at its start.
    poisson : bool
        Whether the number of events of each step and partition is drawn; rates are means then.
    seed : int
        Seed of all random numbers.
    mu : float
        Rate at which one consumer serves.
    service_cv : float
        Coefficient of variation c of service times. In each step, a consumer serves at ``mu X``; X
        is drawn from a Gamma distribution with mean 1 and variance ``c^2 / (mu step_s)``.
    wsla_s : float
        Latency that the service level agreement allows.
    initial_replicas, min_replicas, max_replicas : int
        Replicas at the start, and their bounds. The maximum defaults to the number of partitions.
    startup_s : float
        Time until a new replica joins.
    heartbeat_s : float
        Time from then until the rebalance starts.
    rebalance_s : float
        Duration of a rebalance.
    protocol : str
        Which partitions a rebalance stops: ``eager`` all; ``cooperative`` those that move, for two
        rebalances, or one if their last owner has left; ``incremental`` those that move, for one.
    move_pause_s : float
        Time that a moved partition waits after its rebalance.
    assignor : str
        Assignor that places the partitions where the strategy does not; see
        `algorithms.assignment.assignors.names`.
    decision_s : float
        Time between decisions, a multiple of `step_s`. Defaults to that of the strategy.
    decision_offset_s : float
        Time from the start of a step to its decision, less than `step_s`.
    observe : str
        Rates that the strategy sees: ``last``: the mean since the decision before; ``now``: those
        of the present step. Defaults to what the strategy is meant to see.
    cooldown_s : float
        Time from the beginning of an action in which the strategy is not called.
    drain_limit_s : float
        Time after the last step in which waiting events can still depart.
    """

    step_s: float = 1.0
    arrivals: str = "uniform"
    poisson: bool = False
    seed: int = 0
    mu: float = 200.0
    service_cv: float = 0.0
    wsla_s: float = 0.5
    initial_replicas: int = 1
    min_replicas: int = 1
    max_replicas: int
    startup_s: float = 0.0
    heartbeat_s: float = 0.0
    rebalance_s: float = 0.05
    protocol: str = "eager"
    move_pause_s: float = 0.0
    assignor: str = "range"
    decision_s: float
    decision_offset_s: float = 0.0
    observe: str
    cooldown_s: float = 0.0
    drain_limit_s: float = 600.0


def check_workload(rates: Any) -> Floats:
    """Return rates as a contiguous ``float64[N, P]``, or raise if they are invalid.

    Raises
    ------
    InvalidParameterError
        If they are ragged or empty, or a rate is negative or not finite.
    """
    try:
        given = np.require(rates, np.float64, ["C", "W"])
    except (TypeError, ValueError) as error:
        raise InvalidParameterError(
            f"rates must be numbers, one row per step and one column per partition ({error})"
        ) from None
    if given.ndim != 2 or given.size == 0:
        raise InvalidParameterError(
            f"rates must have shape (steps, partitions), both at least 1 (got {np.shape(given)})"
        )
    wrong = ~(np.isfinite(given) & (given >= 0.0))
    if wrong.any():
        k, p = (int(i) for i in np.argwhere(wrong)[0])
        raise InvalidParameterError(
            f"rates[{k}, {p}] must be finite and at least 0 events/s (got {given[k, p]})"
        )
    return given


def check_totals(rates: Floats, settings: GroupSettings) -> None:
    """Raise `InvalidParameterError` if all steps may have more events than a float can count.

    That is, if the greatest total rate in all steps, times the longest time that an event can
    wait, is not finite. Shorter times count as 1 s.
    """
    with np.errstate(over="ignore"):
        totals = rates.sum(axis=1)
        k = int(totals.argmax())
        end_s = rates.shape[0] * settings.step_s
        waits_s = max(end_s + settings.drain_limit_s, 1.0)
        waited_s = float(totals[k]) * max(end_s, 1.0) * waits_s
    if not np.isfinite(waited_s):
        raise InvalidParameterError(
            f"rates[{k}] must add up to fewer events/s: with as many in {end_s:g} s and "
            f"drain_limit_s {settings.drain_limit_s:g}, events × s must be at most "
            f"{np.finfo(np.float64).max:.2g} (got {totals[k]:g} events/s); lower one of them"
        )


def check_settings(
    settings: Mapping[str, Any] | None, partitions: int, decision_s: float, observe: str | None
) -> GroupSettings:
    """Complete and check the settings of a group.

    Parameters
    ----------
    settings : mapping, optional
        Values that differ from the defaults of `GroupSettings`.
    partitions : int
        Number of partitions P.
    decision_s, observe : float, str or None
        Defaults of the strategy.

    Raises
    ------
    InvalidParameterError
        If a name is unknown or a value is out of bounds; the message names it.
    """
    given = dict(settings or {})
    known = [field.name for field in fields(GroupSettings)]
    for name in given:
        if name not in known:
            raise InvalidParameterError(
                f"unknown setting {name!r}; choose one of {', '.join(known)}"
            )
    defaults = {"max_replicas": partitions, "decision_s": decision_s, "observe": observe or "last"}
    for name, value in defaults.items():
        if given.get(name) is None:
            given[name] = value
    return _checked(GroupSettings(**given))


def _checked(settings: GroupSettings) -> GroupSettings:
    values = asdict(settings)
    numbers: dict[str, Any] = {
        name: check_number(name, values[name], above=0.0) for name in ("mu", "wsla_s", "decision_s")
    }
    numbers["step_s"] = check_number("step_s", settings.step_s, at_least=MIN_STEP_S)
    for name in (
        "startup_s",
        "heartbeat_s",
        "rebalance_s",
        "move_pause_s",
        "decision_offset_s",
        "cooldown_s",
        "drain_limit_s",
    ):
        numbers[name] = check_number(name, values[name], at_least=0.0)
    numbers["service_cv"] = check_number(
        "service_cv", settings.service_cv, at_least=0.0, at_most=MAX_SERVICE_CV
    )
    _check_names(settings)
    checked = replace(
        settings,
        **numbers,
        poisson=check_switch("poisson", settings.poisson),
        seed=check_seed(settings.seed),
    )
    _check_decisions(checked)
    _check_drain(checked)
    return _check_counts(checked)


def _check_names(settings: GroupSettings) -> None:
    for name, known in (
        ("protocol", PROTOCOLS),
        ("arrivals", ARRIVALS),
        ("observe", OBSERVED),
        ("assignor", assignors.names()),
    ):
        value = getattr(settings, name)
        if not isinstance(value, str) or value not in known:
            raise InvalidParameterError(f"{name} must be one of {', '.join(known)} (got {value!r})")


def _check_decisions(settings: GroupSettings) -> None:
    step_s, decision_s = settings.step_s, settings.decision_s
    steps = decision_s / step_s
    if round(steps) < 1 or abs(steps - round(steps)) > _EXACT * steps:
        raise InvalidParameterError(
            f"decision_s must be a multiple of step_s, {step_s} s (got {decision_s})"
        )
    if steps > MAX_WINDOW:
        raise InvalidParameterError(
            f"decision_s must be at most {MAX_WINDOW:,} steps of {step_s} s (got {decision_s:g})"
        )
    if settings.decision_offset_s >= step_s:
        raise InvalidParameterError(
            f"decision_offset_s must be at least 0 and below step_s, {step_s} s "
            f"(got {settings.decision_offset_s})"
        )


def _check_drain(settings: GroupSettings) -> None:
    most_s = MAX_DRAIN_STEPS * settings.step_s
    if settings.service_cv > 0.0 and settings.drain_limit_s > most_s:
        raise InvalidParameterError(
            f"drain_limit_s must be at most {most_s:g} s, {MAX_DRAIN_STEPS:,} steps, where "
            f"service_cv is above 0 (got {settings.drain_limit_s:g}); lower it"
        )


def _check_counts(settings: GroupSettings) -> GroupSettings:
    most = check_count("max_replicas", settings.max_replicas, 1, MAX_REPLICAS)
    least = check_count("min_replicas", settings.min_replicas, 0, most)
    initial = check_count("initial_replicas", settings.initial_replicas, least, most)
    return replace(settings, max_replicas=most, min_replicas=least, initial_replicas=initial)


def rules_of(settings: GroupSettings, steps: int) -> Rules:
    """Checked settings in the form in which kernels read them."""
    end_s = steps * settings.step_s
    variance = settings.service_cv**2 / (settings.mu * settings.step_s)
    return Rules(
        steps=steps,
        step_s=settings.step_s,
        end_s=end_s,
        drained_s=end_s + settings.drain_limit_s,
        mu=settings.mu,
        burst=settings.arrivals == "burst",
        window=round(settings.decision_s / settings.step_s),
        offset_s=settings.decision_offset_s,
        observes_now=settings.observe == "now",
        cooldown_s=settings.cooldown_s,
        startup_s=settings.startup_s,
        heartbeat_s=settings.heartbeat_s,
        rebalance_s=settings.rebalance_s,
        move_pause_s=settings.move_pause_s,
        protocol=PROTOCOLS.index(settings.protocol),
        assignor=assignors.code_of(settings.assignor),
        min_replicas=settings.min_replicas,
        max_replicas=settings.max_replicas,
        shape=1.0 / variance if variance > 0.0 else 0.0,
        seed=settings.seed,
    )


def group_of(
    settings: GroupSettings, peaks: Floats, topics: tuple[int, ...] | None = None
) -> Group:
    """What a strategy knows of its group; `topics` are the partitions of each (None: one topic)."""
    return Group(
        partitions=peaks.size,
        mu=settings.mu,
        wsla_s=settings.wsla_s,
        step_s=settings.step_s,
        decision_s=settings.decision_s,
        rebalance_s=settings.rebalance_s,
        startup_s=settings.startup_s,
        min_replicas=settings.min_replicas,
        max_replicas=settings.max_replicas,
        initial_replicas=settings.initial_replicas,
        burst=settings.arrivals == "burst",
        seed=settings.seed,
        peaks=peaks,
        assignor=settings.assignor,
        heartbeat_s=settings.heartbeat_s,
        move_pause_s=settings.move_pause_s,
        protocol=settings.protocol,
        topics=topics or (peaks.size,),
    )
