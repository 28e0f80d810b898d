"""The configuration of 1,000 workloads has the size that its goal is stated for."""

from __future__ import annotations

import pytest

from algorithms.autoscaling import strategies
from pipeline.settings.load import resolve
from pipeline.settings.run_config import RunConfig
from tools.bench.cases import THOUSAND_WORKLOADS
from tools.layout import here

pytestmark = pytest.mark.unit

PLANNERS = {"mpc", "shadow_hedge"}


@pytest.fixture(scope="module")
def config() -> RunConfig:
    return resolve(None, here().root / THOUSAND_WORKLOADS, [], [])


def test_there_are_a_thousand_workloads_of_two_hours(config: RunConfig) -> None:
    experiments = config.autoscaling
    assert sum(experiment.replicates for experiment in experiments) == 1_000
    for experiment in experiments:
        assert (experiment.iterations, experiment.partitions) == (7_200, 9)


def test_each_has_twenty_strategies_that_do_not_plan(config: RunConfig) -> None:
    for experiment in config.autoscaling:
        assert len(set(experiment.strategies)) == 20
        names = {text.split(":")[0] for text in experiment.strategies}
        assert not names & PLANNERS
        assert all(strategies.get(name) for name in names)


def test_only_figures_are_stored(config: RunConfig) -> None:
    assert {experiment.recorded for experiment in config.autoscaling} == {0}
