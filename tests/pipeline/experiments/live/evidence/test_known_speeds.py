"""Δt1 from rates and the monitor's journal."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from pipeline.experiments.live.evidence import run_folder
from pipeline.experiments.live.evidence.known_speeds import known_after
from pipeline.experiments.live.evidence.plan_times import plan_times
from pipeline.experiments.live.evidence.run_folder import RunFolder
from tests.pipeline.experiments.live import synthetic_folders
from tests.pipeline.experiments.live.synthetic_folders import BEGAN_NS, SECOND

pytestmark = pytest.mark.slow

KB = 1000.0
RATES = [[40 * KB, 100 * KB, 60 * KB], [80 * KB, 100 * KB, 30 * KB], [80 * KB, 100 * KB, 30 * KB]]
"""Iterations of 4 s; two rates change as the second one begins, and none afterwards."""


def measured(at_s: float, speeds: dict[int, float]) -> str:
    """A line of the monitor's journal."""
    entry = {"what": "measured", "at_ns": BEGAN_NS + round(at_s * SECOND), "factor": 1.03}
    return json.dumps({**entry, "speeds": {str(p): KB * rate for p, rate in speeds.items()}})


def folder(
    place: Path, lines: Sequence[str], rates: Sequence[Sequence[float]] = RATES
) -> RunFolder:
    settings = synthetic_folders.settings_for(
        place, partitions=3, iterations=len(rates), speeds="measured"
    )
    synthetic_folders.make(place, "MWF", rates, settings)
    (place / "monitor.jsonl").write_text("".join(f"{line}\n" for line in lines))
    return run_folder.read(place)


def test_the_first_measurement_with_all_changed_rates_counts(tmp_path: Path) -> None:
    lines = [
        '{"what":"waiting","at_ns":1,"logs":3,"took_s":0.1}',
        measured(3.5, {0: 80, 1: 100, 2: 30}),  # Before the change.
        measured(4.5, {0: 79, 1: 100, 2: 45}),
        measured(5.5, {0: 80, 2: 31.6}),
        measured(6.5, {0: 76, 1: 7}),  # Not all that have changed.
        measured(7.25, {0: 76, 1: 7, 2: 31.5}),  # 5 % off; the other rate has not changed.
        measured(7.5, {0: 80, 1: 100, 2: 30}),
    ]
    assert known_after(folder(tmp_path / "run", lines)) == {1: 3.25}


def test_speeds_may_become_known_in_a_later_iteration(tmp_path: Path) -> None:
    assert known_after(folder(tmp_path / "run", [measured(9.0, {0: 80, 2: 30})])) == {1: 5.0}
    assert known_after(folder(tmp_path / "late", [measured(12.0, {0: 80, 2: 30})])) == {}


def test_a_rate_that_changes_again_first_is_never_known(tmp_path: Path) -> None:
    rates = [*RATES[:2], [80 * KB, 100 * KB, 60 * KB]]
    lines = [measured(8.5, {0: 80, 1: 100, 2: 30}), measured(9.0, {0: 80, 1: 100, 2: 60})]
    assert known_after(folder(tmp_path / "run", lines, rates)) == {2: 1.0}


def test_a_partition_that_falls_silent_is_known_at_zero(tmp_path: Path) -> None:
    rates = [RATES[0], [0.0, *RATES[0][1:]]]
    lines = [measured(5.0, {0: 0.1}), measured(6.0, {0: 0.0})]
    assert known_after(folder(tmp_path / "run", lines, rates)) == {1: 2.0}


def test_plans_have_the_time_of_their_iteration(tmp_path: Path) -> None:
    made = folder(tmp_path / "run", [measured(5.25, {0: 80, 2: 30})])
    plan = {**made.said("plan")[0], "plan": 91, "iteration": 1}
    lost = {**plan, "plan": 92, "reason": "lost"}
    rows = plan_times(made._replace(entries=[*made.entries, plan, lost]))
    assert {row.plan: row.speeds_known_s for row in rows if row.iteration == 1} == {1: None}
    assert {row.plan: row.speeds_known_s for row in rows}[91] == 1.25
    assert {row.plan: row.speeds_known_s for row in rows}[92] is None


def test_nothing_is_known_where_speeds_are_given(tmp_path: Path) -> None:
    place = synthetic_folders.make(tmp_path / "run")
    assert known_after(run_folder.read(place)) == {}
