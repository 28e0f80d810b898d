"""The records that a prediction replays are those that the producer has sent."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from live.records.burst_schedule import SECOND_NS
from pipeline.experiments.live.evidence.processed_records import ProcessedRecords
from pipeline.experiments.live.evidence.run_folder import RunFolder
from pipeline.experiments.live.predictions.queue_prediction import sent_records
from tests.live.short_settings import short_settings

pytestmark = pytest.mark.unit

RATES = np.array([[1000.0, 1000.0]] * 3)
_EMPTY: dict[str, Any] = dict.fromkeys(ProcessedRecords._fields, np.empty(0, np.int64))
NONE_READ = ProcessedRecords(**_EMPTY)


def folder(producer: dict[str, Any], **changes: Any) -> RunFolder:
    sizes = {"iterations": 3, "iteration_s": 1.0, "record_bytes": 1000}
    settings = short_settings(**sizes, **changes)
    return RunFolder(settings, RATES, producer, [], {}, NONE_READ)


def test_bursts_come_at_their_phase() -> None:
    sent = {"sent_by_partition": [3, 2]}
    due_ns, partitions = sent_records(folder(sent, arrivals="bursts", phase_s=0.1))
    assert due_ns.tolist() == [100_000_000 + s * SECOND_NS for s in (0, 0, 1, 1, 2)]
    assert partitions.tolist() == [0, 1, 0, 1, 0]


def test_bursts_that_drifted_come_when_they_came() -> None:
    times = [20_000_000, 1_030_000_000]
    sent = {"sent_by_partition": [2, 2], "bursts_ns": times}
    due_ns, partitions = sent_records(folder(sent, arrivals="drift"))
    assert due_ns.tolist() == [times[0]] * 2 + [times[1]] * 2
    assert partitions.tolist() == [0, 1, 0, 1]
