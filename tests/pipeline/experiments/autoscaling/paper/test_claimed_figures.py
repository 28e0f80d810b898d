"""Printed differences and levels, judged over seeds."""

from __future__ import annotations

from typing import Any

import pytest

from live.live_settings import BURSTS
from pipeline.experiments.autoscaling.paper import claimed_figures
from pipeline.experiments.autoscaling.paper.open_settings import OpenSetting
from pipeline.reporting.sections import published_figure
from schemas import TABLES
from schemas.render.constraints import constraints
from schemas.verdicts import (
    BY_CONSTRUCTION,
    CONSISTENT,
    DIFFERS,
    NOT_COMPARABLE,
    NOT_REPRODUCED,
    OPEN,
    REPRODUCED,
)
from tests.pipeline.experiments.autoscaling.paper.claimed_runs import Values, compared, experiment
from tests.schemas import sqlite_verdicts

pytestmark = pytest.mark.unit

LINEAR = "equal-5: Algorithm 2 − Linear: sla_percent"


def judged(
    values: Values, name: str = "equal-5", workload: str = "W1", **changes: Any
) -> dict[str, dict[str, Any]]:
    """Rows of `published_figures` by key."""
    one = experiment(name, **changes)
    figures = claimed_figures.figures([(one, workload)])
    rows = published_figure.rows(figures, compared(one, workload, values))
    return {row["figure_key"]: row for row in rows}


def _by_phase(setting: OpenSetting, number: int) -> float:
    return 89.0 if setting.arrivals == BURSTS and setting.shift_s == 0.2 else 91.0


@pytest.mark.parametrize(
    ("served", "verdict", "note"),
    [
        (lambda setting, number: 91.0, REPRODUCED, "30 paired seeds, drifting bursts; even 1.00"),
        (lambda setting, number: 89.0, NOT_REPRODUCED, "30 paired seeds"),
        (lambda setting, number: 90.0, OPEN, "30 paired seeds"),
        (_by_phase, OPEN, "decided by the phase; 30 paired seeds"),
    ],
)
def test_a_difference_is_judged_by_its_sign(served: Any, verdict: str, note: str) -> None:
    row = judged({"least_loaded_2": served})[LINEAR]
    assert row["verdict"] == verdict
    assert row["note"].startswith(note)
    assert row["published"] == "2.7 (97.4 and 94.7)"


def test_the_last_open_claim_has_all_its_settings() -> None:
    row = judged({"least_loaded_2": _by_phase})[LINEAR]
    assert "bursts −1.00 to 1.00" in row["note"].replace("-", "−")


def test_levels_lie_in_the_range_of_all_bursts() -> None:
    def wide(setting: OpenSetting, number: int) -> float:
        return 99.0 if setting.arrivals == BURSTS else 95.0

    rows = judged({"least_loaded_2": wide})
    level = rows["equal-5: least_loaded_2: sla_percent"]
    assert (level["published"], level["verdict"]) == ("97.4", CONSISTENT)
    # Our value is that of drifting bursts.
    assert level["our_value"] == pytest.approx(95.0)
    assert (level["low"], level["high"]) == (pytest.approx(94.9), pytest.approx(99.1))
    assert rows["equal-5: linear: sla_percent"]["verdict"] == DIFFERS


def test_even_arrivals_have_no_part_in_levels() -> None:
    def even(setting: OpenSetting, number: int) -> float:
        return 99.0 if setting.arrivals == "even" else 95.0

    row = judged({"least_loaded_2": even})["equal-5: least_loaded_2: sla_percent"]
    assert row["verdict"] == DIFFERS


def test_a_fixed_group_is_by_construction() -> None:
    rows = judged({"overprovision:initial_replicas=5": lambda setting, number: 99.9})
    fixed = [row for row in rows.values() if row["its_strategy"] == "Overprovisioning"]
    assert {row["verdict"] for row in fixed} == {BY_CONSTRUCTION}
    assert len(fixed) == 4


@pytest.mark.parametrize("workload", ["W1", "W2"])
@pytest.mark.parametrize("name", ["equal-5", "skew-9"])
def test_every_row_of_a_table_has_a_verdict(workload: str, name: str) -> None:
    rows = judged({}, name, workload).values()
    assert NOT_COMPARABLE not in {row["verdict"] for row in rows}


@pytest.mark.parametrize("workload", ["W1", "W2"])
@pytest.mark.parametrize("name", ["equal-5", "skew-9"])
def test_the_table_takes_every_row(workload: str, name: str) -> None:
    """The published difference of the maximum latency on workload 2 is below 0."""
    rows = [{"run_id": "run", **row} for row in judged({}, name, workload).values()]
    conditions = list(constraints(TABLES["published_figures"]).values())
    for row, verdicts in zip(rows, sqlite_verdicts.verdicts(conditions, rows), strict=True):
        refused = [sql for sql, holds in zip(conditions, verdicts, strict=True) if not holds]
        assert not refused, row["figure_key"]


def test_rows_of_table_3_are_those_of_the_second_workload() -> None:
    """Levels and differences of all strategies that ran; Optimal is no candidate of the claims."""
    rows = [*judged({}, "equal-5", "W2").values()]
    levels = {(row["its_strategy"], row["figure"]) for row in rows if row["location"] == "Table 3"}
    counted = ("replica-minutes", "scalings up", "scalings down")
    expected = {
        (name, figure)
        for name in ("Algorithm 2", "Linear", "Overprovisioning")
        for figure in ("events within 0.5 s", *counted)
    }
    assert expected <= levels
    assert ("Algorithm 2", "maximum latency") in levels
    assert ("Algorithm 2 − Linear", "difference of replica-minutes") in levels
    sooner = [row for row in rows if row["location"] == "Section 5.2"]
    assert {row["published"] for row in sooner} >= {"99.07", "< 1"}


def test_few_seeds_have_no_verdict() -> None:
    rows = judged({"least_loaded_2": lambda setting, number: 91.0}, claim_seeds=29)
    assert rows[LINEAR]["verdict"] == NOT_COMPARABLE
    assert "29 seeds, not 30" in rows[LINEAR]["note"]


def test_other_workloads_have_no_figures() -> None:
    assert not list(claimed_figures.figures([(experiment(), None)]))
