"""The claim that nothing is lost is judged over many scalings and records alone."""

from __future__ import annotations

import pandas as pd
import pytest

from pipeline.experiments.brokers import published
from pipeline.experiments.brokers.published import figures, says
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


def test_figures_of_a_hundred_scalings() -> None:
    experiment = BrokerExperiment(name="elastic", scalings=100)
    rows = tiny_brokers.rows("run")
    runs = pd.DataFrame(rows["broker_runs"]).assign(acknowledged=MILLION)
    results = Results(
        {"broker_runs": runs, "broker_scalings": pd.DataFrame(rows["broker_scalings"])}
    )
    loss, moves = published_figure.rows(figures([experiment]), results)
    assert (loss["verdict"], loss["ours"]) == ("reproduced", "0 of 2,000,000 records lost")
    assert "plain producers: 2 repeated" in str(loss["note"])
    assert moves["verdict"] == "by construction"
    assert not list(figures([BrokerExperiment(name="few", scalings=99)]))
