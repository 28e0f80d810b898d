"""What page and terminal say of claims over seeds."""

from __future__ import annotations

import io
import json
from typing import Any

import pandas as pd
import pytest
from rich.console import Console

from live.live_settings import BURSTS
from pipeline.experiments.autoscaling.paper import claimed_figures
from pipeline.experiments.autoscaling.paper.open_settings import OpenSetting
from pipeline.experiments.autoscaling.sections import claims_section, scaling_page
from pipeline.experiments.autoscaling.sections.scaling_sections import written
from pipeline.experiments.autoscaling.tracking.strategy_runs import tracked
from pipeline.reporting.sections import published_figure, section_json, section_terminal
from pipeline.warehouse.runs.run_results import Results
from schemas.verdicts import REPRODUCED
from tests.pipeline.experiments.autoscaling import scaling_cases
from tests.pipeline.experiments.autoscaling.paper.claimed_runs import Values, compared, experiment

pytestmark = [pytest.mark.unit, pytest.mark.slow]

NAME = "diurnal-5"
"""An experiment of the results that claims are added to."""


def _by_phase(setting: OpenSetting, number: int) -> float:
    return 89.0 if setting.arrivals == BURSTS and setting.shift_s == 0.2 else 91.0


VALUES: Values = {
    "least_loaded_2": lambda setting, number: 91.0,
    "least_loaded_1": _by_phase,
    "linear+placement": lambda setting, number: 90.5,
}


def results() -> Results:
    """A small run, one of whose experiments has claims."""
    one = experiment().model_copy(update={"name": NAME})
    run = compared(one, "W1", VALUES)
    figures = published_figure.rows(claimed_figures.figures([(one, "W1")]), run)
    return scaling_cases.small().with_tables(
        claim_differences=run.claim_differences, published_figures=pd.DataFrame(figures)
    )


def rows(run: Results) -> dict[str, dict[str, Any]]:
    """Rows of the section's first table by name."""
    table = claims_section.claims(run, NAME).tables[0]
    return {row.name: dict(row.values) for row in table.rows}


def test_an_experiment_without_claims_has_no_section() -> None:
    assert not claims_section.claims(results(), "bursts-5").tables


def test_printed_claims_have_verdicts_and_others_their_sign() -> None:
    found = rows(results())
    share = "in time, %\u00a0points"
    assert found[f"Algorithm 2 − Linear: {share}"]["verdict"] == REPRODUCED
    assert found[f"count: Algorithm 2 − Linear, largest first: {share}"]["verdict"] == "above 0"
    placement = found[f"placement: Linear, largest first − range: {share}"]
    assert placement["difference"] == pytest.approx(0.5)
    assert found[f"Linear: sticky − range: {share}"]["verdict"] == "open"
    other = found[f"Algorithm 2 − Algorithm 1: {share}"]
    assert (other["bursts"], other["even"]) == ("0.00 to 2.00", "0.00")
    late = found["late events after a scaling, down − up: Algorithm 2: late events"]
    assert (late["difference"], late["verdict"]) == (2.0, "above 0")


def test_all_settings_are_shown() -> None:
    section = claims_section.claims(results(), NAME)
    tables = {table.folded: table for table in section.tables[1:]}
    assert set(tables) == {
        f"{name} under each setting" for name in claims_section.QUANTITIES.values()
    }
    shares = tables["in time, %\u00a0points under each setting"]
    assert len(shares.rows) == 52
    field = next(one for one in shares.fields if one.head == "Algorithm 2 − Algorithm 1")
    cells = {row.name: field.write(row.values).text for row in shares.rows}
    assert cells["decision 0.2 s after burst, exact keys, cooldown 10 s"] == "2.00"
    assert cells["even, hashed keys, cooldown 0 s"] == "0.00"


@pytest.mark.parametrize("width", [72, 80])
def test_a_terminal_has_the_verdicts_within_its_width(width: int) -> None:
    text = io.StringIO()
    Console(file=text, width=width).print(section_terminal.shown(written(results()), width))
    lines = text.getvalue().splitlines()
    assert max(map(len, lines)) <= width
    assert claims_section.TITLE in text.getvalue()
    assert "keep their sign over 30 seeds" in " ".join(text.getvalue().split())


def test_page_and_json_have_the_claims() -> None:
    run = results()
    page = scaling_page.build(run)
    assert claims_section.TITLE in page
    assert "decision 0.05 s after burst, hashed keys, cooldown 10 s" in page
    assert not pd.isna(json.loads(section_json.text(written(run)))["experiments"][0]["name"])


def test_mlflow_gets_the_differences() -> None:
    metrics = tracked(results()).parent.metrics
    own = {key: value for key, value in metrics.items() if key.startswith("claim/")}
    assert len(own) == len(rows(results()))
    assert any(value == pytest.approx(0.5) for value in own.values())
