"""Settings of the simulated cluster of brokers: the paper's, and the assumptions added to them."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from algorithms.autoscaling.number_checks import check_number
from algorithms.core.arrays import Floats, check_count
from algorithms.core.input_errors import InvalidParameterError

MAX_BROKERS = 1000
MAX_STEPS = 100_000

KINDS, RANGES = 3, 10
"""Kinds of requests, and ranges of metrics."""

MAX_SCRAPES = 19
"""Most scrapes per interval of which the nearest-rank 95th percentile is the largest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokerSettings:
    """A cluster of brokers. (P) is printed in the paper, (A) an assumption; times in ms or s.

    Attributes
    ----------
    min_brokers, max_brokers : int
        Bounds of the number of brokers (P).
    steps : int
        Decisions per episode: 30 min at 40 s (P).
    load : float or tuple of float
        Load relative to 4,000 records/s in total, constant or one value per step (A).
    base_ms, queue_ms : float
        Latency without load, and the factor of its part that grows with the load per broker (A).
    saturation : float
        Brokers that a load of 1 saturates (A).
    least_spare : float
        Spare brokers below which latency stops growing (A).
    spread : float
        Standard deviation of the logarithm of a scraped latency (A).
    scrapes, scrapes_changing : int
        Scrapes per interval, every 5 s (A), and those before a change is complete: 20 s (P).
    disturbance : float
        Factor of latency while the number of brokers changes (A).
    slo_violations_ms, slo_weighted_ms : float
        Bounds of the 95th percentile in rewards 2 and 3 (P).
    cost_of_violation : float
        The factor C of reward 2 (A).
    weight_of_brokers : float
        Weight of the brokers in reward 3; latency has the rest (P).
    record_bytes : float
        Size of a record (P).
    records_per_s : float
        Records of all producers per second at a load of 1 (P).
    replication : float
        Copies of each record (A).
    start_brokers : int or None
        Brokers at the start of each episode; None draws them uniformly between the bounds (A).
    metric_peak : float
        95th percentile of processor, traffic and requests, relative to their mean (A).
    response_share : float
        Time in the response queue as a share of latency (A).
    records_per_request : float
        Records of a produce request (A).
    total_shares, queue_shares, local_shares : tuple of float
        For requests of producers, consumers and followers: total time as a share of latency, and
        request queue and local time as shares of the total time (A); the rest is remote.
    metric_ranges : tuple of float
        Numbers by which metrics are divided under the scaling ``ranges``: those of the nine basic
        metrics in the order of `broker_model.METRICS`, and that of all times of requests (A). The
        number of brokers is divided by the most brokers.
    """

    min_brokers: int = 3
    max_brokers: int = 11
    steps: int = 45
    load: float | tuple[float, ...] = 1.0
    base_ms: float = 122.0
    queue_ms: float = 434.0
    saturation: float = 2.5
    least_spare: float = 0.25
    spread: float = 0.08
    scrapes: int = 8
    scrapes_changing: int = 4
    disturbance: float = 1.25
    slo_violations_ms: float = 200.0
    slo_weighted_ms: float = 300.0
    cost_of_violation: float = 1.0
    weight_of_brokers: float = 0.5
    record_bytes: float = 124.0
    records_per_s: float = 4000.0
    replication: float = 3.0
    start_brokers: int | None = None
    metric_peak: float = 1.1
    response_share: float = 0.05
    records_per_request: float = 20.0
    total_shares: tuple[float, ...] = (0.60, 0.25, 0.15)
    queue_shares: tuple[float, ...] = (0.5, 0.3, 0.3)
    local_shares: tuple[float, ...] = (0.2, 0.6, 0.5)
    metric_ranges: tuple[float, ...] = (1.0, 2e6, 2e6, 1e4, 2e4, 100.0, 1e3, 5e3, 500.0, 1500.0)

    @property
    def counts(self) -> int:
        """How many numbers of brokers there are."""
        return self.max_brokers - self.min_brokers + 1

    def loads(self) -> Floats:
        """Load of each step, ``float64[steps]``."""
        return np.broadcast_to(np.asarray(self.load, np.float64), (self.steps,)).copy()


def check_brokers(settings: BrokerSettings) -> BrokerSettings:
    """Return the settings with plain numbers, or raise if one is invalid.

    Raises
    ------
    InvalidParameterError
        If a setting is out of bounds, not finite, or a load series has another length than steps.
    """
    most = check_count("max_brokers", settings.max_brokers, 1, MAX_BROKERS)
    least = check_count("min_brokers", settings.min_brokers, 1, most)
    start = settings.start_brokers
    scrapes = check_count("scrapes", settings.scrapes, 2, MAX_SCRAPES)
    checked: dict[str, Any] = {
        "max_brokers": most,
        "min_brokers": least,
        "start_brokers": start
        if start is None
        else check_count("start_brokers", start, least, most),
        "steps": check_count("steps", settings.steps, 1, MAX_STEPS),
        "scrapes": scrapes,
        "scrapes_changing": check_count("scrapes_changing", settings.scrapes_changing, 1, scrapes),
        **_check_metrics(settings),
    }
    values = asdict(settings)
    for name, value in values.items():
        if name not in checked and name != "load":
            positive = name not in ("queue_ms", "cost_of_violation", "weight_of_brokers")
            checked[name] = (
                check_number(name, value, above=0.0)
                if positive
                else check_number(name, value, at_least=0.0)
            )
    check_number("weight_of_brokers", settings.weight_of_brokers, at_least=0.0, at_most=1.0)
    return replace(settings, **checked, load=_check_load(settings.load, checked["steps"]))


def _check_metrics(settings: BrokerSettings) -> dict[str, Any]:
    """Checked settings of the metrics that have several values, or bounds of their own."""
    checked: dict[str, Any] = {
        "metric_peak": check_number("metric_peak", settings.metric_peak, at_least=1.0),
        "metric_ranges": _several("metric_ranges", settings.metric_ranges, RANGES, above=0.0),
    }
    for name in ("total_shares", "queue_shares", "local_shares"):
        shares = getattr(settings, name)
        checked[name] = _several(name, shares, KINDS, at_least=0.0, at_most=1.0)
    for i, (queued, local) in enumerate(
        zip(checked["queue_shares"], checked["local_shares"], strict=True)
    ):
        if queued + local > 1.0:
            raise InvalidParameterError(
                f"local_shares[{i}] + queue_shares[{i}] must be at most 1 (got {queued + local:g})"
            )
    return checked


def _several(name: str, given: Any, count: int, **bounds: float) -> tuple[float, ...]:
    if not isinstance(given, tuple | list) or len(given) != count:
        raise InvalidParameterError(f"{name} must have {count} values (got {given!r})")
    return tuple(check_number(f"{name}[{i}]", value, **bounds) for i, value in enumerate(given))


def _check_load(load: Any, steps: int) -> float | tuple[float, ...]:
    if isinstance(load, tuple | list):
        if len(load) != steps:
            raise InvalidParameterError(
                f"load must have one value per step, {steps} (got {len(load)} values)"
            )
        return tuple(check_number(f"load[{i}]", x, at_least=0.0) for i, x in enumerate(load))
    return check_number("load", load, at_least=0.0)
