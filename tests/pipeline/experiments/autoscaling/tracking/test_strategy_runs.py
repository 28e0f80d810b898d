"""What MLflow gets of a run on autoscaling, from rows that a test can write down."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from pipeline.experiments.autoscaling.tracking import strategy_runs
from pipeline.experiments.autoscaling.tracking.strategy_runs import MOST_STEPS, tracked
from pipeline.reporting.tracking import run_content
from pipeline.reporting.tracking.content import DESCRIPTION, PARENT_ID, ROLE, Content
from pipeline.settings import strategy_names
from pipeline.settings.scaling_presets import PAPERS
from pipeline.warehouse.runs.run_results import Results
from schemas.verdicts import EXACT, NOT_COMPARABLE, NOT_REPRODUCED
from tests.pipeline.experiments.autoscaling.trade_off_rows import NO_EVENTS, results, row
from tests.pipeline.experiments.run_row import run_row

pytestmark = pytest.mark.unit

NAME = re.compile(r"[A-Za-z0-9_. /-]{1,250}")
"""Names that MLflow allows for metrics in all of its stores."""

SETTING = {"name": "calm", "partitions": 4, "mu": 200.0, "protocol": "eager", "low": 0.1}
ROWS = (
    row("linear:f_up=0.5", 95.0, 20.0, 60.0),
    row("headroom", 80.0, 25.0, 20.0, on_front=False),
)


def simulations(p99: dict[str, list[float]]) -> pd.DataFrame:
    """Latencies of the streams of candidates by label."""
    streams = [
        {"experiment": "calm", "strategy": strategy, "setting": setting}
        | {"replicate": replicate, "p99": value, "max": 2.0 * value}
        for label, values in p99.items()
        for strategy, _, setting in [label.partition(":")]
        for replicate, value in enumerate(values, 1)
    ]
    return pd.DataFrame(streams)


def steps(label: str, n: int, **values: Any) -> pd.DataFrame:
    strategy, _, setting = label.partition(":")
    where = {"experiment": "calm", "strategy": strategy, "setting": setting}
    rows = pd.DataFrame({**where, "iteration": np.arange(1, n + 1), **values})
    return rows.sample(frac=1.0, random_state=1)


def small(*rows: dict[str, Any], p99: dict[str, list[float]] | None = None) -> Results:
    p99s = {"linear:f_up=0.5": [0.5, 2.0, np.inf], "headroom": [4.0, 1.0]} if p99 is None else p99
    config = {"preset": "autoscaling-smoke", "autoscaling": [SETTING]}
    run = run_row("night-1", config, ("simulate_groups", None, 61.5))
    return replace(results(*(rows or ROWS), simulations=simulations(p99s)), run=run)


def children(run: Results) -> dict[str, Content]:
    contents = list(tracked(run, "here").children("parent-id"))
    assert len({child.name for child in contents}) == len(contents)
    return {child.name: child for child in contents}


def test_the_parent_has_the_means_of_every_candidate_and_its_verdicts() -> None:
    verdicts = [EXACT, NOT_COMPARABLE, NOT_COMPARABLE, NOT_REPRODUCED]
    figures = pd.DataFrame({"verdict": verdicts})
    parent = tracked(small().with_tables(published_figures=figures), "here").parent
    assert parent.name == "night-1"
    assert parent.params == {
        "preset": "autoscaling-smoke",
        "seed": "7",
        "calm.partitions": "4",
        "calm.mu": "200.0",
        "calm.protocol": "eager",
        "calm.low": "0.1",
    }
    assert parent.tags[DESCRIPTION].endswith(
        "preset autoscaling-smoke. 1 of 2 strategies with parameters are on a front."
    )
    assert parent.metrics == {
        "sla_percent/calm/linear-f_up-0.5": 95.0,
        "replica_minutes/calm/linear-f_up-0.5": 20.0,
        "partitions_moved/calm/linear-f_up-0.5": 60.0,
        "sla_percent/calm/headroom": 80.0,
        "replica_minutes/calm/headroom": 25.0,
        "partitions_moved/calm/headroom": 20.0,
        "verdicts.exact": 1.0,
        "verdicts.not_comparable": 2.0,
        "verdicts.not_reproduced": 1.0,
        "differences.moved": 0.0,
        "differences.changed": 0.0,
        "differences.same": 0.0,
        "seconds.simulate_groups": 61.5,
        "seconds.total": 61.5,
    }


def test_a_child_says_what_it_is_of() -> None:
    by_name = children(small())
    assert list(by_name) == ["calm/linear:f_up=0.5", "calm/headroom"]
    child = by_name["calm/linear:f_up=0.5"]
    names = {
        "experiment": "calm",
        "workload": "diurnal, 4 partitions, equal",
        "strategy": "linear",
        "setting": "f_up=0.5",
    }
    settings = {"partitions": "4", "mu": "200.0", "protocol": "eager", "replicates": "2"}
    made = {"run": "night-1", "seed": "7", "code": "0123abcd"}
    assert child.params == names | settings | made
    assert child.tags.items() >= {**names, PARENT_ID: "parent-id", ROLE: "child"}.items()


def test_a_child_has_means_with_intervals_and_medians() -> None:
    """The median is one of the values: the lower middle one, or an infinite one.

    Of the maxima it has the greatest, as view `strategy_results`.
    """
    metrics = {name: child.metrics for name, child in children(small()).items()}
    assert (
        metrics["calm/linear:f_up=0.5"].items()
        >= {
            "sla_percent": 95.0,
            "sla_percent_low": 94.5,
            "sla_percent_high": 95.5,
            "replica_minutes": 20.0,
            "replica_minutes_low": 19.5,
            "replica_minutes_high": 20.5,
            "partitions_moved": 60.0,
            "partitions_moved_low": 59.5,
            "partitions_moved_high": 60.5,
            "latency_p99": 2.0,
            "latency_max": np.inf,
            "on_front": 1.0,
        }.items()
    )
    headroom = metrics["calm/headroom"]
    names = ("latency_p99", "latency_max", "on_front")
    assert [headroom[name] for name in names] == [1.0, 8.0, 0.0]
    never = children(small(ROWS[0], p99={"linear:f_up=0.5": [np.inf, 0.5, np.inf]}))
    assert never["calm/linear:f_up=0.5"].metrics["latency_p99"] == np.inf


def test_a_workload_without_events_has_costs_but_no_service() -> None:
    run = small(row("headroom", 0.0, 3.0, 0.0, **NO_EVENTS), p99={"headroom": [float("nan")] * 2})
    parent, (child,) = tracked(run, "here").parent, children(run).values()
    for metrics, name in ((parent.metrics, "/calm/headroom"), (child.metrics, "")):
        assert metrics[f"replica_minutes{name}"] == 3.0
        assert not any(each.startswith(("sla_percent", "latency")) for each in metrics)
        assert not np.isnan(list(metrics.values())).any()


def test_curves_are_those_of_the_candidate_thinned_out_evenly() -> None:
    n = 3 * MOST_STEPS - 1
    first = steps("linear:f_up=0.5", n, replicas=2, lag=np.arange(n, dtype=float))
    other = steps("headroom", 2, replicas=9, lag=7.0)
    by_name = children(small().with_tables(trajectories=pd.concat([first, other])))
    curves = by_name["calm/linear:f_up=0.5"].curves
    kept = list(range(1, n + 1, 3))
    assert [(s.iteration, s.value) for s in curves if s.key == "series/lag"] == [
        (iteration, iteration - 1.0) for iteration in kept
    ]
    assert [(s.iteration, s.value) for s in curves if s.key == "series/replicas"] == [
        (iteration, 2.0) for iteration in kept
    ]
    assert len(kept) <= MOST_STEPS
    assert [tuple(step) for step in by_name["calm/headroom"].curves] == [
        *(("series/replicas", iteration, 9.0) for iteration in (1, 2)),
        *(("series/lag", iteration, 7.0) for iteration in (1, 2)),
    ]
    assert all(child.curves == [] for child in children(small()).values())


def test_every_candidate_has_a_metric_of_its_own() -> None:
    """Signs that MLflow does not allow are replaced, which must not make two names one."""
    labels = {
        *strategy_names.resolve("all:sweep", 64, 200.0, 0.5, 1.0),
        *(label for setting in PAPERS.values() for label in setting["strategies"]),
        *("NF", "NF+M", "NF+P", "NF+M+P", "linear+placement"),
    }
    names = {
        run_content.spelt(f"sla_percent/{strategy_runs.name(row(label, 1, 1, 1))}")
        for label in labels
    }
    assert len(names) == len(labels) > 100
    assert all(NAME.fullmatch(name) for name in names)
