"""Which partitions are hot: those that are faster than one consumer, at some time."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from pipeline.experiments.assignment.stages.capacity_notes import notes
from pipeline.inputs.traces import hot_partitions, load
from pipeline.inputs.traces.hot_partitions import Peak
from pipeline.reporting.sections import hot_words
from pipeline.settings.load import resolve

pytestmark = pytest.mark.unit

CAPACITY = 100.0

RATES = np.array(
    [[100.0, 20.0, np.nan, 99.0], [0.0, 100.5, np.nan, 99.9], [1.0, np.nan, np.nan, 0]]
)
"""At the capacity, above it once, never there, and below it."""


def test_a_partition_at_the_capacity_is_not_hot() -> None:
    peaks = hot_partitions.peak_rates(RATES)
    assert peaks.tolist() == [100.0, 100.5, 0.0, 99.9]
    assert hot_partitions.are_hot(peaks, CAPACITY).tolist() == [False, True, False, False]


def test_named_peaks_are_judged_alike() -> None:
    named = [Peak(str(j), rate, "noon") for j, rate in enumerate((100.0, 100.5, 0.0, 99.9))]
    assert [peak.name for peak in hot_partitions.hot(named, CAPACITY)] == ["1"]
    assert hot_partitions.hot([], CAPACITY) == []
    assert hot_partitions.sentence(named, CAPACITY).startswith("Hot partition: 1, up to ")
    assert hot_partitions.sentence(named, 100.5) == ""


def test_the_load_without_them_is_that_of_all_others() -> None:
    assert hot_partitions.load_without(RATES, 60.0, CAPACITY) == (199.0, 4)
    assert hot_partitions.load_without(RATES, 60.0, 100.5) is None


def test_all_hot_partitions_are_counted_also_those_that_are_not_kept(tmp_path: Path) -> None:
    """A run keeps twenty of them; thirty are hot, and two are not."""
    names = ",".join(f"p{j}" for j in range(32))
    rates = ",".join([*(str(500 - j) for j in range(30)), "99", "98"])
    file = tmp_path / "t.csv"
    file.write_text(f"timestamp,{names}\n0,{rates}\n30,{rates}\n")
    trace = load(file)
    kept = hot_partitions.fastest(trace, trace.rates)
    assert len(kept) == hot_partitions.MOST == 20
    many = hot_partitions.count(hot_partitions.peak_rates(trace.rates), CAPACITY)
    words = hot_partitions.sentence(kept, CAPACITY, total=many)
    assert words.startswith("30 hot partitions: p0, up to 5 × consumer_capacity at ")
    assert "; and 27 more. Every strategy" in words
    config = resolve(None, None, ["capacity=75", "consumer_capacity=100"], [file])
    assert config.traces[0].hot == 30
    assert any("30 hot partitions" in note for note in notes(config, "r"))
    faster = resolve(None, None, ["capacity=75", "consumer_capacity=480"], [file])
    assert faster.traces[0].hot == 20
    (stored,) = json.loads(config.to_json())["traces"]
    assert len(hot_words.of_trace(stored, CAPACITY)) == 1
    assert "30 hot partitions" in hot_words.of_trace(stored, CAPACITY)[0]
