"""What a figure says in words agrees with the rows that it is drawn from."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from functools import cache, partial

import numpy as np
import pandas as pd
import pytest

from algorithms.scores.latency_model import HISTOGRAM_EDGES
from pipeline.experiments.assignment.results import studies
from pipeline.experiments.assignment.sections.figures import consumers_figure, draw_all
from pipeline.experiments.assignment.sections.figures.attainment_figure import WORDS
from pipeline.experiments.assignment.sections.figures.consumers_figure import (
    LONGEST,
    _thin,
    consumers,
)
from pipeline.experiments.assignment.sections.figures.critical_difference_figure import METRICS
from pipeline.experiments.assignment.sections.figures.latency_parts import P90, SHARE
from pipeline.experiments.assignment.sections.figures.scores_by_delta_figures import ZOOM
from pipeline.reporting.drawing.figure import Figure
from pipeline.reporting.sections import numbers
from pipeline.warehouse.runs.run_results import Results
from tests.pipeline.experiments.assignment import recorded_case, report_cases

pytestmark = [pytest.mark.unit, pytest.mark.slow]

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
    figure = consumers(results, 5)
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
    (rows,) = consumers_figure._curves(results, study, ["BFD"]).values()
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


def test_figure_5_says_the_same_of_spans_and_of_iterations() -> None:
    """Rows as `sums_over_streams.series` makes them of long series, the last span shorter."""
    results = recorded_case.of(spiky(), ("BFD", "kd_2"))
    rows = results["series"]
    spans = rows.groupby(
        ["experiment", "delta", "algorithm", (rows["iteration"] - 1) // 4], dropna=False
    )
    columns = {"iteration": "min", "n_consumers": "mean", "n_consumers_min": "min"}
    columns |= {"n_consumers_max": "max", "rscore": "mean", "n_rows": "sum"}
    thinned = spans.agg(columns).reset_index(level=[0, 1, 2]).reset_index(drop=True)
    assert thinned["n_rows"].iloc[-1] == 1
    figure = consumers(results.with_tables(series=thinned), 5)
    assert isinstance(figure, Figure)
    assert figure.alt == drawn()[0].alt
    assert "means over 4 iterations; the band spans their minimum and maximum" in figure.caption
    assert "means over" not in drawn()[0].caption


def run() -> Results:
    """A run like the paper's, with an odd number of replicates, so that medians are observed."""
    return report_cases.paper(5)


@cache
def of_paper() -> dict[str, str]:
    """Descriptions of all figures of a run like the paper's, by name."""
    figures = draw_all(run())
    return {one.name: one.alt for one in figures if isinstance(one, Figure)}


Facts = Iterator[str]


def consumers_words() -> Facts:
    rows = run().at("latency")["series"]
    for name in ("MWF",):
        part = rows[rows["algorithm"] == name]
        mean = numbers.plain(np.average(part["n_consumers"], weights=part["n_rows"]))
        least, greatest = part["n_consumers_min"].min(), part["n_consumers_max"].max()
        yield f"{name} uses {mean} consumers on average, between {least:g} and {greatest:g}"


def tail_words() -> Facts:
    """Counts of the bins above a latency, over all streams."""
    here = run().at("latency")
    samples = here["latency"].groupby("algorithm")["n_samples"].sum()
    counts = here["histograms"].set_index("algorithm")["histogram"]
    for name in ("MWF", "kd_15"):
        shares = [
            numbers.percent(
                counts[name][HISTOGRAM_EDGES[:-1] >= 0.999 * limit].sum() / samples[name], 2
            )
            for limit in (0.1, 10.0)
        ]
        yield f"under {name}, {shares[0]} of the data waits longer than 0.1 s, {shares[1]} longer"


def latency_words(value: Callable[[pd.DataFrame], str]) -> Facts:
    rows = run().at("latency")["latency"]
    for name in ("MWF", "kd_15", "kd_24", "kd_27", "kd_30"):
        part = rows[rows["algorithm"] == name]
        mean = numbers.plain(part["mean_consumers"].mean())
        yield f"{name} with {mean} consumers: {value(part)}"


def p90_words() -> Facts:
    return latency_words(lambda rows: P90.value(float(np.median(rows["p90"].fillna(0.0)))))


