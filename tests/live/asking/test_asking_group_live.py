"""Whole runs of groups whose leader asks the run, on a broker."""

from __future__ import annotations

import dataclasses
import time
from collections import Counter
from collections.abc import Callable, Generator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pytest

from live.groups.asking_lines import LIMIT_S
from tests.live.groups.test_own_groups_live import check_complete, measured, measured_rates

if TYPE_CHECKING:
    from live.kafka.broker_cluster import Cluster
    from live.live_settings import LiveSettings
    from live.runs.strategy_run import StrategyRun
    from pipeline.experiments.live.evidence.run_folder import RunFolder

pytestmark = pytest.mark.live

PARTITIONS = 5
RATE = 100_000.0
"""What a consumer processes, bytes/s: 200 records per second."""

FAULT_S = 5.0
"""When answers begin to fail, seconds since the beginning."""


def new_settings(folder: Path, **changes: object) -> LiveSettings:
    """A run of 20 s on five partitions."""
    from tests.live.kafka_probe import run_settings

    own = {
        "iteration_s": 4.0,
        "iterations": 5,
        "record_bytes": 500,
        "capacity": RATE,
        "consumer_rate": RATE,
        "heartbeat_s": 0.5,
    }
    return dataclasses.replace(run_settings("", folder, PARTITIONS), **{**own, **changes})


def sources(folder: RunFolder) -> list[str]:
    """Where the placements of the run's rebalances came from."""
    return [entry["source"] for entry in folder.said("member") if entry["kind"] == "asked"]


def test_a_constant_group_has_what_the_run_answers(broker: Cluster, tmp_path: Path) -> None:
    settings = new_settings(tmp_path / "run")
    folder = measured(broker, settings, "asking:constant:initial_replicas=3", 40_000.0)
    check_complete(folder)
    assert set(sources(folder)) == {"answered"}
    assert [(e["before"], e["after"]) for e in folder.said("scale")] == [(0, 3), (3, 0)]
    # As range places five partitions over three members.
    for partition, owner in enumerate((0, 0, 1, 1, 2)):
        own = folder.records.partition == partition
        assert set(folder.records.consumer[own].tolist()) == {owner}


@pytest.mark.parametrize("protocol", ["eager", "cooperative"])
def test_least_loaded_sizes_and_places_the_group(
    broker: Cluster, tmp_path: Path, protocol: str
) -> None:
    settings = new_settings(tmp_path / "run", group_protocol=protocol)
    low, high = 15_000.0, 40_000.0
    rates = [[low] * PARTITIONS] * 2 + [[high] * PARTITIONS] * 3
    folder = measured_rates(broker, settings, "asking:least_loaded_2", rates)
    check_complete(folder)
    wanted = folder.said("wanted")
    print([(e["owners"], round((e["at_ns"] - wanted[0]["at_ns"]) / 1e9, 1)) for e in wanted])
    print([(e["before"], e["after"]) for e in folder.said("scale")], sources(folder))
    assert set(sources(folder)) == {"answered"}
    assert len(np.unique(folder.records.consumer)) > 1


def _away(run: StrategyRun) -> Generator[float]:
    """From the fifth second on, the run does not listen."""
    yield FAULT_S
    counts(run)._server.close()


def _slow(run: StrategyRun) -> Generator[float]:
    """Answers come three times too late."""
    yield FAULT_S
    own = counts(run).answer

    def late(present: Sequence[int]) -> Mapping[int, Sequence[int]]:
        time.sleep(3 * LIMIT_S)
        return own(present)

    counts(run)._server._answer = late


def _wrong(run: StrategyRun) -> Generator[float]:
    """Answers name a slot without a member, and leave partitions out."""
    yield FAULT_S
    counts(run)._server._answer = lambda present: {99: [0, 1], present[0]: [2, 7]}


def counts(run: StrategyRun) -> Any:
    return cast(Any, run)._manager._counts


@pytest.mark.parametrize(
    ("fault", "expected"),
    [(_away, {"last", "range"}), (_slow, {"last", "range"}), (_wrong, {"packed"})],
    ids=["away", "slow", "wrong"],
)
def test_a_run_that_fails_to_answer_costs_no_record(
    broker: Cluster,
    tmp_path: Path,
    fault: Callable[[StrategyRun], Generator[float]],
    expected: set[str],
) -> None:
    """Members are started while answers fail: the load grows after eight seconds."""
    from live.runs.live_run import measure_strategy
    from pipeline.experiments.live.evidence import run_folder

    settings = new_settings(tmp_path / "run")
    rates = [[15_000.0] * PARTITIONS] * 2 + [[40_000.0] * PARTITIONS] * 3
    place = measure_strategy(settings, rates, "asking:linear", broker, fault)
    folder = run_folder.read(place)
    check_complete(folder)
    answers = Counter(sources(folder))
    print(dict(answers), [(e["before"], e["after"]) for e in folder.said("scale")])
    assert answers["answered"] > 0
    assert expected & answers.keys()
    assert answers.keys() <= {"answered", *expected}
