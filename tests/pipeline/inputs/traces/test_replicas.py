"""Offsets of several brokers or exporters, joined before they are rates."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.inputs.traces import Trace
from pipeline.inputs.traces.rates.replicas import joined
from pipeline.inputs.traces.rates.sampled_series import LOOKBACK_S, Series
from tests.pipeline.inputs.traces.trace_files import loaded

pytestmark = pytest.mark.unit

METRIC = "kafka_log_log_logendoffset"
BEGIN = 1_772_438_400
Samples = dict[int, float]


def series(name: str, samples: Samples) -> Series:
    return Series(name, np.array(list(samples), dtype=float), np.array(list(samples.values())))


def read(
    tmp_path: Path, *replicas: Samples, metric: str = METRIC, label: str = "instance"
) -> Trace:
    result = [
        {
            "metric": {"__name__": metric, "topic": "parcels", "partition": "0", label: f"b{k}"},
            "values": [[BEGIN + time, str(value)] for time, value in samples.items()],
        }
        for k, samples in enumerate(replicas)
    ]
    answer = {"status": "success", "data": {"resultType": "matrix", "result": result}}
    return loaded(tmp_path, json.dumps(answer), "t.json")


STEADY = {60 * k: 120.0 * k for k in range(11)}


def part(*times: int) -> Samples:
    return {time: STEADY[time] for time in times}


@pytest.mark.parametrize(
    "label", ["instance", "__replica__", "pod", "prometheus_replica", "broker"]
)
@pytest.mark.parametrize(
    "other",
    [
        {0: 0, 60: 120, 240: 130, 300: 600, 360: 720},
        {0: 0, 60: 0, 120: 0, 180: 0, 240: 0, 300: 0, 360: 720},
        {240: 0, 300: 600, 600: 1200},
        {0: 0, 60: 100, 120: 0, 180: 200, 240: 480},
        {30: 40, 61: 120, 90: 150, 150: 250, 210: 380, 270: 500, 330: 600, 390: 700},
    ],
)
def test_a_follower_that_catches_up_is_no_peak(tmp_path: Path, other: Samples, label: str) -> None:
    trace = read(tmp_path, STEADY, other, label=label)
    assert trace.times is not None
    assert trace.times.at.tolist() == list(range(0, 600, 60))
    assert np.unique(trace.rates).tolist() == [2.0]
    assert "the highest offset at each time counts" in trace.notes[0]
    assert "fall" not in " ".join(trace.notes)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (part(0, 60, 120), part(180, 240, 300, 360)),
        (part(0, 60, 120), part(360, 420, 480)),
        (part(0, 60, 120, 180), part(120, 180, 240)),
        (part(0, 60), part(300, 360, 420, 480, 540, 600)),
    ],
)
def test_series_that_follow_each_other_are_one(tmp_path: Path, old: Samples, new: Samples) -> None:
    """An exporter's pod is replaced; a gap of up to five minutes is bridged."""
    trace = read(tmp_path, old, new, label="pod")
    assert trace.times is not None
    assert np.unique(trace.rates).tolist() == [2.0]
    assert trace.times.at[-1] == max(new) - min(old) - 60


def test_a_longer_gap_between_two_exporters_is_unknown(tmp_path: Path) -> None:
    trace = read(tmp_path, part(0, 60, 120), part(480, 540, 600))
    assert trace.times is not None
    assert trace.times.at.tolist() == [0, 60, 480, 540]
    assert trace.rates[:, 0].tolist() == [2, 2, 2, 2]


def test_a_topic_that_is_created_again_falls_in_all_replicas(tmp_path: Path) -> None:
    first, second = ({0: 900.0 - j, 60: 960.0 - j, 120: 60.0, 180: 120.0} for j in (0, 20))
    trace = read(tmp_path, first, second)
    assert trace.rates[:, 0].tolist() == [1, 1, 1]
    assert "Offsets fall at 2026-03-02T08:02:00Z" in trace.notes[1]


def test_the_replica_of_a_lost_broker_does_not_outlive_its_topic(tmp_path: Path) -> None:
    lost = {0: 90_000.0, 60: 90_060.0}
    trace = read(tmp_path, lost, {0: 90_000.0, 60: 90_060.0, 120: 60.0, 180: 120.0, 240: 180.0})
    assert trace.rates[:, 0].tolist() == [1, 1, 1, 1]


def test_events_that_brokers_count_themselves_are_not_compared(tmp_path: Path) -> None:
    """Each broker counts what it led: the second one begins at 0 when it takes over."""
    first = {0: 0.0, 60: 120.0, 120: 240.0, 180: 240.0, 240: 240.0}
    second = {0: 0.0, 60: 0.0, 120: 0.0, 180: 120.0, 240: 240.0}
    trace = read(tmp_path, first, second, metric="partition_messages_total")
    assert trace.rates[:, 0].tolist() == [2, 2, 2, 2]


WRITTEN = st.lists(st.integers(0, 900), min_size=2, max_size=40)


@given(WRITTEN, st.integers(0, 2**32 - 1))
def test_followers_change_nothing_while_the_leader_is_there(written: list[int], seed: int) -> None:
    """They lag, miss samples, or are measured at other times."""
    rng = np.random.default_rng(seed)
    log = np.cumsum(written).astype(float)
    times = np.arange(0.0, 60.0 * len(log), 60.0)
    own = [Series("0", times, log)]
    for shift in (0.0, 17.0):
        kept = rng.random(len(log)) < 0.6
        behind = log[np.maximum(0, np.arange(len(log)) - rng.integers(0, 6))]
        own.append(Series("0", times[kept] + shift, behind[kept]))
    (joined_series,) = joined(own, LOOKBACK_S)
    offsets = dict(zip(joined_series.times.tolist(), joined_series.values.tolist(), strict=True))
    assert [offsets[time] for time in times] == log.tolist()
    assert (np.diff(joined_series.values) >= 0.0).all()


@given(WRITTEN, st.integers(0, 2**32 - 1))
def test_replicas_that_miss_samples_never_fall(written: list[int], seed: int) -> None:
    """Against a plain rule: of what was reported, in order of time, what is not below before."""
    rng = np.random.default_rng(seed)
    log = np.cumsum(written).astype(float)
    replicas: list[Samples] = []
    for _ in range(3):
        lag = int(rng.integers(0, 3))
        shown = {60 * k: float(log[max(0, k - lag)]) for k in range(len(log)) if rng.random() < 0.8}
        replicas.append(shown)
    replicas = [one for one in replicas if one]
    if not replicas:
        return
    (joined_series,) = joined([series("0", one) for one in replicas], 1e9)
    highest = -1.0
    expected: dict[float, float] = {}
    for time in sorted({time for one in replicas for time in one}):
        best = max(one[time] for one in replicas if time in one)
        if best >= highest:
            highest = expected[time] = best
    reported = dict(zip(joined_series.times.tolist(), joined_series.values.tolist(), strict=True))
    assert {time: reported[time] for time in expected} == expected


def test_partitions_with_one_series_stay_as_they_are() -> None:
    own = [series("1", STEADY), series("0", {0: 5.0, 60: 3.0})]
    assert joined(own, LOOKBACK_S) == own
