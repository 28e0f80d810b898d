"""Published response times and speeds next to those of a live run."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import schemas
from pipeline.experiments.live.published import figures
from pipeline.experiments.live.results.consumer_capacity import LEAST_BATCHES
from pipeline.experiments.live.results.controller_times import TIMES
from pipeline.reporting.sections import published_figure
from pipeline.settings.live_experiment import LiveExperiment
from pipeline.warehouse.runs.run_results import Results
from schemas.tables.live.live_runs import SPEED_BINS
from schemas.verdicts import NOT_COMPARABLE, NOT_REPRODUCED, REPRODUCED

pytestmark = pytest.mark.unit

Row = dict[str, Any]


def judged(
    mode: str = "prompt",
    strategies: tuple[str, ...] = ("MWF", "kd_1"),
    batches: dict[int, int] | None = None,
    **times: list[float],
) -> dict[str, Row]:
    """Figures of an experiment with these times of plans and full batches by bin."""
    one = LiveExperiment(name="e", strategies=strategies, mode=mode)
    length = max(map(len, times.values()), default=0)
    rows = {name: times.get(name, [np.nan] * length) for name in TIMES}
    plans = pd.DataFrame({"experiment": "e", "iteration": [2] * length, **rows})
    counts = [(batches or {}).get(place, 0) for place in range(SPEED_BINS)]
    runs = pd.DataFrame(
        {"experiment": "e", "strategy": ["MWF", "kd_1"]}
        | {"batch_histogram": [None, counts if batches else None]}
    )
    results = Results({"live_runs": runs, "live_plans": plans})
    rows_of = published_figure.rows(figures([one], {}), results)
    return {row["figure_key"].removeprefix("e: "): row for row in rows_of}


@pytest.mark.parametrize(
    ("mode", "column", "values", "verdict"),
    [
        ("prompt", "decided_s", [0.5, 0.99], REPRODUCED),
        ("cycle", "decided_s", [0.5, 1.0], NOT_REPRODUCED),
        ("prompt", "moved_s", [0.1] * 19 + [0.9], REPRODUCED),
        ("prompt", "moved_s", [0.1, 0.6], NOT_REPRODUCED),
        ("cycle", "moved_s", [2.5, 5.5], REPRODUCED),
        ("cycle", "moved_s", [2.5, 5.6], NOT_REPRODUCED),
        ("cycle", "moved_s", [0.1, 0.2], NOT_REPRODUCED),
        ("prompt", "created_s", [40.0], NOT_COMPARABLE),
        ("cycle", "speeds_known_s", [30.0], NOT_COMPARABLE),
        ("prompt", "moved_s", [], NOT_COMPARABLE),
    ],
)
def test_times_keep_their_bounds(mode: str, column: str, values: list[float], verdict: str) -> None:
    assert judged(mode, **{column: values})[column]["verdict"] == verdict


def test_a_row_has_the_published_words_and_the_reason() -> None:
    prompt, cycle = (judged(mode, created_s=[2.0], moved_s=[2.5]) for mode in ("prompt", "cycle"))
    stored = {column.name for column in schemas.TABLES["published_figures"].columns} - {"run_id"}
    assert all(set(row) == stored for row in prompt.values())
    assert "Kubernetes" in prompt["created_s"]["note"]
    assert prompt["moved_s"]["note"].replace("\u00a0", " ") == (
        "required: 90th percentile < 0.5 s; consumers look for commands every 20 ms, not once per "
        "cycle"
    )
    assert cycle["moved_s"]["note"].replace("\u00a0", " ") == (
        "required: maximum ≤ 5.5 s, 90th percentile ≥ 2 s"
    )
    assert (cycle["moved_s"]["our_value"], cycle["moved_s"]["published_value"]) == (2.5, 5.0)
    assert cycle["decided_s"]["ours"] == "–"
    assert cycle["decided_s"]["note"] == "no plan after the first iteration has it"


@pytest.mark.parametrize(
    ("place", "number", "verdict"),
    [
        (95, LEAST_BATCHES, REPRODUCED),
        (104, LEAST_BATCHES, REPRODUCED),
        (94, LEAST_BATCHES, NOT_REPRODUCED),
        (105, LEAST_BATCHES, NOT_REPRODUCED),
        (99, LEAST_BATCHES - 1, NOT_COMPARABLE),
    ],
)
def test_the_mode_must_be_within_five_percent(place: int, number: int, verdict: str) -> None:
    row = judged(batches={place: number})["speed"]
    assert row["verdict"] == verdict
    assert row["ours"].startswith(f"{place + 0.5:.1f}")
    assert ("fewer than" in row["note"]) == (number < LEAST_BATCHES)


def test_experiments_have_the_figures_that_they_can_say_something_about() -> None:
    times = ["speeds_known_s", "decided_s", "created_s", "moved_s"]
    assert list(judged(strategies=("MWF",))) == times
    assert list(judged(strategies=("kd_1",))) == ["speed"]
    assert list(judged()) == [*times, "speed"]
    assert judged()["speed"]["verdict"] == NOT_COMPARABLE
