"""A run's simulations are found by workload, split and strategy, and by nothing else."""

from __future__ import annotations

import pytest

from pipeline.experiments.autoscaling.published import FIGURES
from pipeline.reporting.sections.published_figure import Row
from schemas.verdicts import EXACT, NOT_COMPARABLE, NOT_REPRODUCED
from tests.pipeline.experiments.autoscaling.paper.published_rows import of_run
from tests.pipeline.experiments.autoscaling.paper.published_runs import LINEAR, config, figures

pytestmark = pytest.mark.unit


def ours(simulations: list[Row], *experiments: str) -> dict[str, Row]:
    """Comparisons that have a value, by key."""
    rows = of_run(config(*experiments), simulations)
    assert all(row["note"] == "not run" for row in rows if row["ours"] == "–")
    return {row["figure_key"]: row for row in rows if row["ours"] != "–"}


def test_a_simulation_is_compared_with_every_figure_of_its_kind() -> None:
    row = figures("W1-equal-5", LINEAR, replica_minutes=25.517, n_up=6, n_down=7, sla_percent=99.3)
    by_key = ours([row], "W1-equal-5", "W1-skew-9")
    place = f"Table 2: W1, equal 5: {LINEAR}"
    assert {
        key: (row["published"], row["ours"], row["verdict"]) for key, row in by_key.items()
    } == {
        f"{place}: sla_percent": ("94.7", "99.300", NOT_COMPARABLE),
        f"{place}: replica_minutes": ("25.5", "25.517", EXACT),
        f"{place}: n_up": ("6", "6", EXACT),
        f"{place}: n_down": ("6", "7", NOT_REPRODUCED),
    }


def test_the_same_strategy_on_another_split_is_another_figure() -> None:
    row = figures("W1-skew-9", LINEAR, replica_minutes=25.517)
    by_key = ours([row], "W1-equal-5", "W1-skew-9")
    assert {row["its_workload"] for row in by_key.values()} == {"W1, skew 9"}
    assert [row["verdict"] for row in by_key.values() if row["figure"] == "replica-minutes"] == [
        EXACT
    ]


def test_the_cut_workload_is_not_the_whole_one() -> None:
    """Both have the same file, split and strategy."""
    optimal = "optimal:rebalance_s=0.0"
    rows = [
        figures("W2-equal-5", optimal, replica_minutes=414.183),
        figures("W2-equal-5-cut", optimal, replica_minutes=414.117),
    ]
    by_key = ours(rows, "W2-equal-5", "W2-equal-5-cut")
    minutes = {
        row["its_workload"]: row for row in by_key.values() if row["figure"] == "replica-minutes"
    }
    whole, cut = minutes["W2, equal 5"], minutes["W2, equal 5, last sample cut"]
    assert (whole["ours"], whole["verdict"], whole["difference"]) == (
        "414.183",
        NOT_COMPARABLE,
        "+",
    )
    assert (cut["ours"], cut["verdict"], cut["difference"]) == ("414.117", EXACT, "=")


@pytest.mark.parametrize("changed", [{"mu": 100.0}, {"rebalance_s": 0.1}, {"wsla_s": 0.4}])
def test_another_group_has_no_published_figures(changed: dict[str, float]) -> None:
    row = figures("W1-equal-5", LINEAR, replica_minutes=25.517)
    assert of_run(config("W1-equal-5"), [row])
    assert of_run(config("W1-equal-5", **changed), [row]) == []


def test_only_workloads_of_the_run_have_figures() -> None:
    """All of a workload's, in the paper's order, whether simulated or not."""
    chosen = {name: [f for f in FIGURES if f.workload.startswith(name)] for name in ("W1", "W2")}
    for names, expected in (
        (["W1-skew-9"], chosen["W1"]),
        (["W2-skew-9", "W1-equal-5"], [*chosen["W1"], *chosen["W2"]]),
    ):
        rows = of_run(config(*names), [])
        assert [(row["location"], row["published"]) for row in rows] == [
            (figure.place, figure.value.text) for figure in expected
        ]
    run = config("W1-skew-9")
    foreign = tuple(trace.model_copy(update={"digest": "0" * 64}) for trace in run.traces)
    assert of_run(run.model_copy(update={"traces": foreign}), []) == []
