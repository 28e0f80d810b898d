"""Simulations of streams, however their rows are cut into batches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from algorithms.autoscaling.candidates import parse
from algorithms.bounds import clairvoyant_front
from algorithms.simulation import group_simulation
from pipeline.experiments.autoscaling.kernels import SimulationPlan, simulation_kernel
from pipeline.experiments.autoscaling.kernels.simulation_kernel import SERIES, SIMULATED
from pipeline.settings.scaling_experiment import ScalingExperiment
from schemas.tables.autoscaling import simulations

LABELS = (
    *("constant:initial_replicas=2", "linear", "least_loaded_1"),
    "keda_prometheus:hold=6:window_s=8:scrape_s=2",
)
CANDIDATES = tuple(each for label in LABELS for each in parse(label, 1, 1.0, 1.0))
LENGTHS = {"e-r0001": 40, "e-r0002": 40, "f-r0001": 25}
SEEDS = {name: 10 + i for i, name in enumerate(LENGTHS)}
EXPERIMENTS = {
    name: ScalingExperiment(name=name, partitions=3, protocol=protocol, strategies=list(LABELS))
    for name, protocol in (("e", "eager"), ("f", "incremental"))
}
PLANS = {
    name: SimulationPlan(f"workload {name}", CANDIDATES, experiment.group, {}, 1)
    for name, experiment in EXPERIMENTS.items()
}


def rates_of(stream: str) -> np.ndarray:
    generator = np.random.default_rng(SEEDS[stream])
    rates = generator.poisson(80.0, (LENGTHS[stream], 3)).astype(np.float64)
    rates[10:20] *= 2.0
    return rates


def rows() -> Iterator[dict[str, Any]]:
    """Rows as Spark hands them over: streams one after the other, in order."""
    for stream in LENGTHS:
        experiment, _, replicate = stream.partition("-r")
        for iteration, rates in enumerate(rates_of(stream).tolist(), start=1):
            yield {
                "experiment": experiment,
                "stream_id": stream,
                "iteration": iteration,
                "rates": rates,
                "replicate": int(replicate),
                "seed": SEEDS[stream],
                "topic_sizes": [3],
            }


WHOLE = pa.RecordBatch.from_pylist(list(rows()))


def simulated(batches: Sequence[pa.RecordBatch]) -> list[dict[str, Any]]:
    results = list(simulation_kernel.simulate(PLANS)(batches))
    assert all(batch.schema == SIMULATED for batch in results)
    return [row for batch in results for row in batch.to_pylist()]


@pytest.fixture(scope="module")
def at_once() -> list[dict[str, Any]]:
    """Rows of all streams from one batch."""
    return simulated([WHOLE])


@settings(max_examples=15, deadline=None)
@given(cuts=st.lists(st.integers(0, WHOLE.num_rows), max_size=6))
def test_streams_are_the_same_wherever_batches_are_cut(cuts: list[int]) -> None:
    ends = [0, *sorted(cuts), WHOLE.num_rows]
    batches = [WHOLE.slice(low, high - low) for low, high in pairwise(ends)]
    streams = list(simulation_kernel.streams(batches))
    assert [stream.stream_id for stream in streams] == list(LENGTHS)
    for stream in streams:
        np.testing.assert_array_equal(stream.rates, rates_of(stream.stream_id))
        assert stream.seed == SEEDS[stream.stream_id]
        assert f"{stream.experiment}-r{stream.replicate:04d}" == stream.stream_id


def test_rows_are_the_same_in_many_batches(at_once: list[dict[str, Any]]) -> None:
    cut = [WHOLE.slice(low, 7) for low in range(0, WHOLE.num_rows, 7)]
    assert simulated(cut) == at_once


def test_no_rows_give_none() -> None:
    assert simulated([]) == []
    assert simulated([WHOLE.slice(0, 0)]) == []


def test_every_stream_has_every_candidate_in_order(at_once: list[dict[str, Any]]) -> None:
    labels = [
        (row["stream_id"], ":".join(filter(None, (row["strategy"], row["setting"]))))
        for row in at_once
    ]
    assert labels == [(stream, label) for stream in LENGTHS for label in LABELS]


def test_figures_are_those_of_the_simulation(at_once: list[dict[str, Any]]) -> None:
    for row in at_once:
        (candidate,) = (c for c in CANDIDATES if c.strategy == row["strategy"])
        group = EXPERIMENTS[row["experiment"]].group
        given_settings = group | {"seed": SEEDS[row["stream_id"]]} | candidate.settings
        expected = group_simulation.simulate(
            rates_of(row["stream_id"]), candidate.strategy, candidate.arguments, given_settings
        )._asdict()
        del expected["replicas"]
        assert {name: row[name] for name in expected} == expected
        assert row["workload"] == f"workload {row['experiment']}"
        for name in simulations.SETTINGS:
            if name not in ("heartbeat_s", "second_heartbeat_s"):
                assert row[name] == given_settings[name], name
        assert row["heartbeat_s"] == {"eager": 3.0, "incremental": 5.0}[row["protocol"]]
        assert row["second_heartbeat_s"] == row["heartbeat_s"]


def test_lists_are_those_of_the_recorded_replicates(at_once: list[dict[str, Any]]) -> None:
    for row in at_once:
        lists = {t: [row[f"{t}_{name}"] for name in names] for t, names in SERIES.items()}
        if row["replicate"] > 1:
            assert all(values is None for columns in lists.values() for values in columns)
            continue
        assert {len(values) for values in lists["trajectories"]} == {LENGTHS[row["stream_id"]]}
        total = row["n_up"] + row["n_down"] + row["n_reassign"]
        assert {len(values) for values in lists["actions"]} == {total}
        for kind in ("up", "down", "reassign"):
            assert row["actions_kind"].count(kind) == row[f"n_{kind}"]
    assert any(row["actions_kind"] for row in at_once)


def test_bounds_are_proved_and_not_above_what_is_simulated(at_once: list[dict[str, Any]]) -> None:
    for row in at_once:
        if row["least_minutes"] is not None:
            assert row["least_minutes"] <= row["replica_minutes"] * (1 + 1e-9)
    assert any(row["least_minutes"] is not None for row in at_once)


def test_candidates_that_share_a_group_share_its_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is the dearest part, and none of what these three differ in changes it."""
    calls: list[dict[str, Any]] = []
    compute = clairvoyant_front.bound_front

    def counted(rates: Any, group: Any) -> Any:
        calls.append(dict(group))
        return compute(rates, group)

    monkeypatch.setattr(clairvoyant_front, "bound_front", counted)
    simulated([WHOLE])
    assert len(calls) == len(LENGTHS)
