"""The presets are what the documentation says they are."""

from __future__ import annotations

import pytest

from algorithms import registry
from pipeline import presets
from pipeline.config import RunConfig
from pipeline.errors import InputError
from pipeline.resolve import resolve

pytestmark = pytest.mark.unit

KAFKA = tuple(f"kd_{n}" for n in range(1, 33))


def preset(name: str) -> RunConfig:
    return resolve(name, None, [], [])


def test_paper_is_the_papers_two_experiments() -> None:
    tradeoff, latency = preset("paper").experiments
    assert (tradeoff.name, latency.name) == ("tradeoff", "latency")
    assert (tradeoff.partitions, tradeoff.iterations, tradeoff.replicates) == (200, 500, 10)
    assert tradeoff.deltas == (0, 5, 10, 15, 20, 25)
    assert tradeoff.algorithms == registry.reference_set()
    assert (latency.partitions, latency.iterations, latency.replicates) == (32, 100, 100)
    assert latency.deltas == (5,)
    assert latency.algorithms == registry.reference_set() + KAFKA


def test_nightly_is_a_thousand_replicates() -> None:
    config = preset("nightly")
    (tradeoff,) = config.experiments
    assert (tradeoff.partitions, tradeoff.iterations, tradeoff.replicates) == (32, 500, 1000)
    assert config.n_streams() == 6000
    assert config.n_streams() * tradeoff.iterations * len(tradeoff.algorithms) == 36_000_000


def test_smoke_is_the_papers_experiments_made_small() -> None:
    smoke, paper = preset("smoke"), preset("paper")
    assert [e.name for e in smoke.experiments] == [e.name for e in paper.experiments]
    assert sum(e.n_streams * e.size.ids for e in smoke.experiments) < 200_000
    assert smoke.experiments[1].algorithms[-8:] == KAFKA[:8]


@pytest.mark.parametrize("name", presets.PRESETS)
def test_every_preset_runs_with_the_papers_capacities(name: str) -> None:
    config = preset(name)
    assert config.preset == name
    assert config.traces == ()
    for experiment in config.experiments:
        assert (experiment.capacity, experiment.consumer_capacity) == (100.0, 133.0)
        assert experiment.initial_rates == ("uniform",)


def test_the_default_is_a_preset() -> None:
    assert resolve(None, None, [], []) == preset(presets.DEFAULT) == preset("paper")


def test_an_unknown_preset_is_refused_with_the_known_ones() -> None:
    with pytest.raises(InputError, match="preset is 'big': must be one of paper, nightly, smoke"):
        presets.get("big")
