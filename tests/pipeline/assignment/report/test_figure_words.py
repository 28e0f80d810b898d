"""What a figure says in words agrees with the rows that it is drawn from."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

from pipeline.assignment import studies
from pipeline.assignment.report.figures import consumers_figure
from pipeline.assignment.report.figures.consumers_figure import LONGEST, _thin, consumers
from pipeline.report import numbers
from pipeline.report.drawing.figure import Figure
from tests.pipeline.assignment import recorded_case

pytestmark = pytest.mark.unit

LONG = 1_501
"""Iterations of which every fourth would be drawn, were they thinned evenly."""


def spiky() -> recorded_case.Rates:
    """A constant load with a single peak, and a single trough, off any even grid."""
    rates = np.full((LONG, 4), 50.0)
    rates[702], rates[1001] = 95.0, 20.0
    return rates


def drawn() -> tuple[Figure, dict[str, tuple[float, float, float]]]:
    results = recorded_case.of(spiky(), ("BFD", "kd_2"))
    rows = results["series"]
    facts = {
        str(name): (
            part["n_consumers"].mean(),
            part["n_consumers"].min(),
            part["n_consumers"].max(),
        )
        for name, part in rows.groupby("algorithm")
    }
    figure = consumers(results)
    assert isinstance(figure, Figure)
    return figure, facts


def test_figure_5_names_the_extremes_of_all_iterations() -> None:
    figure, facts = drawn()
    mean, least, greatest = facts["BFD"]
    assert (least, greatest) == (1, 4)
    assert (
        f"BFD uses {numbers.plain(mean)} consumers on average, between {least:g} and {greatest:g}"
        in figure.alt
    )


def test_figure_5_draws_the_extremes_of_all_iterations() -> None:
    results = recorded_case.of(spiky(), ("BFD", "kd_2"))
    study = studies.latency(results)
    assert study is not None
    (rows,) = consumers_figure._curves(results, study).values()
    kept = _thin(rows)
    assert len(kept) <= LONGEST + 1
    assert set(kept["iteration"]) >= {703, 1002, LONG}
    figure, _ = drawn()
    for drawing in (figure.wide, figure.narrow):
        points = [line for line in re.findall(r'points="([^"]*)"', drawing) if line.count(" ") > 9]
        levels = {point.split(",")[1] for line in points for point in line.split()}
        assert len(levels) == 3


def test_short_series_are_drawn_whole() -> None:
    columns = ("iteration", "n_consumers", "n_consumers_min", "n_consumers_max")
    rows = pd.DataFrame({name: np.arange(LONGEST) for name in columns})
    assert len(_thin(rows)) == LONGEST
