"""Options repeat some defaults, since importing their declarations would slow every call."""

from __future__ import annotations

import inspect

import pytest

from algorithms.inference.resampled_choice import cheapest_kept
from algorithms.inference.simplest_choice import Rule
from algorithms.inference.week_draws import Spread
from pipeline.cli.commands.recommend_command import recommend
from pipeline.experiments.autoscaling.recommendation import cluster_versions, scaler_options
from pipeline.experiments.autoscaling.recommendation.recommendation_question import WITHIN_STEP
from pipeline.inputs.prometheus import write_rate

pytestmark = pytest.mark.unit

DECLARED = {
    "confidence": Rule().confidence,
    "worth": Rule().worth,
    "day_spread": Spread().day_spread,
    "within_step": WITHIN_STEP,
    "kubernetes": cluster_versions.text(cluster_versions.DEFAULT.kubernetes),
    "keda": cluster_versions.text(cluster_versions.DEFAULT.keda),
    "keda_namespace": cluster_versions.DEFAULT.keda_namespace,
    "scaler_image": scaler_options.DEFAULT.image,
    "scaler_tls": scaler_options.DEFAULT.has_tls,
    "exporter": write_rate.DEFAULT,
}


@pytest.mark.parametrize("name", DECLARED)
def test_options_default_to_what_is_declared(name: str) -> None:
    assert inspect.signature(recommend).parameters[name].default == DECLARED[name]


def test_one_confidence() -> None:
    assert inspect.signature(cheapest_kept).parameters["confidence"].default == Rule().confidence
