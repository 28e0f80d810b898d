"""What a figure on autoscaling says in words agrees with all rows of the tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd
import pytest

from pipeline.experiments.autoscaling.sections.figures import FIGURES, overview_figure
from pipeline.experiments.autoscaling.sections.figures.percentiles_figure import PERCENTILES
from pipeline.experiments.autoscaling.sections.figures.service_scale import served
from pipeline.experiments.autoscaling.sections.scaling_study import shown, studies
from pipeline.reporting.drawing.figure import Figure
from pipeline.reporting.sections import numbers
from pipeline.warehouse.runs.run_results import Results
from tests.pipeline.experiments.autoscaling.sections import report_inputs

pytestmark = pytest.mark.unit

LONG = 1_201
"""Steps of which every fifth would be drawn, were they thinned evenly."""

BEST = "headroom:h=2"

KEY = ["experiment", "strategy", "setting"]


def steps() -> pd.DataFrame:
    """Each step of the first replicates: constant, but for single extremes off any even grid."""
    quiet = {"replicas": 5, "lag": 20.0, "arrived": 300.0, "served": 300.0}
    quiet |= {"late": 0.0, "longest_s": 0.1}
    candidates = run_of_streams()["simulations"][KEY].drop_duplicates()
    iterations = pd.DataFrame({"iteration": np.arange(1, LONG + 1)})
    rows = candidates.merge(iterations.assign(**quiet), how="cross")
    for place, (_, part) in enumerate(rows.groupby(KEY)):
        first = part.index[0]
        rows.loc[first + 303 + place, "replicas"] = 9 + place
        rows.loc[first + 702 + place, "replicas"] = 1 + place % 3
        rows.loc[first + 501, "lag"] = 4_000.0 + place
        rows.loc[first + 902, "arrived"] = 1_700.0
    return rows


@cache
def run_of_streams() -> Results:
    """A run whose experiments are as long as `steps`."""
    results = report_inputs.both()
    config = results.config
    for setting in config["autoscaling"]:
        setting["iterations"] = LONG
    return replace(results, run={**results.run, "config": config})


@cache
def run() -> Results:
    """The same run with trajectories as `thinned_trajectories.thinned` makes them."""
    rows = steps()
    start = (rows["iteration"] - 1) // 5 * 5 + 1
    thinned = rows.groupby([*KEY, start]).agg(
        replicas=("replicas", "max"),
        replicas_min=("replicas", "min"),
        lag=("lag", "max"),
        arrived_max=("arrived", "max"),
        arrived=("arrived", "sum"),
        served=("served", "sum"),
        late=("late", "sum"),
        longest_s=("longest_s", "max"),
    )
    return run_of_streams().with_tables(trajectories=thinned.reset_index())


@cache
def drawn() -> dict[str, Figure]:
    """All figures of the run, by name."""
    every = studies(run())
    figures = [overview_figure.overview(every, BEST, 1)]
    for place, study in enumerate(every):
        outcomes = report_inputs.figures_of(run(), study, 2 + place * len(FIGURES))
        figures += [one for one in outcomes if isinstance(one, Figure)]
    return {one.name: one for one in figures}


def means(experiment: str) -> pd.DataFrame:
    """Mean service and cost of each candidate over all streams, the best service first."""
    rows = run()["simulations"]
    rows = rows[rows["experiment"] == experiment]
    label = rows["strategy"].str.cat(rows["setting"], sep=":").str.rstrip(":")
    averages = rows.groupby(label)[["sla_percent", "replica_minutes"]].mean()
    averages.index.name = "label"
    order = ["sla_percent", "replica_minutes", "label"]
    return averages.reset_index().sort_values(order, ascending=[False, True, True])


Facts = Iterator[str]


def overview_words() -> Facts:
    for study in studies(run()):
        rows = means(study.name).set_index("label")
        listed = [
            f"{name} serves {served(rows.loc[name, 'sla_percent'])} at "
            f"{numbers.plain(rows.loc[name, 'replica_minutes'])} replica-minutes"
            for name in ("keda_hpa", BEST)
        ]
        best = f"the best service is {served(rows['sla_percent'].max())} with {rows.index[0]}"
        yield f"{study.name}: {numbers.listing([*listed, best])}."


def trade_off_words(experiment: str) -> Facts:
    rows = means(experiment)
    rows = rows[rows["label"] != "overprovision"]  # it must know rates beforehand
    listed = [
        f"{one.label} ({served(one.sla_percent)}, {numbers.plain(one.replica_minutes)} "
        "replica-minutes)"
        for one in rows.itertuples()
        if not (
            (rows["sla_percent"] >= one.sla_percent)
            & (rows["replica_minutes"] <= one.replica_minutes)
            & (rows["label"] != one.label)
        ).any()
    ]
    yield f"On the front, from best service to lowest cost: {numbers.listing(listed)}."


def over_time_words(experiment: str) -> Facts:
    rows = steps()
    (study,) = (one for one in studies(run()) if one.name == experiment)
    for row in shown(study):
        mine = (rows[KEY] == [experiment, row["strategy"], row["setting"]]).all(axis=1)
        part = rows[mine]
        yield (
            f"{row['label']} uses between {part['replicas'].min()} and {part['replicas'].max()} "
            f"replicas, with a lag of up to {numbers.count(part['lag'].max())} events"
        )
    mu = study.setting["mu"]
    yield f"The rate needs up to {numbers.plain(rows['arrived'].max() / mu)} replicas."


def percentile_words(experiment: str) -> Facts:
    rows = run()["simulations"]
    (study,) = (one for one in studies(run()) if one.name == experiment)
    for row in shown(study):
        mine = (rows[KEY] == [experiment, row["strategy"], row["setting"]]).all(axis=1)
        values = [
            f"{words} {numbers.seconds(float(np.median(rows.loc[mine, column])))}"
            for column, words in PERCENTILES.items()
        ]
        yield f"{row['label']}: {', '.join(values)}"


KINDS: tuple[tuple[str, Callable[[str], Facts]], ...] = (
    ("trade-off", trade_off_words),
    ("over-time", over_time_words),
    ("percentiles", percentile_words),
)
"""What the description of each figure of an experiment must say."""

FACTS: dict[str, Callable[[], Facts]] = {"overview": overview_words} | {
    f"{kind}-{2 + len(FIGURES) * place + i}": (lambda words=words, name=name: words(name))
    for place, name in enumerate(("calm", "busy", "hopeless"))
    for i, (kind, words) in enumerate(KINDS)
}


def test_every_figure_has_its_facts() -> None:
    assert len(KINDS) == len(FIGURES) - 1  # The last one is of published workloads alone.
    assert set(drawn()) == set(FACTS)


@pytest.mark.parametrize("name", FACTS)
def test_what_a_figure_says_agrees_with_all_rows(name: str) -> None:
    facts = list(FACTS[name]())
    assert facts
    for fact in facts:
        assert fact in drawn()[name].alt


def test_the_extremes_of_an_interval_are_drawn() -> None:
    """A band from the most to the fewest replicas of each interval, where they differ."""
    figure = drawn()["over-time-3"]
    assert "Intervals have 5 steps" in figure.caption
    courses = len(shown(studies(run())[0]))
    for drawing in (figure.wide, figure.narrow):
        assert drawing.count('class="band f-') == courses
    short = studies(report_inputs.both())[0]
    (plain,) = (
        one
        for one in report_inputs.figures_of(report_inputs.both(), short, 2)
        if isinstance(one, Figure) and one.name == "over-time-3"
    )
    assert "Intervals" not in plain.caption
    assert 'class="band' not in plain.wide
