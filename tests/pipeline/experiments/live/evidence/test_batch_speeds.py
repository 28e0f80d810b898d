"""Speeds of full batches, from evidence."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pipeline.experiments.live.evidence.batch_speeds import batch_histogram
from pipeline.experiments.live.evidence.processed_records import ProcessedRecords
from pipeline.experiments.live.evidence.run_folder import RunFolder
from tests.pipeline.experiments.live.synthetic_folders import settings_for

pytestmark = pytest.mark.unit

SECOND = 10**9


def folder(batches: list[tuple[int, float, int]], mode: str = "cycle") -> RunFolder:
    """Batches of 10 records at C̄ = 20 kB/s: consumer, time when it was done (s), records."""
    settings = settings_for(Path(), mode=mode, batch_bytes=20_000, consumer_rate=20_000.0)
    consumer, done = (
        np.repeat([batch[place] for batch in batches], [batch[2] for batch in batches])
        for place in (0, 1)
    )
    longs, ones = np.zeros(len(done), np.int64), np.ones(len(done), np.int32)
    done_ns = (done * SECOND).astype(np.int64)
    slots = consumer.astype(np.int32)
    records = ProcessedRecords(ones, ones, longs, longs, longs, done_ns, slots, ones)
    return RunFolder(settings, np.zeros((1, 1)), {}, [], {}, records)


def speeds(*batches: tuple[int, float, int]) -> dict[int, int]:
    histogram = batch_histogram(folder(list(batches)))
    assert histogram is not None
    return {int(place): int(histogram[place]) for place in np.flatnonzero(histogram)}


def test_a_speed_is_the_size_by_the_time_since_the_batch_before() -> None:
    assert speeds((0, 1.0, 10), (0, 2.25, 10), (0, 3.5, 10)) == {80: 2}


def test_only_full_batches_after_full_ones_count() -> None:
    assert speeds((0, 1.0, 10), (0, 2.0, 9), (0, 3.0, 10), (0, 4.25, 10)) == {80: 1}


def test_batches_of_different_consumers_do_not_follow_each_other() -> None:
    assert speeds((0, 1.0, 10), (1, 2.0, 10), (1, 3.25, 10)) == {80: 1}


def test_very_fast_batches_are_in_the_last_bin() -> None:
    assert speeds((0, 1.0, 10), (0, 1.25, 10)) == {150: 1}


def test_consumers_without_batches_have_no_histogram() -> None:
    assert batch_histogram(folder([(0, 1.0, 10)], mode="prompt")) is None
    assert speeds((0, 1.0, 10)) == {}
