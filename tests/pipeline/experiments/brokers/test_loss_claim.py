"""The claim that nothing is lost is judged over many scalings and records alone."""

from __future__ import annotations

import pandas as pd
import pytest

from pipeline.experiments.brokers import published
from pipeline.experiments.brokers.published import fewer, figures, says
from pipeline.reporting.sections import published_figure
from pipeline.settings.broker_experiment import BrokerExperiment
from pipeline.warehouse.runs.run_results import Results
from tests.schemas import tiny_brokers

pytestmark = pytest.mark.unit

MILLION = published.FEWEST_RECORDS


@pytest.mark.parametrize(
    ("lost", "acknowledged", "is_drained", "verdict"),
    [
        (0, MILLION, True, "reproduced"),
        (0, MILLION - 1, True, "open"),
        (1, MILLION, True, "not reproduced"),
        (1, 10, True, "not reproduced"),
        # It may have been on the way.
        (1, MILLION, False, "open"),
    ],
)
def test_verdicts(lost: int, acknowledged: int, is_drained: bool, verdict: str) -> None:
    assert says(lost, acknowledged, is_drained) == verdict


def run_of(*names: str, acknowledged: int = MILLION) -> Results:
    """Results of experiments like that of the tiny run."""
    rows = tiny_brokers.rows("run")
    tables = {}
    for table in ("broker_runs", "broker_scalings"):
        own = pd.DataFrame(rows[table])
        tables[table] = pd.concat([own.assign(experiment=name) for name in names])
    tables["broker_runs"] = tables["broker_runs"].assign(acknowledged=acknowledged)
    return Results(tables)


def test_figures_of_a_hundred_scalings() -> None:
    experiment = BrokerExperiment(name="elastic", scalings=100)
    loss, moves = published_figure.rows(figures([experiment]), run_of("elastic"))
    assert (loss["verdict"], loss["ours"]) == ("reproduced", "0 of 2,000,000 records lost")
    assert "plain producers: 2 repeated" in str(loss["note"])
    assert moves["verdict"] == "by construction"
    assert not list(figures([BrokerExperiment(name="few", scalings=99)]))


def test_loss_is_judged_over_all_experiments() -> None:
    every = [BrokerExperiment(name=name, scalings=50) for name in ("one", "two")]
    loss, *moves = published_figure.rows(figures(every), run_of("one", "two", "another"))
    assert (loss["candidate"], loss["ours"]) == ("all experiments", "0 of 4,000,000 records lost")
    assert "plain producers: 4 repeated" in str(loss["note"])
    assert [row["candidate"] for row in moves] == ["one", "two"]


@pytest.mark.parametrize(
    ("differences", "verdict"),
    [
        ([-3.0, -4.0, -5.0], "reproduced"),
        ([3.0, 4.0, 5.0], "not reproduced"),
        ([-3.0, 4.0, -5.0], "open"),
        # One pair has no interval.
        ([-3.0], "open"),
    ],
)
def test_verdicts_on_fewer_moves(differences: list[float], verdict: str) -> None:
    assert fewer(differences)[0] == verdict


def test_plans_are_paired_by_scaling_at_the_same_replication() -> None:
    turns, generated, other = (
        BrokerExperiment(name=name, scalings=100, planner=planner, replication=replication)
        for name, planner, replication in (
            ("turns", "turns", 1),
            ("generated", "generated", 1),
            ("other", "turns", 2),
        )
    )
    run = run_of("turns", "generated", "other")
    is_kafkas = run["broker_scalings"]["experiment"] == "generated"
    run["broker_scalings"].loc[is_kafkas, "moves"] = [40, 41, 45]
    rows = list(published_figure.rows(figures([turns, generated, other]), run))
    assert [row["figure_key"] for row in rows] == ["loss", "turns: fewer moves"]
    assert rows[1]["verdict"] == "reproduced"
    assert rows[1]["ours"] == "12.0 replicas a scaling, and 42.0 by Kafka's tool"
    assert rows[1]["our_value"] == -30.0
    assert rows[1]["note"] == "3 pairs of scalings of the same brokers"


def test_means_of_plans_are_those_of_the_pairs() -> None:
    """Experiments with different faults can have scalings that the other one lacks."""
    turns, generated = (
        BrokerExperiment(name=name, scalings=100, planner=name, replication=1)
        for name in ("turns", "generated")
    )
    run = run_of("turns", "generated")
    scalings = run["broker_scalings"]
    scalings.loc[scalings["experiment"] == "generated", "moves"] = [40, 41, 45]
    is_alone = (scalings["experiment"] == "generated") & (scalings["scaling"] == 3)
    scalings.loc[is_alone, "broker"] = 7
    _, row = published_figure.rows(figures([turns, generated]), run)
    assert row["ours"] == "12.0 replicas a scaling, and 40.5 by Kafka's tool"
    assert (row["our_value"], row["note"]) == (-28.5, "2 pairs of scalings of the same brokers")
