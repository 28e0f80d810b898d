"""Printed levels beside the range of our repeats."""

from __future__ import annotations

from typing import Any

import pytest

from pipeline.experiments.live.paper.group_levels import levels
from pipeline.experiments.live.paper.repeated_rows import Workload, strategies
from pipeline.reporting.sections.ezzeddine_figures import OVERPROVISIONING, SECOND
from schemas.verdicts import (
    BY_CONSTRUCTION,
    CONSISTENT,
    DIFFERS,
    NOT_COMPARABLE,
    NOT_REPRODUCED,
)
from tests.pipeline.experiments.live.paper.asked_runs import experiment, judged, results

pytestmark = pytest.mark.unit

PUBLISHED = Workload("W1", True)
COLUMNS = ("sla_percent", "replica_minutes", "n_up", "n_down")


def rows(
    values: tuple[float, ...],
    name: str = SECOND,
    place: str = "equal-5",
    workload: Workload = PUBLISHED,
    **changes: Any,
) -> dict[str, Any]:
    """Figures of a strategy with these values in all columns, by column."""
    one = experiment(place, **changes)
    run = results((one, name, dict.fromkeys((*COLUMNS, "peak_s"), values)))
    prefix = f"{one.name}: {strategies(one)[name]}: "
    figures = judged(levels(one, workload), run)
    return {key.removeprefix(prefix): row for key, row in figures.items() if key.startswith(prefix)}


@pytest.mark.parametrize(
    ("values", "verdict"),
    [
        ((97.0, 97.1, 97.2, 97.3, 97.5), CONSISTENT),
        ((97.0, 97.1, 97.2, 97.3, 97.36), CONSISTENT),
        ((97.0, 97.1, 97.2, 97.3, 97.34), DIFFERS),
        ((97.5, 97.6, 98.0, 99.0, 99.9), DIFFERS),
        ((97.4,) * 5, CONSISTENT),
        ((97.0, 98.0, 98.0, 98.0, float("nan")), NOT_COMPARABLE),
    ],
)
def test_a_level_lies_in_the_range_of_the_repeats(values: tuple[float, ...], verdict: str) -> None:
    """97.4 is printed; it stands for what rounds to it."""
    assert rows(values)["sla_percent"]["verdict"] == verdict


def test_a_row_has_range_and_direction() -> None:
    row = rows((90.0, 91.0, 92.0, 93.0, 94.0))["sla_percent"]
    assert (row["our_value"], row["low"], row["high"]) == (92.0, 90.0, 94.0)
    assert (row["published"], row["difference"]) == ("97.4", "-")
    assert row["location"] == "Table 2"
    assert row["note"] == "interval: range of our repeats"


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"replicates": 1}, "one repeat"),
        ({"replicates": 3}, "3 repeats, not 5"),
        ({"arrivals": "bursts"}, "drift"),
        ({"workload": Workload("W1", False)}, "shape"),
    ],
)
def test_without_repeats_drift_or_workload_ours_is_only_shown(
    changes: dict[str, Any], reason: str
) -> None:
    row = rows((97.4,) * changes.get("replicates", 5), **changes)["sla_percent"]
    assert row["verdict"] == NOT_COMPARABLE
    assert reason in row["note"]
    assert row["our_value"] == pytest.approx(97.4)


def test_a_bound_is_kept_by_all_repeats() -> None:
    kept = rows((0.7, 0.8, 0.9, 0.6, 0.99), place="equal-5-sooner")["peak_s"]
    broken = rows((0.7, 0.8, 0.9, 0.6, 1.0), place="equal-5-sooner")["peak_s"]
    assert (kept["published"], kept["verdict"]) == ("< 1", CONSISTENT)
    assert broken["verdict"] == DIFFERS


@pytest.mark.parametrize(
    ("column", "value", "verdict"),
    [
        ("sla_percent", 99.97, BY_CONSTRUCTION),
        ("sla_percent", 98.5, NOT_REPRODUCED),
        ("replica_minutes", 50.0, BY_CONSTRUCTION),
        ("n_up", 0.0, BY_CONSTRUCTION),
        ("n_down", 1.0, NOT_REPRODUCED),
    ],
)
@pytest.mark.parametrize("repeats", [1, 5])
def test_a_fixed_group_is_by_construction(
    column: str, value: float, verdict: str, repeats: int
) -> None:
    values = (value,) * repeats
    assert rows(values, OVERPROVISIONING, replicates=repeats)[column]["verdict"] == verdict


def test_a_strategy_that_has_not_run_has_no_value() -> None:
    one = experiment()
    columns = dict.fromkeys((*COLUMNS, "peak_s"), (97.0,) * 5)
    figures = judged(levels(one, PUBLISHED), results((one, SECOND, columns)))
    others = [row for row in figures.values() if row["its_strategy"] != SECOND]
    assert others
    assert {row["verdict"] for row in others} == {NOT_COMPARABLE}
