"""Whole runs with groups that Kafka balances, on a broker."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

if TYPE_CHECKING:
    from live.kafka.broker_cluster import Cluster
    from live.live_settings import LiveSettings
    from pipeline.experiments.live.evidence.run_folder import RunFolder

pytestmark = pytest.mark.live

PARTITIONS = 8


def new_settings(folder: Path) -> LiveSettings:
    """A run of 20 s on eight partitions."""
    from tests.live.kafka_probe import run_settings

    run = run_settings("", folder, PARTITIONS)
    return dataclasses.replace(run, iterations=5)


def measured(cluster: Cluster, settings: LiveSettings, strategy: str, rate: float) -> RunFolder:
    """A run in which every partition has a constant rate, bytes/s."""
    rates = [[rate] * settings.partitions for _ in range(settings.iterations)]
    return measured_rates(cluster, settings, strategy, rates)


def measured_rates(
    cluster: Cluster, settings: LiveSettings, strategy: str, rates: list[list[float]]
) -> RunFolder:
    """A run with rates by iteration and partition, bytes/s."""
    from live.runs.live_run import measure_strategy
    from pipeline.experiments.live.evidence import run_folder

    return run_folder.read(measure_strategy(settings, rates, strategy, cluster))


def check_complete(folder: RunFolder) -> None:
    """Every record is there, none twice, in order, and no two tenures of a partition overlap."""
    from pipeline.experiments.live.evidence.latency_sample import latencies, summarise
    from pipeline.experiments.live.evidence.partition_integrity import integrity
    from pipeline.experiments.live.evidence.processed_records import first_reads

    rows = integrity(folder)
    sample = summarise(latencies(first_reads(folder.records)))
    print(
        {name: round(getattr(sample, name), 3) for name in ("p50", "p90", "p99", "max")},
        f"read {sum(row.read for row in rows)}, twice {sum(row.twice for row in rows)},",
        f"longest gap {max(row.longest_gap_s or 0 for row in rows):.3f} s",
    )
    for row in rows:
        own = folder.records.sequence[folder.records.partition == row.partition]
        missing = sorted(set(range(row.sent)) - set(own.tolist()))
        assert missing == [], (row, folder.said("member"))
        assert (row.lost, row.twice, row.out_of_order, row.overlapping_epochs) == (0, 0, 0, 0), row
    assert folder.producer["sent"] > 0
    assert folder.said("fault") == []
    assert folder.run["drained"]


@pytest.mark.parametrize("strategy", ["kafka_classic_3", "kafka_848_3"])
def test_a_fixed_group_processes_everything_once(
    broker: Cluster, tmp_path: Path, strategy: str
) -> None:
    settings = new_settings(tmp_path / "run")
    folder = measured(broker, settings, strategy, 60_000.0)
    check_complete(folder)
    assert [(e["before"], e["after"]) for e in folder.said("scale")] == [(0, 3), (3, 0)]
    # The run began when the group was even: each member had the same two or three partitions.
    for partition in range(PARTITIONS):
        own = folder.records.partition == partition
        assert len(np.unique(folder.records.consumer[own])) == 1
    assert np.bincount(folder.records.consumer).size == 3


def test_keda_scales_up_under_load(broker: Cluster, tmp_path: Path) -> None:
    settings = new_settings(tmp_path / "run")
    folder = measured(broker, settings, "keda", 60_000.0)
    check_complete(folder)
    first, *changes, last = folder.said("scale")
    assert (first["before"], first["after"], last["after"]) == (0, 1, 0)
    # One member processes half of the load.
    assert [e["after"] > e["before"] for e in changes] == [True] * len(changes) != []
    assert all(e["lag"] > settings.lag_threshold for e in changes)
    assert len(folder.said("lag")) >= settings.iterations - 1
    assert len(np.unique(folder.records.consumer)) == last["before"] > 1
    group = json.loads((tmp_path / "run" / "settings.json").read_text())
    assert group["lag_threshold"] == settings.lag_threshold


def check_predicted(folder: RunFolder) -> None:
    """All quantities have a prediction.

    Latencies may differ: members that stay pause too in a rebalance, which predictions do not know.
    """
    from pipeline.experiments.live.predictions import agreement

    (began,) = folder.said("scaling")
    agreements = agreement.agreements(folder, began["strategy"], 0.0, True)
    for one in agreements:
        print(one)
    assert all(one.by_assignment is not None for one in agreements)
    moved = {one.quantity: one for one in agreements}["migrations"]
    assert moved.measured > 0


@pytest.mark.parametrize("form", ["keda_http", "keda_external"])
def test_a_scaler_behind_keda_sizes_the_group(broker: Cluster, tmp_path: Path, form: str) -> None:
    """The load doubles in the middle of the run: two members, then four."""
    from pipeline.experiments.live.predictions import group_size

    settings = new_settings(tmp_path / "run")
    low, high = 40_000.0, 80_000.0
    rates = [[low] * PARTITIONS] * 2 + [[high] * PARTITIONS] * 3
    folder = measured_rates(broker, settings, f"{form}:headroom:h=1.15:hold=30", rates)
    check_complete(folder)
    (began,) = folder.said("scaling")
    first, *changes, last = folder.said("scale")
    assert (first["before"], first["after"], last["after"]) == (0, began["replicas"], 0)
    assert began["replicas"] == 2
    syncs = folder.said("sync")
    # 20 s of the broker are 150 s of KEDA's clock; the first sync is skipped.
    assert len(syncs) >= 8
    assert {sync["why"] for sync in syncs} == {"answered"}
    # 1.15 times 40 kB/s: five partitions are 230 of a member's 240 kB/s; of 80 kB/s, two are 184.
    before = [sync["answer"] for sync in syncs if sync["time_s"] < 60.0]
    assert set(before) == {2}
    assert syncs[-1]["answer"] == 4
    assert [change["after"] for change in changes] == [4]
    assert len(np.unique(folder.records.consumer)) == 4
    starts = group_size.member_starts(folder)
    assert len(starts) == 2
    print("syncs", [(round(e["time_s"], 1), e["answer"], e["members"]) for e in syncs])
    print("starts", starts)
    check_predicted(folder)


def test_kedas_prometheus_trigger_sizes_the_group(broker: Cluster, tmp_path: Path) -> None:
    """The same load: the rate of the last 20 s grows over 15 s of KEDA's clock."""
    settings = new_settings(tmp_path / "run")
    rates = [[40_000.0] * PARTITIONS] * 2 + [[80_000.0] * PARTITIONS] * 3
    label = "keda_prometheus:h=1.15:hold=30:window_s=20:scrape_s=5"
    folder = measured_rates(broker, settings, label, rates)
    check_complete(folder)
    first, *changes, last = folder.said("scale")
    assert (first["before"], first["after"], last["after"]) == (0, 2, 0)
    syncs = folder.said("sync")
    print("syncs", [(round(e["time_s"], 1), e["answer"], e["members"]) for e in syncs])
    # The first sync is asked too: there was a rate before the run.
    assert len(syncs) >= 9
    assert {sync["why"] for sync in syncs} == {"answered"}
    assert {sync["answer"] for sync in syncs if sync["time_s"] < 60.0} == {2}
    assert syncs[-1]["answer"] == 4
    assert [change["after"] for change in changes] in ([4], [3, 4])
    check_predicted(folder)
