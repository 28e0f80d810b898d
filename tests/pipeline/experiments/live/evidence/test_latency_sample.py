"""Latencies of records as a row."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from algorithms.scores.latency_model import HISTOGRAM_EDGES
from pipeline.experiments.live.evidence import run_folder
from pipeline.experiments.live.evidence.latency_sample import compared_records, latencies, summarise
from tests.pipeline.experiments.live import synthetic_folders

pytestmark = pytest.mark.slow


def test_records_without_latency_count_in_percentiles() -> None:
    summary = summarise(np.array([0.0] * 8 + [1.0, 3.0]))
    assert (summary.n_samples, summary.n_positive) == (10, 2)
    assert (summary.p50, summary.max) == (0.0, 3.0)
    assert summary.p90 == pytest.approx(1.2)
    assert summary.p99 == pytest.approx(2.82)


def test_bins_are_those_of_the_latency_model() -> None:
    values = np.array([1e-9, 0.001, 0.0010001, 0.0011, 0.5, 1e5, 2e5, 0.0, -1.0])
    summary = summarise(values)
    assert len(summary.histogram) == 82
    assert summary.histogram.sum() == summary.n_positive == 7
    for value in values[values > 0]:
        bin_ = next(i for i in range(82) if HISTOGRAM_EDGES[i] < value <= HISTOGRAM_EDGES[i + 1])
        assert summary.histogram[bin_] > 0
    assert summary.histogram[0] == 2
    assert summary.histogram[-1] == 1


def test_there_may_be_no_records() -> None:
    summary = summarise(np.empty(0))
    assert summary.n_samples == summary.n_positive == summary.histogram.sum() == 0
    assert all(math.isnan(value) for value in (summary.p50, summary.p90, summary.p99, summary.max))


def test_the_first_and_unsound_iterations_are_left_out(tmp_path: Path) -> None:
    folder = run_folder.read(synthetic_folders.make(tmp_path / "run", late_ms={3: 1e3}))
    records = compared_records(folder)
    assert set(folder.iterations_of(records.due_ns).tolist()) == {1, 2, 4}
    sent = [report["sent"] for report in folder.producer["iterations"]]
    assert records.size == sent[1] + sent[2] + sent[4]
    waits = latencies(records)
    assert (waits >= 0).all()
    assert waits.max() < 1.0
