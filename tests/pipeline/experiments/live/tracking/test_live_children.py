"""What MLflow gets of a live run."""

from __future__ import annotations

import math

import pandas as pd
import pytest

from pipeline.experiments.live.tracking.live_children import tracked
from pipeline.reporting.tracking.content import PARENT_ID
from schemas.metrics import LIVE
from tests.pipeline.experiments.live import live_cases

pytestmark = pytest.mark.unit


def test_a_child_per_stream_and_strategy() -> None:
    run = tracked(live_cases.small(), "w")
    children = {child.name: child for child in run.children("parent")}
    assert set(children) == {
        f"brokered-d25-uniform-r000{replicate}/{name}"
        for replicate in (1, 2)
        for name in ("MWF", "kd_1")
    }
    moving = children["brokered-d25-uniform-r0001/MWF"]
    assert moving.tags[PARENT_ID] == "parent"
    assert moving.params["strategy"] == "MWF"
    assert moving.params["mode"] == "prompt"
    assert moving.metrics["live_p90"] == 0.05
    assert moving.metrics["live_moves"] == 1.0
    assert moving.metrics["predicted_b.p90"] == 0.025
    assert moving.metrics["agrees.consumers"] == 1.0
    assert moving.metrics["plans.decided_s"] == pytest.approx(0.01)
    assert children["brokered-d25-uniform-r0002/kd_1"].metrics["agrees.p99"] == 0.0
    for child in children.values():
        assert {item.tracked for item in LIVE} <= set(child.metrics)
        assert not any(math.isnan(value) for value in child.metrics.values())


def test_the_parent_says_how_much_agrees() -> None:
    parent = tracked(live_cases.small(), "w").parent
    agreeing = parent.metrics["figures.agreeing"]
    assert parent.metrics["figures"] == 20.0
    assert 0 < agreeing < 20
    assert f"{agreeing:g} of 20 figures agree" in str(parent.tags)
    assert parent.metrics["live_p90/brokered/kd_1"] == 2.5
    assert parent.params["brokered.strategies"] == "MWF,kd_1"
    assert parent.metrics["verdicts.reproduced"] == 2.0
    assert parent.metrics["verdicts.not_comparable"] == 3.0


def test_other_owners_are_a_metric_that_no_table_shows() -> None:
    rows = live_cases.small()["live_agreement"]
    one = rows[rows["quantity"] == "migrations"].assign(quantity="other_owners", measured=3.0)
    results = live_cases.small().with_tables(live_agreement=pd.concat([rows, one]))
    metrics = tracked(results, "w").parent.metrics
    assert metrics["live_other_owners/brokered/MWF"] == 3.0
    assert "live_other_owners/brokered/MWF" not in tracked(live_cases.small(), "w").parent.metrics
