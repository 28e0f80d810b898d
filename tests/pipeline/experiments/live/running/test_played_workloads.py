"""Live experiments over published workloads."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.experiments.live.running.played_workloads import played
from pipeline.inputs.traces import published_workloads
from pipeline.inputs.traces.published_workloads import PublishedWorkload
from pipeline.settings.load import resolve
from pipeline.settings.run_config import RunConfig

pytestmark = pytest.mark.unit

SETTINGS = ["strategies=kd_2", "partitions=4"]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    rates = tmp_path / "w.csv"
    rates.write_text("0,10\n1,20\n2,30\n")
    return rates


@pytest.fixture
def workload(file: Path, monkeypatch: pytest.MonkeyPatch) -> PublishedWorkload:
    """The file's rates, as if they were published."""
    (source,) = configured(file).traces
    invented = PublishedWorkload("W1", "3 s", 3, source.digest, "three_peaks", 3.5)
    monkeypatch.setattr(published_workloads, "WORKLOADS", (invented,))
    return invented


def configured(file: Path, *settings: str) -> RunConfig:
    return resolve("live-smoke", None, [*SETTINGS, *settings], [file])


def test_a_published_workload_is_recognised(file: Path, workload: PublishedWorkload) -> None:
    config = configured(file)
    assert played(config.live[0], config) == workload


@pytest.mark.parametrize("change", ["iterations=2", "scale=2"])
def test_one_that_is_played_otherwise_is_not(
    file: Path, workload: PublishedWorkload, change: str
) -> None:
    config = configured(file, change)
    assert played(config.live[0], config) is None


def test_other_streams_are_none(file: Path, workload: PublishedWorkload) -> None:
    file.write_text("0,10\n1,20\n2,31\n")
    config = configured(file)
    assert played(config.live[0], config) is None
    config = resolve("live-smoke", None, [], [])
    assert played(config.live[0], config) is None
