"""Lag second by second, against counting by hand."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from pipeline.experiments.live.evidence import run_folder
from pipeline.experiments.live.evidence.journal_events import events
from pipeline.experiments.live.evidence.run_folder import RunFolder
from pipeline.experiments.live.stages.lag_over_time import lag
from tests.pipeline.experiments.live import synthetic_folders

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    """A group that is too small."""
    place: Path = tmp_path_factory.mktemp("lag") / "run"
    settings = synthetic_folders.settings_for(place, iteration_s=2.5)
    return run_folder.read(synthetic_folders.make(place, "kd_1", settings=settings))


def test_every_second_has_every_partition(folder: RunFolder) -> None:
    lags = lag(folder)
    assert lags.num_rows == 12 * 4  # five iterations of 2.5 s
    assert lags["second"].to_pylist()[:5] == [1, 1, 1, 1, 2]
    assert lags["partition"].to_pylist()[:5] == [0, 1, 2, 3, 0]


def test_lag_is_what_is_due_and_not_done(folder: RunFolder) -> None:
    rows = lag(folder).to_pylist()
    began, records = folder.settings.began_ns, folder.records
    for row in rows:
        own = records.partition == row["partition"]
        until = began + row["second"] * synthetic_folders.SECOND
        due, done = (
            int((column[own] <= until).sum()) for column in (records.due_ns, records.done_ns)
        )
        assert (row["end_offset"], row["processed"]) == (due, done)
        assert row["lag"] == due - done
        assert row["lag_bytes"] == 2000 * row["lag"]
        iteration = math.ceil(row["second"] / 2.5) - 1
        assert row["speed"] == folder.rates[iteration, row["partition"]]
        assert row["owner"] == 0
    assert max(row["lag"] for row in rows) > 50


def test_the_longest_latency_is_of_the_records_due_in_a_second(folder: RunFolder) -> None:
    began, records = folder.settings.began_ns, folder.records
    for row in lag(folder).to_pylist():
        end = began + row["second"] * synthetic_folders.SECOND
        is_due = (records.due_ns > end - synthetic_folders.SECOND) & (records.due_ns <= end)
        own = is_due & (records.partition == row["partition"])
        times = (records.done_ns[own] - records.due_ns[own]) / 1e9
        assert row["longest_s"] == (times.max() if len(times) else None)


def test_a_partition_that_moves_has_no_owner(tmp_path: Path) -> None:
    settings = synthetic_folders.settings_for(tmp_path / "run", iteration_s=1.0, partitions=6)
    folder = run_folder.read(synthetic_folders.make(tmp_path / "run", settings=settings))
    early = [
        {**e, "at_ns": e["at_ns"] + synthetic_folders.SECOND // 2} if e["what"] == "heard" else e
        for e in folder.entries
    ]
    late = folder.records.read_ns + synthetic_folders.SECOND // 2
    moved = lag(folder._replace(entries=early, records=folder.records._replace(read_ns=late)))
    assert None in moved["owner"].to_pylist()


def test_measured_speeds_last_until_the_next_measurement(folder: RunFolder) -> None:
    def measurement(at_s: float, speed: float) -> dict[str, object]:
        at_ns = folder.settings.began_ns + round(at_s * synthetic_folders.SECOND)
        return {"what": "measured", "at_ns": at_ns, "factor": 1.03, "speeds": {"1": speed}}

    measured = lag(folder._replace(measurements=[measurement(2.5, 70.0), measurement(4.0, -1.0)]))
    own = [row["measured_speed"] for row in measured.to_pylist() if row["partition"] == 1]
    assert own == [None, None, 70.0, *[0.0] * 9]
    others = [row["measured_speed"] for row in measured.to_pylist() if row["partition"] != 1]
    assert set(others) == {None}


def test_events_are_messages_and_faults_by_time(folder: RunFolder) -> None:
    fault = {"what": "fault", "kind": "stale", "at_ns": 5, "message": "old"}
    stop = {"what": "sent", "kind": "stop", "at_ns": 7, "consumer": 1, "partition": 2}
    rows = events(folder._replace(entries=[*folder.entries, stop, fault]))
    assert [row["event"] for row in rows] == list(range(1, len(rows) + 1))
    times = np.array([row["time_s"] for row in rows])
    assert (np.diff(times) >= 0).all()
    assert rows[0]["component"] == "fault"
    assert rows[0]["consumer"] is None
    assert (rows[1]["partition"], rows[1]["epoch"]) == (None, None)
    assert {row["component"] for row in rows} == {"fault", "controller", "consumer"}
    assert len(rows) == 2 + len(folder.said("sent")) + len(folder.said("heard"))
