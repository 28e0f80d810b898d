"""Published differences and paired repeats."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pipeline.experiments.live.paper.group_differences import differences
from pipeline.experiments.live.paper.repeated_rows import Workload
from pipeline.reporting.sections.ezzeddine_figures import FIRST, LINEAR, SECOND
from schemas.verdicts import NOT_COMPARABLE, NOT_REPRODUCED, OPEN, REPRODUCED
from tests.pipeline.experiments.live.paper.asked_runs import experiment, judged, results

pytestmark = pytest.mark.unit

SHAPE = Workload("W1", False)
LINEAR_SLA = (90.0, 80.0, 95.0, 85.0, 91.0)


def against_linear(gains: tuple[float, ...], **changes: Any) -> dict[str, Any]:
    """The difference of shares in time, Algorithm 2 having so much more than Linear."""
    one = experiment(**changes)
    linear = LINEAR_SLA[: len(gains)]
    ours = tuple(low + gain for low, gain in zip(linear, gains, strict=True))
    minutes = {"replica_minutes": (30.0,) * len(gains)}
    run = results(
        (one, SECOND, {"sla_percent": ours, **minutes}),
        (one, LINEAR, {"sla_percent": linear, **minutes}),
    )
    figures = judged(differences([(one, SHAPE)]), run)
    return figures[f"{one.name}: Algorithm 2 − Linear: sla_percent"]


@pytest.mark.parametrize(
    ("gains", "verdict"),
    [
        ((1.0, 1.5, 0.5, 2.0, 1.0), REPRODUCED),
        ((-1.0, -1.5, -0.5, -2.0, -1.0), NOT_REPRODUCED),
        ((1.0, -1.5, 0.5, 2.0, -1.0), OPEN),
        ((0.0,) * 5, OPEN),
    ],
)
def test_the_sign_is_judged_by_the_interval_of_paired_repeats(
    gains: tuple[float, ...], verdict: str
) -> None:
    """Repeats differ by 15 percentage points, which pairing takes out."""
    row = against_linear(gains)
    assert row["verdict"] == verdict
    assert row["our_value"] == pytest.approx(np.mean(gains))
    assert row["low"] <= row["our_value"] <= row["high"]
    assert row["published_value"] == pytest.approx(97.4 - 94.7)
    assert row["published"] == "2.7 (97.4 and 94.7)"
    assert "5 paired repeats" in row["note"]


def test_one_repeat_has_no_verdict() -> None:
    row = against_linear((3.0,), replicates=1)
    assert row["verdict"] == NOT_COMPARABLE
    assert "one repeat" in row["note"]
    assert row["our_value"] == pytest.approx(3.0)


def test_strategies_with_unequal_repeats_are_not_paired() -> None:
    one = experiment()
    run = results(
        (one, SECOND, {"sla_percent": (97.0,) * 5, "replica_minutes": (1.0,) * 5}),
        (one, LINEAR, {"sla_percent": (90.0,) * 4, "replica_minutes": (1.0,) * 4}),
    )
    rows = judged(differences([(one, SHAPE)]), run)
    assert {row["verdict"] for row in rows.values()} == {NOT_COMPARABLE}


def test_heartbeats_are_compared_between_two_experiments() -> None:
    later, sooner = experiment(), experiment("equal-5-sooner")
    values = {"replica_minutes": (30.0,) * 5}
    run = results(
        (later, SECOND, {"sla_percent": (97.0, 96.0, 97.5, 97.0, 97.1), **values}),
        (sooner, SECOND, {"sla_percent": (98.0, 97.0, 98.5, 98.1, 98.0), **values}),
    )
    rows = judged(differences([(later, SHAPE), (sooner, SHAPE)]), run)
    (key,) = [key for key in rows if "heartbeat" in key]
    assert key == "equal-5-sooner: heartbeat 0.5 − 3\u00a0s: sla_percent"
    assert rows[key]["verdict"] == REPRODUCED
    assert rows[key]["published"] == "0.7 (98.1 and 97.4)"


def test_both_algorithms_are_compared_at_each_time_of_a_rebalance() -> None:
    experiments = [experiment(f"equal-5-revoke-{seconds}") for seconds in ("500ms", "2000ms")]
    figures = list(differences([(one, SHAPE) for one in experiments]))
    assert [figure.value.text for figure in figures] == [
        *("8.1 (98.2 and 90.1)", "0.76 (34.61 and 33.85)"),
        *("13.8 (99.4 and 85.6 (85.4 in the section before))", "10.54 (44.7 and 34.16)"),
    ]
    assert {figure.strategy for figure in figures} == {f"{SECOND} − {FIRST}"}
