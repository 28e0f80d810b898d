"""What tests that walk families know of each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from pipeline.warehouse.runs.run_results import Results
from schemas.metric import Metric
from schemas.metrics import APPLICATIONS, BROKERS, LEARNING, LIVE, METRICS, PULSAR, SCALING
from schemas.view import View
from schemas.views import (
    application_results,
    broker_results,
    learning_results,
    live_results,
    pulsar_results,
    results,
    strategy_results,
)
from tests.pipeline.experiments.applications import application_cases
from tests.pipeline.experiments.assignment import report_cases
from tests.pipeline.experiments.autoscaling import scaling_cases
from tests.pipeline.experiments.brokers import broker_cases
from tests.pipeline.experiments.learning import learning_cases
from tests.pipeline.experiments.live import live_cases
from tests.pipeline.experiments.pulsar import pulsar_cases


class FamilyCase(NamedTuple):
    """A family in tests.

    Attributes
    ----------
    small
        Returns small results of a run.
    metrics, view
        The family's metrics, and the view with a column for each.
    first
        First stage of a run of its presets.
    setting
        A setting that no other family has.
    """

    small: Callable[[], Results]
    metrics: tuple[Metric, ...]
    view: View
    first: str
    setting: str


CASES: Mapping[str, FamilyCase] = {
    "assignment": FamilyCase(
        report_cases.small, METRICS, results.VIEW, "write_streams", "deltas=5"
    ),
    "autoscaling": FamilyCase(
        scaling_cases.small,
        SCALING,
        strategy_results.VIEW,
        "write_streams",
        "poisson=true",
    ),
    "live": FamilyCase(
        live_cases.small, LIVE, live_results.VIEW, "write_streams", "consumer_rate=2000"
    ),
    "learning": FamilyCase(
        learning_cases.small, LEARNING, learning_results.VIEW, "train_agents", "replay=50"
    ),
    "applications": FamilyCase(
        application_cases.small,
        APPLICATIONS,
        application_results.VIEW,
        "simulate_applications",
        "replace=true",
    ),
    "pulsar": FamilyCase(
        pulsar_cases.small,
        PULSAR,
        pulsar_results.VIEW,
        "measure_functions",
        "recognise_s=0.2",
    ),
    "brokers": FamilyCase(
        broker_cases.small,
        BROKERS,
        broker_results.VIEW,
        "scale_brokers",
        "scalings=10",
    ),
}
"""Cases by family."""
