"""Scores of agents on groups: parameters chosen on validation, regrets by hand."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from pipeline.experiments.learning.results import group_scoring
from pipeline.settings.load import resolve

pytestmark = pytest.mark.unit

(ONE,) = resolve(
    "learning-groups-smoke", None, ["rules=linear,ds2", "variants=action=delta", "weight=10"], []
).learning


def row(policy: str, parameters: str, seed: int, part: str, paid: float, late: float = 0.0) -> Any:
    """A part of two blocks with so many replica-seconds each, and late events in the last one."""
    return {
        "policy": policy,
        "parameters": parameters,
        "seed": seed,
        "trace": "bursts-1",
        "part": part,
        "split": "time",
        "seconds": 240,
        "events": 1000.0,
        "replica_minutes": paid / 30.0,
        "late": late,
        "block_paid_s": [paid, paid],
        "block_late": [0.0, late / 2.0],
    }


def scores(test_costs: tuple[float, float] = (300.0, 900.0)) -> dict[Any, Any]:
    rows = [
        row("clairvoyant", "weight=10", 0, "validation", 100.0),
        row("clairvoyant", "weight=10", 0, "test", 100.0),
        row("linear", "", 0, "validation", 120.0),
        row("linear", "f_down=0.2", 0, "validation", 110.0),
        row("linear", "", 0, "test", 100.0),
        row("linear", "f_down=0.2", 0, "test", 200.0, late=1.0),
        row("ds2", "", 0, "validation", 300.0),
        row("ds2", "", 0, "test", 100.0),
        *(row("dqn", "action=delta", k + 1, "test", paid) for k, paid in enumerate(test_costs)),
    ]
    unseen = [{**one, "trace": "ramp", "split": "trace"} for one in rows if one["part"] == "test"]
    score_rows = group_scoring.rows(ONE, pd.DataFrame([*rows, *unseen]), 7)
    return {(one["split"], one["policy"]): one for one in score_rows}


def test_parameters_and_reference_are_chosen_on_validation() -> None:
    linear = scores()["all", "linear"]
    # Its defaults are better on the test part, and so is ds2.
    assert linear["parameters"] == "f_down=0.2"
    assert {one["reference"] for one in scores().values()} == {"linear"}


def test_weights_that_differ_in_the_seventh_digit_have_plans_of_their_own() -> None:
    """The agents' replicas are twice, and four times, those of the plan at their weight."""
    weights = (0.1234567, 0.1234568)
    variants = ",".join(f"weight={weight}" for weight in weights)
    (one,) = resolve(
        "learning-groups-smoke", None, ["rules=linear", f"variants={variants}"], []
    ).learning
    rows = [
        row("clairvoyant", "weight=0.1234567", 0, "test", 200.0),
        row("clairvoyant", "weight=0.1234568", 0, "test", 100.0),
        row("linear", "", 0, "test", 400.0),
        *(row("dqn", f"weight={weight}", 1, "test", 400.0) for weight in weights),
    ]
    rows += [{**each, "part": "validation"} for each in rows]
    rows += [{**each, "trace": "ramp", "split": "trace"} for each in rows]
    by_weight = {
        each["weight"]: each["regret"]
        for each in group_scoring.rows(one, pd.DataFrame(rows), 7)
        if (each["policy"], each["split"]) == ("dqn", "all")
    }
    assert by_weight == pytest.approx({weights[0]: 1.0, weights[1]: 3.0})


def test_regrets_by_hand() -> None:
    table = scores()
    # 400 replica-seconds of 5 partitions and one late event at 10 per 100, against 200.
    assert table["all", "linear"]["regret"] == pytest.approx((400 / 5 + 0.1) / (200 / 5) - 1.0)
    assert table["all", "clairvoyant"]["regret"] == 0.0
    agent = table["all", "dqn"]
    assert (agent["best"], agent["regret"], agent["worst"]) == pytest.approx((2.0, 5.0, 8.0))
    assert (agent["seeds"], agent["traces"], table["time", "dqn"]["traces"]) == (2, 2, 1)
    assert (agent["replicas"], table["all", "linear"]["late_percent"]) == pytest.approx((5.0, 0.1))


def test_every_number_of_replicas_is_scored_beside_the_chosen_one() -> None:
    (one,) = resolve(
        "learning-groups-smoke", None, ["rules=constant", "variants=action=delta", "weight=10"], []
    ).learning
    rows = [
        row("clairvoyant", "weight=10", 0, "validation", 100.0),
        row("clairvoyant", "weight=10", 0, "test", 100.0),
        row("constant", "", 0, "validation", 120.0),
        row("constant", "initial_replicas=5", 0, "validation", 600.0),
        row("constant", "", 0, "test", 900.0),
        row("constant", "initial_replicas=3", 0, "test", 360.0),
        row("constant", "initial_replicas=5", 0, "test", 600.0),
        row("dqn", "action=delta", 1, "test", 300.0),
    ]
    rows += [{**each, "trace": "ramp", "split": "trace"} for each in rows if each["part"] == "test"]
    score_rows = list(group_scoring.rows(one, pd.DataFrame(rows), 7))
    constants = {
        each["parameters"]: each["chosen"]
        for each in score_rows
        if each["policy"] == "constant" and each["split"] == "all"
    }
    assert constants == {"": True, "initial_replicas=3": False, "initial_replicas=5": False}
    assert all(each["chosen"] for each in score_rows if each["policy"] != "constant")
    # The reference is what was chosen, even if another number is better on the test parts.
    (chosen,) = (
        each["regret"]
        for each in score_rows
        if (each["policy"], each["parameters"], each["split"]) == ("constant", "", "all")
    )
    assert chosen == pytest.approx(900 / 100 - 1.0)


def test_the_share_counts_seeds_that_cost_at_most_as_much_as_the_reference() -> None:
    assert scores()["all", "dqn"]["share"] == 0.0
    score = scores((200.0, 201.0))["all", "dqn"]
    assert (score["share"], score["seeds"]) == (0.5, 2)
    assert score["share_low"] < 0.5 < score["share_high"]
    assert scores()["all", "linear"]["share"] is None
