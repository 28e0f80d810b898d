"""Figures of autoscaling show the numbers that they are given."""

from __future__ import annotations

import re
from itertools import pairwise
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from algorithms.autoscaling.strategy_list import COMPARED
from pipeline.experiments.autoscaling.sections import strategy_style
from pipeline.experiments.autoscaling.sections.figures import (
    over_time_figure,
    overview_figure,
    percentiles_figure,
    trade_off_figure,
)
from pipeline.experiments.autoscaling.sections.figures.service_scale import ServiceScale, served
from pipeline.experiments.autoscaling.sections.scaling_study import shown, studies
from pipeline.reporting.drawing import svg
from pipeline.reporting.drawing.figure import Figure
from pipeline.settings.load import resolve
from pipeline.settings.strategy_names import candidates_of
from tests.pipeline.experiments.autoscaling.sections import report_inputs

pytestmark = pytest.mark.unit

SVG = "{http://www.w3.org/2000/svg}"


def figure(drawn: Figure | None) -> Figure:
    assert isinstance(drawn, Figure)
    return drawn


@given(values=st.lists(st.floats(0.0, 100.0), min_size=1, max_size=12))
def test_better_service_is_never_drawn_lower(values: list[float]) -> None:
    scale = ServiceScale.of(values, bottom=300.0, top=20.0)
    pixels = [scale(value) for value in sorted(values)]
    assert all(after <= before + 1e-9 for before, after in pairwise(pixels))
    assert min(pixels) >= 20.0 - 1e-9
    assert max(pixels) <= 300.0 + 1e-9
    assert scale(0.0) == pytest.approx(300.0)


def test_the_upper_end_is_100_only_where_a_value_is() -> None:
    full = ServiceScale.of([100.0, 99.5], 300.0, 20.0)
    assert full(100.0) == pytest.approx(20.0)
    assert full.ticks()[0][1] == "100"
    partly = ServiceScale.of([90.0, 99.5], 300.0, 20.0)
    assert partly.ticks()[0][1] == "99.9"
    assert [words for _, words in partly.ticks()][-1] == "0"


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (100.0, "100 %"),
        (99.99, "99.990 %"),
        (98.96, "98.96 %"),
        (55.55, "55.5 %"),
        (float("nan"), "–"),
    ],
)
def test_service_is_written_so_that_it_differs_from_100(value: float, words: str) -> None:
    assert served(value).replace("\u00a0", " ") == words


def test_every_candidate_has_a_mark_with_its_name_and_values() -> None:
    results = report_inputs.both()
    (calm, *_) = studies(results)
    drawing = figure(trade_off_figure.trade_off(results, calm, 1)).wide
    tips = re.findall(r"<title>([^<]*)</title>", drawing)
    assert len(tips) == len(calm.rows)
    assert any(
        tip.replace("\u00a0", " ")
        == "headroom:h=2: 99.90 % within the SLA; 30.30 replica-minutes (30.00 to 30.60)"
        for tip in tips
    )
    assert "bars are 95 % intervals" in figure(trade_off_figure.trade_off(results, calm, 1)).caption


def test_front_passes_through_its_candidates() -> None:
    """Stairs: at each cost, the best service that is to be had for it."""
    results = report_inputs.both()
    (calm, *_) = studies(results)
    root = ElementTree.fromstring(figure(trade_off_figure.trade_off(results, calm, 1)).wide)
    (line,) = (e for e in root.iter(f"{SVG}polyline") if e.get("class") == "front")
    corners = [tuple(map(float, pair.split(","))) for pair in str(line.get("points")).split()]
    assert all(x1 <= x2 and y1 >= y2 for (x1, y1), (x2, y2) in pairwise(corners))
    marks = {
        str(e[0].text).split(": ")[0]: (float(e.get("cx", 0)), float(e.get("cy", 0)))
        for e in root.iter(f"{SVG}circle")
        if len(e)
    }
    on_it = ("constant:initial_replicas=4", "headroom", "headroom:h=2")
    for left, top in map(marks.__getitem__, on_it):
        assert any(abs(x - left) < 0.2 and abs(y - top) < 0.2 for x, y in corners)
    # Five candidates and the edge; keda_hpa is dominated, and overprovision knows the rates.
    assert len({x for x, _ in corners}) == 6


