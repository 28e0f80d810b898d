"""Recorded workloads: what a simulated group gets from each kind of file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from algorithms.workloads.partition_splits import split
from pipeline.base import limits
from pipeline.base.errors import InputError
from pipeline.experiments.autoscaling.workloads import recorded_workloads
from pipeline.experiments.autoscaling.workloads.workload import SplitChoice, Workload
from pipeline.inputs import traces
from pipeline.inputs.traces.partition_layout import Topic

pytestmark = pytest.mark.unit

TOTAL = "".join(f"2022-09-05 16:00:{k:02},{k * 1.25 + 0.5}\n" for k in range(20))
WIDE = "timestamp,a,b\n10,5,1\n40,6,\n70,,2\n"


def workload(folder: Path, text: str, name: str = "t.csv", **options: Any) -> Workload:
    file = folder / name
    file.write_text(text)
    how, weights = options.pop("split", "equal"), options.pop("weights", None)
    return recorded_workloads.load(file, split=SplitChoice(how, weights), **options)


def refusal(folder: Path, text: str, **options: Any) -> str:
    with pytest.raises(InputError) as caught:
        workload(folder, text, **options)
    message = str(caught.value)
    assert "\n" not in message
    return message


@pytest.mark.parametrize(
    "options",
    [
        {"partitions": 1},
        {"partitions": 5},
        {"partitions": 4, "split": "skew", "rounding": "ceil"},
        {"partitions": 2, "split": "weights", "weights": [1.0, 3.0]},
    ],
)
def test_a_total_rate_is_split(tmp_path: Path, options: dict[str, Any]) -> None:
    """As by the split of generated workloads; the digest is that of what was recorded."""
    recorded = workload(tmp_path, TOTAL, **options)
    total = [k * 1.25 + 0.5 for k in range(20)]
    how = {"how": options.get("split", "equal"), "partitions": options["partitions"]}
    rest = {name: options[name] for name in ("weights", "rounding") if name in options}
    np.testing.assert_array_equal(recorded.rates, split(total, **how, **rest))
    assert (recorded.name, recorded.step_s) == ("t.csv", 1.0)
    assert recorded.digest == traces.load(tmp_path / "t.csv").digest


def test_absent_partitions_receive_nothing(tmp_path: Path) -> None:
    recorded = workload(tmp_path, WIDE)
    np.testing.assert_array_equal(recorded.rates, [[5.0, 1.0], [6.0, 0.0], [0.0, 2.0]])
    assert recorded.step_s == 30.0


@pytest.mark.parametrize(("step_s", "last_s"), [(10.0, 10), (15.0, 15), (60, 60), (90.0, 30)])
def test_resampling_keeps_all_events(tmp_path: Path, step_s: float, last_s: int) -> None:
    """The last measurement holds until its step ends."""
    recorded = workload(tmp_path, WIDE, step_s=step_s)
    assert recorded.step_s == step_s
    assert recorded.rates.sum() * step_s == pytest.approx(12.0 * 30.0 + 2.0 * last_s)
    assert recorded.digest == workload(tmp_path, WIDE).digest


def test_the_total_is_rounded_after_it_has_been_resampled(tmp_path: Path) -> None:
    """The events of a step are an integer number only if its own rate is rounded."""
    text = "timestamp,rate\n0,0.5\n1,2\n2,4\n3,5\n"
    recorded = workload(tmp_path, text, partitions=1, rounding="ceil", step_s=2.0)
    assert recorded.rates.tolist() == [[2.0], [5.0]]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("t.json", '[{"t": {"0": 5, "1": 6}}, {"t": {"1": 7}}]'),
        ("t.csv", "iteration,a,b\n1,5,6\n2,,7"),
    ],
)
def test_files_without_timestamps_have_steps_of_a_second(
    tmp_path: Path, name: str, text: str
) -> None:
    recorded = workload(tmp_path, text, name)
    assert recorded.rates.tolist() == [[5.0, 6.0], [0.0, 7.0]]
    assert recorded.step_s == 1.0
    assert workload(tmp_path, text, name, step_s=30.0).step_s == 30.0


@pytest.mark.parametrize(
    ("text", "options", "words"),
    [
        (TOTAL, {}, ("partitions must be given", "t.csv", "got none")),
        (TOTAL, {"partitions": 0}, ("partitions must be between 1 and 1000000", "got 0")),
        (TOTAL, {"partitions": -3}, ("partitions must be", "got -3")),
        (TOTAL, {"partitions": 1.5}, ("partitions must be", "1.5")),
        (TOTAL, {"partitions": 2, "split": "skew"}, ("partitions must be at least 3",)),
        (TOTAL, {"partitions": 2, "split": "even"}, ("split must be one of", "'even'")),
        (TOTAL, {"partitions": 2, "split": "weights"}, ("weights are required",)),
        (TOTAL, {"partitions": 2, "split": "weights", "weights": [1.0]}, ("weights", "(1,)")),
        (TOTAL, {"partitions": 2, "rounding": "up"}, ("rounding must be one of", "'up'")),
        (TOTAL, {"partitions": 2, "step_s": 0.0}, ("step_s must be", "got 0.0")),
        (TOTAL, {"partitions": 2, "step_s": np.nan}, ("step_s must be", "got nan")),
        (TOTAL, {"partitions": 2, "step_s": 1e10}, ("step_s must be", "10000000000.0")),
        (TOTAL, {"partitions": 2, "step_s": 1e-6}, ("t.csv", "at most 1,000,000", "1e-06 s")),
        (WIDE, {"partitions": 3}, ("partitions does not apply to", "t.csv", "(2 partitions)")),
        (WIDE, {"split": "skew"}, ("split does not apply to", "t.csv")),
        (WIDE, {"weights": [1.0, 2.0]}, ("weights does not apply to", "t.csv")),
        (WIDE, {"rounding": "ceil"}, ("rounding does not apply to", "t.csv")),
        ("timestamp,rate\n1,5\n2,x\n", {"partitions": 2}, ("t.csv:3: rate must be", "'x'")),
    ],
)
def test_what_is_refused(
    tmp_path: Path, text: str, options: dict[str, Any], words: tuple[str, ...]
) -> None:
    message = refusal(tmp_path, text, **options)
    for part in words:
        assert part in message


def test_the_number_of_partitions_that_a_trace_has_is_no_split(tmp_path: Path) -> None:
    assert workload(tmp_path, WIDE, partitions=2).rates.shape[1] == 2


def test_a_split_into_more_rates_than_a_task_can_hold(tmp_path: Path) -> None:
    partitions = limits.MAX_RATES // 50 + 1
    message = refusal(tmp_path, "5,1\n54,2\n", partitions=partitions, step_s=1.0)
    assert f"{partitions:,} partitions × 50 steps" in message


LONG = [
    f"{30 * k},{t},{p},{(k + 2) * p + len(t)}" for k in range(6) for t in "ab" for p in (2, 0, 1)
]


@pytest.mark.parametrize("seed", range(5))
def test_no_order_of_rows_changes_a_workload(tmp_path: Path, seed: int) -> None:
    rows = np.random.default_rng(seed).permutation(LONG)
    load = workload(tmp_path, "\n".join(["timestamp,topic,partition,rate", *rows]))
    assert load.topics == (Topic("a", 3), Topic("b", 3))
    assert (load.sizes, load.labels) == ((3, 3), ("a/0", "a/1", "a/2", "b/0", "b/1", "b/2"))
    assert load.rates[1].tolist() == [1.0, 4.0, 7.0, 1.0, 4.0, 7.0]


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1), (1, 2, 0)])
def test_no_order_of_columns_changes_a_workload(tmp_path: Path, order: tuple[int, ...]) -> None:
    names, rates = np.array(["b/1", "a/0", "b/0"]), np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    lines = [f"timestamp,{','.join(names[[*order]])}"]
    lines += [f"{k},{','.join(map(str, row[[*order]]))}" for k, row in enumerate(rates)]
    load = workload(tmp_path, "\n".join(lines))
    assert load.labels == ("a/0", "b/0", "b/1")
    np.testing.assert_array_equal(load.rates, rates[:, [1, 2, 0]])


def test_a_split_total_has_one_topic_without_a_name(tmp_path: Path) -> None:
    load = workload(tmp_path, TOTAL, partitions=3)
    assert (load.topics, load.sizes, load.labels) == ((), (3,), ("0", "1", "2"))


def test_what_is_not_in_the_file_is_said(tmp_path: Path) -> None:
    load = workload(tmp_path, "timestamp,topic,partition,rate\n0,a,0,5\n0,a,2,5\n")
    assert load.rates.tolist() == [[5.0, 0.0, 5.0]]
    assert load.notes == ("Partition a/1 is not in the file; it counts as one without events.",)


@pytest.mark.parametrize(("step_s", "averaged_s"), [(None, 30.0), (10.0, 30.0), (60.0, 60.0)])
def test_the_time_that_rates_are_means_of(
    tmp_path: Path, step_s: float | None, averaged_s: float
) -> None:
    assert workload(tmp_path, WIDE, step_s=step_s).averaged_s == averaged_s
