"""Fronts over weights: a point per weight, and areas by hand."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from pipeline.experiments.learning.results import weight_fronts
from pipeline.settings.load import resolve
from tests.pipeline.experiments.learning.results.test_group_scoring import row

pytestmark = pytest.mark.unit

SETS = ["rules=linear", "variants=action=delta:weight=1,weight=10:action=delta,action=target"]
(ONE,) = resolve("learning-groups-smoke", None, SETS, []).learning


def fronts() -> dict[Any, Any]:
    """Rows by split, policy and variant; 5 replicas cost 600 replica-seconds in a block."""
    points = [
        *(("clairvoyant", f"weight={w}", 0, 120.0, 0.0) for w in (1, 5, 10)),
        ("linear", "", 0, 300.0, 100.0),
        ("dqn", "action=delta:weight=1", 1, 150.0, 100.0),
        ("dqn", "weight=10:action=delta", 1, 300.0, 0.0),
        ("dqn", "action=delta:weight=1", 2, 150.0, 100.0),
        ("dqn", "weight=10:action=delta", 2, 600.0, 0.0),
        ("dqn", "action=target", 1, 600.0, 0.0),
        ("dqn", "action=target", 2, 300.0, 100.0),
    ]
    rows = [
        row(policy, text, seed, "test", paid, late) for policy, text, seed, paid, late in points
    ]
    rows += [{**one, "trace": "ramp", "split": "trace"} for one in rows]
    rows += [
        {**one, "part": "validation"} for one in rows if one["seed"] == 0 and one["split"] == "time"
    ]
    front_rows = weight_fronts.rows(ONE, pd.DataFrame(rows), 7)
    return {(one["split"], one["policy"], one["variant"]): one for one in front_rows}


def test_variants_that_differ_in_their_weight_are_one_front() -> None:
    points = {key[1:]: one["points"] for key, one in fronts().items() if key[0] == "all"}
    assert points == {
        ("dqn", "action=delta"): 2,
        ("dqn", "action=target"): 1,
        ("linear", ""): 3,
        ("clairvoyant", ""): 3,
    }
    assert weight_fronts.without_weight("weight=5") == "base"


def test_areas_by_hand() -> None:
    table = fronts()
    # 100 of 1,000 events are half of the 20 % that count as 1.
    assert table["all", "linear", ""]["hypervolume"] == pytest.approx(0.5 * 0.5)
    assert table["time", "clairvoyant", ""]["hypervolume"] == pytest.approx(0.8)
    # Points (0.25, 0.5) and (0.5, 0) of seed 1; (0.25, 0.5) and (1, 0) of seed 2.
    agent = table["all", "dqn", "action=delta"]
    assert agent["hypervolume"] == pytest.approx((0.375 + 0.25 + 0.375) / 2)
    assert (agent["seeds"], agent["traces"], table["time", "dqn", "action=delta"]["traces"]) == (
        2,
        2,
        1,
    )
    assert agent["hypervolume_low"] < agent["hypervolume"] < agent["hypervolume_high"]
