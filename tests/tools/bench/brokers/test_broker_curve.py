"""Rows, the effect of brokers, the page and the data that come of them."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest

from algorithms.learning.measured_latencies import MeasuredRow
from live.broker_metrics import cpu_caps
from live.broker_metrics.declared_metrics import NAMES
from live.broker_metrics.scraped_values import Latencies
from live.brokers import record_load
from live.brokers.record_load import ReadSoFar
from tools.bench.brokers import broker_effect, curve_rows, curve_table
from tools.bench.brokers.__main__ import main
from tools.bench.brokers.curve_rows import CAPPED, SHARED, CurveRow

pytestmark = pytest.mark.unit

BEFORE = '"""Head."""\n\nROWS: Final = (\n    MeasuredRow(9, 9, 9, (9.0,)),\n)\n'


def row(curve: str, brokers: int, load: float, ms: float, repeat: int = 0, share: float = 1.0):
    latencies = tuple(Latencies(ms + d, 1.0, 2.0, 1.5) for d in (-1.0, 1.0))
    metrics = tuple(0.1 for _ in NAMES)
    quota = 0.2 if curve == CAPPED else 0.0
    return CurveRow(curve, brokers, load, repeat, quota, 1.0, share, latencies, metrics)


FALLING = [
    row(CAPPED, n, 0.5, 100.0 * 0.8**n * (1.02 if repeat else 1.0), repeat)
    for n in (3, 5, 7)
    for repeat in (0, 1)
]


def test_rows_are_kept(tmp_path: Path):
    file, rows = tmp_path / "new" / "rows.jsonl", FALLING[:2]
    assert curve_rows.rows(file) == []
    for each in rows:
        curve_rows.add(file, each)
    assert curve_rows.rows(file) == rows


def test_means_leave_out_what_was_not_read():
    one = FALLING[0]
    unread = one._replace(latencies=(Latencies(math.nan, 3.0, 0, 0), Latencies(4.0, 5.0, 0, 0)))
    assert curve_rows.mean_of(unread, "end_to_end") == 4.0
    assert curve_rows.mean_of(unread, "produce") == 4.0


def test_an_effect_is_recovered_with_its_interval():
    draws = np.random.default_rng(1)
    brokers, clusters = [3, 4, 5, 6, 7] * 4, [c for c in range(4) for _ in range(5)]
    latencies = [
        50.0 * 2.0**c * 0.9**n * math.exp(0.02 * draws.standard_normal())
        for n, c in zip(brokers, clusters, strict=True)
    ]
    found = broker_effect.effect(brokers, latencies, clusters)
    assert found.low < -0.1 < found.high
    assert found.change == pytest.approx(-0.1, abs=0.01)
    assert found.verdict == "latency falls"


def test_without_an_effect_the_verdict_is_open():
    found = broker_effect.effect([3, 5, 7] * 2, [50.0, 51.0, 50.0, 51.0, 50.0, 51.0], [0] * 6)
    assert found.low < 0.0 < found.high
    assert found.verdict == broker_effect.NO_EFFECT


def test_intervals_are_those_of_least_squares_with_a_level_for_each_cluster():
    draws = np.random.default_rng(2)
    brokers, clusters = [3, 4, 5, 6, 7, 3, 5, 7], [0, 0, 0, 0, 0, 1, 1, 1]
    logs = draws.standard_normal(8)
    columns = np.array([brokers, [1 - c for c in clusters], clusters], float).T
    weights, squares, *_ = np.linalg.lstsq(columns, logs, rcond=None)
    error = math.sqrt(squares[0] / 5 * np.linalg.inv(columns.T @ columns)[0, 0])
    found = broker_effect.effect(brokers, np.exp(logs).tolist(), clusters)
    assert math.log1p(found.change) == pytest.approx(weights[0])
    # Student's t with 5 degrees of freedom.
    assert math.log1p(found.high) == pytest.approx(weights[0] + 2.570582 * error)
    assert math.log1p(found.low) == pytest.approx(weights[0] - 2.570582 * error)


def test_the_page_has_each_cell_and_verdict():
    slow = [row(SHARED, n, 1.0, 40.0, repeat, share=0.8) for n in (3, 5, 7) for repeat in (0, 1)]
    lines = curve_table.page([*FALLING, *slow], 2).splitlines()
    assert sum(line.startswith(("| shared | 1 |", "| capped | 0.5 |")) for line in lines) == 8
    assert any(line.startswith("| capped | 0.5 | -20.0%") for line in lines)
    assert "| shared | 1 |  | not comparable |" in lines
    assert [line.split("`")[1] for line in lines if line.startswith("| `")] == list(NAMES)


def test_a_busy_machine_is_said_and_leaves_no_verdict():
    busy = [each._replace(machine_load=30.0) for each in FALLING]
    page = curve_table.page(busy, 2)
    assert "its load was 30 on average, 15 for each core" in page
    assert "did not always get their quotas" in page
    assert "| not comparable: the machine was busy |" in page
    calm = curve_table.page(FALLING, 2)
    assert "machine was busy" not in calm
    assert "| latency falls |" in calm


def test_capped_brokers_that_use_their_quota_did_not_wait_for_the_machine():
    used = tuple(0.17 for _ in NAMES)
    page = curve_table.page([one._replace(machine_load=30.0, metrics=used) for one in FALLING], 2)
    assert "at least 85% of their quotas" in page
    assert "| latency falls |" in page


def test_data_replace_rows_by_capped_ones_that_keep_up():
    rows = [
        *FALLING,
        row(SHARED, 3, 0.5, 1.0),
        *(row(CAPPED, n, 1, 9.0, 0, 0.5) for n in (3, 5, 7)),
    ]
    text = curve_table.data(rows, BEFORE)
    declared = "# fmt: off\nROWS: Final[tuple[MeasuredRow, ...]] = (\n"
    assert text.startswith(f'"""Head."""\n\n{declared}')
    assert text.count("MeasuredRow(") == len(FALLING)
    assert "    MeasuredRow(3, 0.5, 0, (50.20, 52.20),\n        (" in text
    assert max(map(len, text.splitlines())) <= 100
    assert curve_table.data(rows, text) == text


def test_data_are_the_rows_that_python_reads():
    text = curve_table.data(FALLING, BEFORE)
    found: dict[str, Any] = {"Final": Final, "MeasuredRow": MeasuredRow}
    exec(text, found)
    kept_rows = sorted(FALLING, key=lambda row: row.cluster[::-1])
    for one, kept in zip(found["ROWS"], kept_rows, strict=True):
        assert one[:3] == (kept.brokers, kept.load, kept.repeat)
        assert one.metrics == pytest.approx(kept.metrics, rel=1e-5)


@pytest.mark.parametrize(
    "change",
    [
        {"metrics": (math.nan, *FALLING[0].metrics[1:])},
        {"latencies": (Latencies(math.nan, 1.0, 2.0, 1.5), *FALLING[0].latencies[1:])},
    ],
)
def test_data_leave_out_rows_that_lack_a_value(change: dict[str, Any]):
    """As Python, ``nan`` would be an unknown name."""
    text = curve_table.data([FALLING[0]._replace(**change), *FALLING[1:]], BEFORE)
    assert text == curve_table.data(FALLING[1:], BEFORE)
    assert "nan" not in text


def test_data_without_all_sizes_stay_as_they_are():
    rows = [row(CAPPED, 3, 0.5, 10.0), row(SHARED, 4, 0.5, 10.0)]
    assert curve_table.data(rows, BEFORE) == BEFORE


def test_a_system_that_cannot_cap_is_refused_before_anything_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setattr(cpu_caps, "SELF", tmp_path / "none")
    files = [f"--{name}={tmp_path / name}" for name in ("results", "out", "data")]
    with pytest.raises(SystemExit) as ended:
        main(files)
    assert ended.value.code == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("error: cannot cap processors (no CPU cgroup")
    assert not list(tmp_path.iterdir())


def test_what_had_been_read_at_a_time(tmp_path: Path):
    file = tmp_path / "read.txt"
    file.write_text("100 1 10\n200 5 90\n300 9 2")
    assert record_load.read_at(file, 250) == ReadSoFar(200, 5, 90)
    assert record_load.read_at(file, 50) == ReadSoFar(0, 0, 0)
