"""Metrics of all families, each declared in the contract of its table."""

from typing import Final

from schemas.contract_errors import ContractError
from schemas.metric import Metric
from schemas.tables.applications import application_runs
from schemas.tables.assignment import latency, scores
from schemas.tables.autoscaling import simulations
from schemas.tables.brokers import broker_scalings
from schemas.tables.learning import learning_scores
from schemas.tables.live import live_latency, live_runs
from schemas.tables.pulsar import pulsar_runs

METRICS: Final = (*scores.METRICS, *latency.METRICS)
"""Metrics of an algorithm on assignment, in the order of display."""

SCALING: Final = simulations.METRICS
"""Metrics of an autoscaling strategy, in the order of display."""

LIVE: Final = (*live_runs.METRICS, *live_latency.METRICS)
"""Metrics of a strategy on a broker, in the order of display."""

LEARNING: Final = learning_scores.METRICS
"""Metrics of a learning agent over its seeds, in the order of display."""

PULSAR: Final = pulsar_runs.METRICS
"""Metrics of a policy on Pulsar, in the order of display."""

BROKERS: Final = broker_scalings.METRICS
"""Metrics of brokers that join and leave, in the order of display."""

APPLICATIONS: Final = application_runs.METRICS
"""Metrics of a policy that scales an application, in the order of display."""

ALL: Final = (*METRICS, *SCALING, *LIVE, *LEARNING, *APPLICATIONS, *PULSAR, *BROKERS)
"""Metrics of all families."""

FRONTS: Final = {"scores": "pareto", "simulations": "trade_offs"}
"""Table with the means and intervals of the metrics of a table."""


def metric(name: str) -> Metric:
    """The metric of a name. Raises ContractError if there is none."""
    for item in ALL:
        if item.name == name:
            return item
    known = ", ".join(item.name for item in ALL)
    raise ContractError(f"metric {name!r} is unknown: must be one of {known}")
