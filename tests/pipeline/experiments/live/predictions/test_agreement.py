"""Predictions of runs, and verdicts on them."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from algorithms.assignment import registry
from pipeline.experiments.live.evidence import run_folder
from pipeline.experiments.live.evidence.latency_sample import compared_records, latencies
from pipeline.experiments.live.evidence.run_folder import RunFolder
from pipeline.experiments.live.predictions import agreement, latency_quantities, queue_prediction
from pipeline.experiments.live.predictions.agreement import AGREES, DIFFERS, Agreement, agreements
from schemas.tables.live.live_agreement import QUANTITIES, SERVICE
from tests.pipeline.experiments.live import synthetic_folders

pytestmark = pytest.mark.slow

STRATEGIES = ("MWF", "kd_3")


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, RunFolder]:
    """MWF has enough consumers; kd_3 falls behind."""
    place: Path = tmp_path_factory.mktemp("predicted")
    runs = {}
    for name in STRATEGIES:
        settings = synthetic_folders.settings_for(place / name, partitions=8, iterations=6)
        runs[name] = run_folder.read(synthetic_folders.make(place / name, name, settings=settings))
    return runs


def by_quantity(folder: RunFolder, name: str, is_given: bool = True) -> dict[str, Agreement]:
    gap = agreement.median_gap([folder])
    simulated = agreement.simulated_group(folder, name)
    return {one.quantity: one for one in agreements(folder, name, gap, is_given, simulated)}


@pytest.mark.parametrize("name", STRATEGIES)
def test_the_replay_is_what_a_perfect_broker_does(folders: dict[str, RunFolder], name: str) -> None:
    folder = folders[name]
    live = np.sort(latencies(compared_records(folder)))
    replayed = np.sort(queue_prediction.predict(folder))
    assert len(live) == len(replayed)
    # Owners are known from answers here, and stops from the last record.
    np.testing.assert_allclose(live, replayed, atol=0.02)


@pytest.mark.parametrize("name", STRATEGIES)
def test_a_perfect_broker_agrees_with_everything(folders: dict[str, RunFolder], name: str) -> None:
    quantities = by_quantity(folders[name], name)
    assert list(quantities) == [name for name in QUANTITIES if name not in SERVICE]
    assert {one.verdict for one in quantities.values()} == {AGREES}
    owners = registry.get(name).assign(folders[name].rates, 200_000.0, 3)
    assert quantities["consumers"].measured == latency_quantities.mean_consumers(owners)
    assert quantities["migrations"].measured == latency_quantities.migrations(owners)
    assert quantities["consumers"].by_queue is None
    assert quantities["p90"].by_queue is not None
    if name == "kd_3":
        assert quantities["p90"].measured > 1.0
        assert quantities["migrations"].measured == 0


def test_a_slow_broker_differs(folders: dict[str, RunFolder]) -> None:
    folder = folders["MWF"]
    slow = folder.records._replace(read_ns=folder.records.read_ns + synthetic_folders.SECOND // 2)
    quantities = by_quantity(folder._replace(records=slow), "MWF")
    assert quantities["p50"].verdict == DIFFERS
    queue = quantities["p50"].by_queue
    assert queue is not None
    assert queue.error == pytest.approx(0.5, abs=0.05)
    assert queue.tolerance == pytest.approx(0.05 + 0.05 * queue.predicted)
    assert quantities["consumers"].verdict == AGREES


def test_other_decisions_differ_if_rates_were_given(folders: dict[str, RunFolder]) -> None:
    folder = folders["MWF"]
    entries = [e for e in folder.entries if (e["what"], e.get("iteration")) != ("iteration", 2)]
    entries = [{**e, "moves": e["moves"] + 1} if e["what"] == "plan" else e for e in entries]
    changed = folder._replace(entries=entries)
    quantities = by_quantity(changed, "MWF")
    assert quantities["migrations"].verdict == DIFFERS
    free = by_quantity(changed, "MWF", is_given=False)
    assert free["migrations"].verdict is None
    assert free["migrations"].by_assignment is not None
    assert free["migrations"].by_assignment.tolerance is None


def test_an_owner_that_is_not_the_simulated_one_differs(folders: dict[str, RunFolder]) -> None:
    folder = folders["MWF"]
    assert by_quantity(folder, "MWF")["other_owners"].measured == 0.0
    swapped = by_quantity(folder, "BF")["other_owners"]
    simulated, other = (
        registry.get(name).assign(folder.rates, 200_000.0, 3) for name in STRATEGIES
    )
    assert swapped.verdict == DIFFERS
    assert by_quantity(folder, "kd_3")["other_owners"].measured == (simulated != other).sum() > 0
    free = by_quantity(folder, "MWF", is_given=False)
    assert "other_owners" not in free


def test_groups_that_ask_are_predicted_more_closely(folders: dict[str, RunFolder]) -> None:
    """The simulated group has the run's own protocol: latencies agree within 50 ms and 5 %."""
    quantities = by_quantity(folders["MWF"], "asking:constant:initial_replicas=3", is_given=False)
    for name in ("p50", "p90", "p99"):
        group = quantities[name].by_assignment
        assert group is not None
        assert group.tolerance == pytest.approx(0.05 + 0.05 * group.predicted)
    assert quantities["consumers"].verdict is None


def test_without_records_there_are_no_latencies(folders: dict[str, RunFolder]) -> None:
    folder = folders["kd_3"]
    none = folder._replace(records=folder.records.at(np.array([], np.int64)))
    assert list(by_quantity(none, "kd_3")) == ["consumers", "migrations", "other_owners"]


def test_a_prediction_without_bound_differs() -> None:
    endless = agreement._compared(1.0, math.inf, agreement._tolerance(math.inf, 0.25, 0.1))
    assert endless.error is None
    assert not endless.agrees


def test_the_median_gap_is_that_of_all_moves(folders: dict[str, RunFolder]) -> None:
    assert agreement.median_gap([folders["kd_3"]]) == 0.0
    alone = agreement.median_gap([folders["MWF"]])
    assert alone >= synthetic_folders.START_S - synthetic_folders.STOP_S
    assert agreement.median_gap(list(folders.values())) == alone


def test_unsound_iterations_count_neither_here_nor_there(tmp_path: Path) -> None:
    settings = synthetic_folders.settings_for(tmp_path / "run", partitions=8, iterations=6)
    place = synthetic_folders.make(tmp_path / "run", "kd_3", settings=settings, late_ms={3: 500.0})
    folder = run_folder.read(place)
    live = latencies(compared_records(folder))
    assert len(live) == len(queue_prediction.predict(folder))
    assert {one.verdict for one in by_quantity(folder, "kd_3").values()} == {AGREES}


@pytest.mark.parametrize("count", [1, 2, 7, 100])
def test_quantiles_are_those_of_numpy(count: int) -> None:
    values = np.random.default_rng(count).uniform(0.0, 9.0, count)
    expected = np.quantile(values, latency_quantities.SHARES)
    assert latency_quantities.quantiles(values) == pytest.approx(expected)
    assert latency_quantities.quantiles(np.append(values, [math.inf] * 9))[2] == math.inf


def test_there_are_no_quantiles_of_nothing() -> None:
    assert all(math.isnan(value) for value in latency_quantities.quantiles(np.empty(0)))
