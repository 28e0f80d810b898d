"""Recorded files as rates of a stream: splits and replaced rates."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.experiments.autoscaling.stages import workload_streams
from pipeline.settings.load import resolve

pytestmark = pytest.mark.unit

TOTAL = "timestamp,rate\n0,11.5\n1,24\n2,0\n3,5.2\n"
WIDE = "timestamp,a,b\n0,50,10\n1,60,\n2,,90\n"


def rates(folder: Path, text: str, *settings: str) -> list[list[float]]:
    """What a run makes of a file."""
    file = folder / "t.csv"
    file.write_text(text)
    settings = ("strategies=linear", *settings)
    config = resolve("autoscaling-smoke", None, list(settings), [file])
    (experiment,) = config.autoscaling
    workload = workload_streams.workload_of(experiment, config.traces[0].trace)
    values: list[list[float]] = workload.rates.tolist()
    return values


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        (["partitions=2"], [[5.75] * 2, [12.0] * 2, [0.0] * 2, [2.6] * 2]),
        (["partitions=2", "rounding=ceil"], [[6.0] * 2, [12.0] * 2, [0.0] * 2, [3.0] * 2]),
        (["partitions=1", "last_rate=21"], [[11.5], [24.0], [0.0], [21.0]]),
        (
            ["partitions=2", "split=3,1"],
            [[8.625, 2.875], [18.0, 6.0], [0.0] * 2, [5.2 * 3 / 4, 1.3]],
        ),
        (["partitions=1", "last_rate=0"], [[11.5], [24.0], [0.0], [0.0]]),
    ],
)
def test_a_total_rate_is_split(
    tmp_path: Path, settings: list[str], expected: list[list[float]]
) -> None:
    assert rates(tmp_path, TOTAL, *settings) == expected


def test_two_partitions_of_a_skewed_workload_get_a_quarter_each(tmp_path: Path) -> None:
    """The last rate replaces that of the file before it is rounded."""
    values = rates(tmp_path, TOTAL, "partitions=6", "split=skew", "rounding=ceil", "last_rate=7.5")
    assert values[0] == [3.0, 3.0, *[1.5] * 4]
    assert values[-1] == [2.0, 2.0, *[1.0] * 4]


def test_an_absent_partition_receives_nothing(tmp_path: Path) -> None:
    assert rates(tmp_path, WIDE) == [[50.0, 10.0], [60.0, 0.0], [0.0, 90.0]]