def test_replicas_over_time_are_those_of_the_trajectory() -> None:
    """The drawn stairs, read back through the axis, alternate between 1 and 3 every ten steps."""
    results = report_inputs.results({"calm": {"headroom": report_inputs.Served(90.0, 5.0)}})
    (calm,) = studies(results)
    root = ElementTree.fromstring(figure(over_time_figure.over_time(results, calm, 1)).wide)
    (line,) = (e for e in root.iter(f"{SVG}path") if str(e.get("class")).startswith("line"))
    moves = re.findall(r"([MHV])([\d.]+)(?: ([\d.]+))?", str(line.get("d")))
    heights = [float(value) for move, value, _ in moves if move == "V"]
    assert len(heights) == 3
    ticks = {
        str(e.text): float(e.get("y", 0)) - 4
        for e in root.iter(f"{SVG}text")
        if e.get("class") == "tick" and e.get("text-anchor") == "end"
    }
    one = ticks["2"] - ticks["3"]
    expected = [ticks["3"], ticks["2"] + one, ticks["3"]]
    assert heights == pytest.approx(expected, abs=0.2)
    widths = [float(value) for move, value, _ in moves if move == "H"]
    assert np.diff(widths) == pytest.approx(np.diff(widths)[0], abs=0.2)


def test_a_recording_with_a_clock_shows_it() -> None:
    results = report_inputs.results({"calm": report_inputs.CALM})
    (calm,) = studies(results)
    streams = results["streams"].assign(started_at=pd.Timestamp("2026-03-02 08:30"))
    timed = results.with_tables(streams=streams)
    drawn = figure(over_time_figure.over_time(timed, calm, 1)).wide
    assert ">time, UTC<" in drawn
    assert re.search(r">08:3\d(:\d\d)?<", drawn)
    assert ">minutes<" not in drawn
    none = results.with_tables(streams=streams.assign(started_at=pd.NaT))
    assert ">minutes<" in figure(over_time_figure.over_time(none, calm, 1)).wide


def test_steps_that_are_not_recorded_are_not_drawn() -> None:
    results = report_inputs.results({"calm": report_inputs.CALM}, steps=False)
    (calm,) = studies(results)
    assert over_time_figure.over_time(results, calm, 1) is None


def test_percentiles_are_medians_and_may_be_endless() -> None:
    results = report_inputs.both()
    (calm, *_) = studies(results)
    plain = figure(percentiles_figure.percentiles(results, calm, 1))
    # headroom serves 99.5 %: 0.01 s · 1.5 in the first replicate, twice that in the second.
    assert "headroom: 50 % 0.030\u00a0s, 90 % 0.120\u00a0s" in plain.alt
    assert "∞" not in plain.wide
    endless = results["simulations"].assign(max=np.inf)
    drawn = figure(
        percentiles_figure.percentiles(results.with_tables(simulations=endless), calm, 1)
    )
    assert ">∞</text>" in drawn.wide
    assert "max unbounded" in drawn.alt
    none = results.with_tables(simulations=results["simulations"].assign(p50=np.nan))
    assert percentiles_figure.percentiles(none, calm, 1) is None


def test_overview_marks_the_answer_and_keda_in_each_experiment() -> None:
    every = studies(report_inputs.both())
    drawn = overview_figure.overview(every, "headroom:h=2", 1)
    titles = re.findall(r"<title>([^<]*)</title>", drawn.wide)
    for label in ("headroom:h=2", "keda_hpa"):
        assert len([title for title in titles if title.startswith(f"{label}: ")]) == len(every)
    assert drawn.wide.count('class="dot f-grey"') == sum(len(study.rows) for study in every)
    for study in every:
        assert f"{study.name}: keda_hpa serves" in drawn.alt


def test_looks_tell_compared_strategies_apart() -> None:
    looks = [strategy_style.look(name) for name in COMPARED]
    assert len(set(looks)) == len(looks)
    # Without colour as well: mark, filling, style and weight.
    assert len({look._replace(colour="") for look in looks}) == len(looks)


def test_looks_tell_all_strategies_of_the_preset_apart() -> None:
    for experiment in resolve("autoscaling", None, [], []).autoscaling:
        names = {each.strategy for each in candidates_of(experiment.strategies)}
        assert len({strategy_style.look(name) for name in names}) == len(names)


def test_a_name_has_the_value_of_its_first_parameter() -> None:
    results = report_inputs.both()
    names = {strategy_style.short(row) for study in studies(results) for row in shown(study)}
    assert {"constant 4", "headroom", "headroom 2", "keda_hpa"} <= names


def test_stairs_draw_the_same_corners_as_a_line() -> None:
    points = [(0.0, 5.0), (10.0, 5.0), (10.0, 2.5), (20.04, 2.5)]
    assert svg.stairs(points, "line") == '<path d="M0 5H10V2.5H20" class="line"/>'
    assert svg.stairs(points, "area", closed=True).startswith('<path d="M0 5H10V2.5H20Z"')
