"""Settings of the simulated cluster of brokers: the paper's, and the assumptions added to them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from algorithms.core.arrays import Floats
from algorithms.core.input_errors import InvalidParameterError
from algorithms.core.setting import setting
from algorithms.core.setting_checks import checked
from algorithms.learning import measured_curve
from algorithms.learning.learning_names import CURVES, MEASURED

MAX_BROKERS = 1000
MAX_STEPS = 100_000

KINDS, RANGES = 3, 10
"""Kinds of requests, and ranges of metrics."""

MAX_SCRAPES = 19
"""Most scrapes per interval of which the nearest-rank 95th percentile is the largest."""


@dataclass(frozen=True, kw_only=True)
class BrokerSettings:
    """A cluster of brokers. (P) is printed in the paper, (A) an assumption.

    `metric_ranges` are in the order of `broker_model.METRICS`. The number of brokers is divided by
    the most brokers.
    """

    min_brokers: int = setting(
        3,
        "Least number of brokers (P).",
        "brokers",
        at_least=1,
        at_most=(MAX_BROKERS, "max_brokers"),
    )
    max_brokers: int = setting(
        11, "Greatest number of brokers (P).", "brokers", at_least=1, at_most=MAX_BROKERS
    )
    steps: int = setting(
        45, "Decisions per episode: 30 min at 40 s (P).", "decisions", at_least=1, at_most=MAX_STEPS
    )
    load: float | tuple[float, ...] = setting(
        1.0,
        "Load relative to 4,000 records/s in total, constant or one value per step (A).",
        "ratio",
        at_least=0,
    )
    curve: str = setting(
        "formula",
        "Latency by formula (A), or as measured on Kafka brokers, within what was measured.",
        one_of=CURVES,
    )
    base_ms: float = setting(122.0, "Latency without load (A).", "ms", above=0)
    queue_ms: float = setting(
        434.0,
        "Factor of the part of latency that grows with the load per broker (A).",
        "ms",
        at_least=0,
    )
    saturation: float = setting(2.5, "Brokers that a load of 1 saturates (A).", "brokers", above=0)
    least_spare: float = setting(
        0.25, "Spare brokers below which latency stops growing (A).", "brokers", above=0
    )
    spread: float = setting(
        0.08, "Standard deviation of the logarithm of a scraped latency (A).", "ratio", above=0
    )
    scrapes: int = setting(
        8, "Scrapes per interval, every 5 s (A).", "scrapes", at_least=2, at_most=MAX_SCRAPES
    )
    scrapes_changing: int = setting(
        4,
        "Scrapes before a change is complete: 20 s (P).",
        "scrapes",
        at_least=1,
        at_most=(MAX_SCRAPES, "scrapes"),
    )
    disturbance: float = setting(
        1.25, "Factor of latency while the number of brokers changes (A).", "ratio", above=0
    )
    slo_violations_ms: float = setting(
        200.0, "Bound of the 95th percentile in reward 2 (P).", "ms", above=0
    )
    slo_weighted_ms: float = setting(
        300.0, "Bound of the 95th percentile in reward 3 (P).", "ms", above=0
    )
    cost_of_violation: float = setting(1.0, "The factor C of reward 2 (A).", "ratio", at_least=0)
    weight_of_brokers: float = setting(
        0.5,
        "Weight of the brokers in reward 3; latency has the rest (P).",
        "ratio",
        at_least=0,
        at_most=1,
    )
    record_bytes: float = setting(124.0, "Size of a record (P).", "bytes", above=0)
    records_per_s: float = setting(
        4000.0, "Records of all producers per second at a load of 1 (P).", "records/s", above=0
    )
    replication: float = setting(3.0, "Copies of each record (A).", "ratio", above=0)
    start_brokers: int | None = setting(
        None,
        "Brokers at the start of each episode; by default drawn uniformly between the bounds (A).",
        "brokers",
        at_least=(1, "min_brokers"),
        at_most=(MAX_BROKERS, "max_brokers"),
    )
    metric_peak: float = setting(
        1.1,
        "95th percentile of processor, traffic and requests, relative to their mean (A).",
        "ratio",
        at_least=1,
    )
    response_share: float = setting(
        0.05, "Time in the response queue as a share of latency (A).", "ratio", above=0
    )
    records_per_request: float = setting(
        20.0, "Records of a produce request (A).", "records", above=0
    )
    total_shares: tuple[float, ...] = setting(
        (0.60, 0.25, 0.15),
        "Total time of requests of producers, consumers and followers, as a share of latency (A).",
        "ratio",
        at_least=0,
        at_most=1,
        length=KINDS,
    )
    queue_shares: tuple[float, ...] = setting(
        (0.5, 0.3, 0.3),
        "Time in the request queue as a share of each total time (A).",
        "ratio",
        at_least=0,
        at_most=1,
        length=KINDS,
    )
    local_shares: tuple[float, ...] = setting(
        (0.2, 0.6, 0.5),
        "Local time as a share of each total time (A); the rest is remote.",
        "ratio",
        at_least=0,
        at_most=1,
        length=KINDS,
    )
    metric_ranges: tuple[float, ...] = setting(
        (1.0, 2e6, 2e6, 1e4, 2e4, 100.0, 1e3, 5e3, 500.0, 1500.0),
        "Divisors of nine basic metrics, and of times of requests, under scaling ranges (A).",
        "ratio",
        above=0,
        length=RANGES,
    )

    @property
    def counts(self) -> int:
        """How many numbers of brokers there are."""
        return self.max_brokers - self.min_brokers + 1

    def loads(self) -> Floats:
        """Load of each step, ``float64[steps]``."""
        return np.broadcast_to(np.asarray(self.load, np.float64), (self.steps,)).copy()


def check_brokers(settings: BrokerSettings) -> BrokerSettings:
    """Return the settings with plain numbers, or raise InvalidParameterError."""
    plain = checked(settings)
    if isinstance(plain.load, tuple) and len(plain.load) != plain.steps:
        raise InvalidParameterError(
            f"load must have one value per step, {plain.steps} (got {len(plain.load)} values)"
        )
    if plain.curve == MEASURED:
        measured_curve.check_range(plain.min_brokers, plain.max_brokers, plain.loads().tolist())
    shares = zip(plain.queue_shares, plain.local_shares, strict=True)
    for i, (queued, local) in enumerate(shares):
        if queued + local > 1.0:
            raise InvalidParameterError(
                f"local_shares[{i}] + queue_shares[{i}] must be at most 1 (got {queued + local:g})"
            )
    return plain
