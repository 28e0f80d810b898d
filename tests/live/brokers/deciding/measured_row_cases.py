"""Made-up rows of 3 to 5 brokers at two loads: more brokers have lower latencies."""

from __future__ import annotations

from algorithms.learning.broker_model import METRICS
from algorithms.learning.measured_latencies import MeasuredRow

LOAD = 0.25
BASES_MS = {3: 420.0, 4: 310.0, 5: 180.0}


def rows(load: float = LOAD) -> tuple[MeasuredRow, ...]:
    """Two rows of each number of brokers."""
    return tuple(row(n, repeat, load) for n in BASES_MS for repeat in (0, 1))


def row(brokers: int, repeat: int, load: float = LOAD) -> MeasuredRow:
    """Latencies of four times between scrapes; each metric differs by brokers and repeat."""
    base = BASES_MS[brokers] * (1.0 + 0.1 * repeat)
    latencies = tuple(base * share for share in (0.9, 1.0, 0.8, 0.95))
    metrics = (float(brokers), *(place / brokers + repeat for place in range(1, len(METRICS))))
    return MeasuredRow(brokers, load, repeat, latencies, metrics)