def share_words() -> Facts:
    """Of all samples, not the median over streams."""
    return latency_words(
        lambda rows: SHARE.value(float(rows["n_positive"].sum() / rows["n_samples"].sum()))
    )


def score_words(column: str, scale: float, only: Collection[str] = ()) -> Facts:
    """Means over all streams, ascending, at the least and the greatest δ."""
    rows = run().at("tradeoff")["scores"]
    for delta in (rows["delta"].min(), rows["delta"].max()):
        means = rows[rows["delta"] == delta].groupby("algorithm", sort=True)[column].mean()
        ordered = means.sort_values(kind="stable")
        listed = [f"{n} {numbers.plain(v * scale)}" for n, v in ordered.items()
                  if not only or n in only]  # fmt: skip
        yield f"At δ = {delta:g}, in ascending order: {numbers.listing(listed)}."


def front_words() -> Facts:
    """Algorithms that no other one beats in both means."""
    rows = run().at("tradeoff")["scores"]
    means = rows.groupby(["delta", "algorithm"])[["cbs", "mean_rscore"]].mean()
    for delta in sorted(set(rows["delta"]) - {0.0}):
        there = means.loc[delta].sort_values("cbs")
        front = [
            f"{name} ({numbers.percent(one.cbs)} more consumers than the minimum, Rscore "
            f"{numbers.plain(one.mean_rscore)})"
            for name, one in there.iterrows()
            if not ((there <= one).all(axis=1) & (there < one).any(axis=1)).any()
        ]
        where = f"At δ = {delta:g}, on the front, from fewest consumers to least data moved: "
        yield f"{where}{numbers.listing(front)}."


def attainment_words() -> Facts:
    rows = run().at("tradeoff")["indicators"]
    for row in rows[rows["front"].isin(WORDS) & (rows["delta"] > 0)].to_dict("records"):
        cbs, moved = row["cbs_50"], row["mean_rscore_50"]
        if cbs is not None:
            yield (
                f"half of the fronts of {WORDS[row['front']]} reach from CBS {100 * min(cbs):.1f} "
                f"% with Rscore {numbers.plain(max(moved))} to {100 * max(cbs):.1f} % with "
                f"{numbers.plain(min(moved))}"
            )


def rank_words() -> Facts:
    rows = run().at("tradeoff")["rankings"]
    for delta in (5.0, 15.0, 25.0):
        for metric in METRICS:
            part = rows[(rows["delta"] == delta) & (rows["metric"] == metric)]
            part = part.sort_values("mean_rank", kind="stable")
            ranked = zip(part["algorithm"], part["mean_rank"], strict=True)
            listed = numbers.listing([f"{name} {rank:.1f}" for name, rank in ranked])
            yield f"{listed}; critical difference {part['critical_difference'].iloc[0]:.2f}."


FACTS: dict[str, Callable[[], Facts]] = {
    "figure-05-consumers": consumers_words,
    "figure-06-latency-distribution": tail_words,
    "figure-07-latency-percentile": p90_words,
    "figure-08-latency-share": share_words,
    "figure-09-cbs": partial(score_words, "cbs", 100.0),
    "figure-10-cbs-modified": partial(score_words, "cbs", 100.0, ZOOM),
    "figure-11-rscore": partial(score_words, "mean_rscore", 1.0),
    "figure-12-pareto": front_words,
    "figure-13-attainment": attainment_words,
    "figure-14-ranks": rank_words,
}
"""What the description of a figure must say, from all rows of the tables."""


def test_captions_say_what_is_drawn_of_several_streams() -> None:
    """Percentiles are medians; the share of what waits is that of all samples."""
    captions = {one.name: one.caption for one in draw_all(run()) if isinstance(one, Figure)}
    assert "Marks are medians over 5 streams" in captions["figure-07-latency-percentile"]
    assert "Marks are shares of all samples over 5" in captions["figure-08-latency-share"]


def test_every_figure_has_its_facts() -> None:
    assert {one.name for one in draw_all(run())} == set(FACTS)


@pytest.mark.parametrize("name", FACTS)
def test_what_a_figure_says_agrees_with_all_rows(name: str) -> None:
    said, facts = of_paper()[name], list(FACTS[name]())
    assert facts
    for fact in facts:
        assert fact in said
