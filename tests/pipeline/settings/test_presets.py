"""The presets are what the documentation says they are."""

from __future__ import annotations

import pytest

from algorithms.assignment import assignors, registry
from algorithms.autoscaling import strategies
from algorithms.core.group_declarations import PROTOCOLS
from algorithms.learning import measured_latencies
from algorithms.learning.measured_latencies import MeasuredRow
from pipeline.base.errors import InputError
from pipeline.experiments.assignment.paper.paper_setting import is_tradeoff
from pipeline.experiments.assignment.statistics.score_matrices import MOST_COMPARED
from pipeline.settings import field_checks, learning_presets, presets
from pipeline.settings.load import resolve
from pipeline.settings.run_config import RunConfig
from pipeline.settings.strategy_names import candidates_of

pytestmark = pytest.mark.unit

KAFKA = tuple(f"kd_{n}" for n in range(1, 33))


def preset(name: str) -> RunConfig:
    return resolve(name, None, [], [])


def test_paper_is_the_papers_two_experiments() -> None:
    tradeoff, latency = preset("paper").experiments
    assert (tradeoff.name, latency.name) == ("tradeoff", "latency")
    assert (tradeoff.partitions, tradeoff.iterations, tradeoff.replicates) == (200, 500, 10)
    assert tradeoff.deltas == (0, 5, 10, 15, 20, 25)
    assert tradeoff.algorithms == (*registry.reference_set(), "NF0", "NFD0")
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


@pytest.mark.parametrize("name", [name for name in presets.PRESETS if name != presets.PAPERS])
def test_every_preset_runs_with_the_papers_capacities(name: str) -> None:
    config = preset(name)
    assert config.preset == name
    assert config.traces == ()
    for experiment in config.experiments:
        assert (experiment.capacity, experiment.consumer_capacity) == (100.0, 133.0)
        assert name == "frontier" or experiment.initial_rates == ("uniform",)


def test_frontier_holds_the_paper_against_all_others_where_it_could_matter() -> None:
    assert preset("frontier").has_bounds
    parts = {experiment.name: experiment for experiment in preset("frontier").experiments}
    for experiment in parts.values():
        assert experiment.deltas == (5, 10, 15, 20, 25)
        assert (experiment.iterations, experiment.replicates) == (500, 20)
        assert experiment.algorithms[:12] == registry.reference_set()
        # The statistics compare all pairs of so many.
        assert len(experiment.algorithms) <= MOST_COMPARED
    assert {e.partitions for e in parts.values()} == {32, 200}
    assert is_tradeoff(parts["uniform-200"].model_dump(mode="json"))
    assert {start for e in parts.values() for start in e.initial_rates} == set(field_checks.STARTS)
    assert [name for name, e in parts.items() if not e.clip] == ["unclipped"]


def test_autoscaling_has_every_strategy_but_those_that_its_documentation_leaves_out() -> None:
    left_out = {"dqn", "keda_prometheus", "keda_time_lag", "time_threshold", "ilp", "NF0", "NFD0"}
    expected = {*strategies.names(), "SR_1", "headroom+placement"} - left_out
    experiments = preset("autoscaling").autoscaling
    assert len(experiments) == 12
    for experiment in experiments:
        every = candidates_of(experiment.strategies)
        assert {each.strategy for each in every} == expected
        assigned = {each.settings.get("assignor") for each in every}
        assert set(assignors.names()) <= assigned
        assert experiment.replicates >= 20
    assert {experiment.protocol for experiment in experiments} == set(PROTOCOLS)


def test_measured_latency_has_its_greatest_load_and_an_objective_within_its_range(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Rows are read when the preset is asked for."""
    latencies = {3: 90.0, 4: 60.0, 5: 40.4, 6: 30.0, 7: 20.0}
    rows = [
        MeasuredRow(n, load, 0, (load * ms,), ()) for load in (1, 2) for n, ms in latencies.items()
    ]
    monkeypatch.setattr(measured_latencies, "ROWS", tuple(rows))
    printed, within = preset("learning-measured").learning
    assert [one.name for one in (printed, within)] == list(learning_presets.MEASURED)
    for one in (printed, within):
        assert (one.curve, one.max_brokers, one.load) == ("measured", 7, 2.0)
    assert (printed.slo_violations_ms, printed.slo_weighted_ms) == (200.0, 300.0)
    assert (within.slo_violations_ms, within.slo_weighted_ms) == (81.0, 81.0)


def test_only_the_preset_on_measured_latency_needs_measured_rows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(measured_latencies, "ROWS", ())
    for name in presets.PRESETS:
        # As `groupscale presets` shows them.
        assert all(dict(one) for one in presets.get(name).experiments.values())
        if name not in (presets.PAPERS, "learning-measured"):
            assert preset(name).preset == name
    with pytest.raises(InputError, match=r"no latencies were measured .*`make bench-brokers`"):
        preset("learning-measured")


def test_the_default_is_a_preset() -> None:
    assert resolve(None, None, [], []) == preset(presets.DEFAULT) == preset("paper")


def test_an_unknown_preset_is_refused_with_the_known_ones() -> None:
    with pytest.raises(InputError, match=r"`preset` .*paper.*'big'"):
        presets.get("big")
