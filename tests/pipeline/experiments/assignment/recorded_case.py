"""Results of a run over a small recorded trace, with the pipeline's own kernels, without Spark."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from algorithms.assignment import registry
from algorithms.scores import latency_model, sweep
from pipeline.experiments.assignment.kernels.row_blocks import Series
from pipeline.experiments.assignment.kernels.scores_kernel import NUMBERS, rows_of
from pipeline.inputs.traces.trace_topics import Topics
from pipeline.warehouse.runs.run_results import Results
from tests.pipeline.experiments.assignment import report_cases

Rates = NDArray[np.float64]

SETTING: dict[str, Any] = {
    "name": "trace",
    "capacity": 100.0,
    "consumer_capacity": 125.0,
    "iteration_seconds": 60.0,
    "rebalance_seconds": 5.0,
    "clip": True,
    "deltas": [],
    "initial_rates": [],
    "replicates": 1,
}
FEW = ("BFD", "MWF", "SR_0", "SR_1", "SR_inf", *(f"kd_{n}" for n in range(1, 7)))


def daily(partitions: int = 6, iterations: int = 240) -> Rates:
    """Rates with the course of a day and partitions of different size."""
    time = np.arange(iterations)[:, np.newaxis]
    place = np.arange(partitions)[np.newaxis]
    day = 1.0 + 0.7 * np.sin(2 * np.pi * (time / iterations - 0.25))
    waves: Rates = 12.0 * (1.0 + place % 3) * day * (1.0 + 0.2 * np.sin(time * (0.3 + 0.1 * place)))
    return waves


@cache
def results(algorithms: Sequence[str] = FEW, **changes: Any) -> Results:
    """A run of these algorithms over `daily`; ``changes`` go into its setting."""
    return of(daily(), algorithms, **changes)


def of(
    rates: Rates, algorithms: Sequence[str], topics: Topics | None = None, **changes: Any
) -> Results:
    """A run of these algorithms over a trace of these rates."""
    iterations, partitions = rates.shape
    setting = SETTING | {"partitions": partitions, "iterations": iterations} | changes
    setting |= {"algorithms": list(algorithms)}
    swept = {name: sweep.run(name, rates, setting["capacity"], 7, topics) for name in algorithms}
    counts = {name: one.n_consumers for name, one in swept.items()}
    fewest = sweep.reference_minimum(rates, setting["capacity"], 7, counts)
    stream = [_series(name, one, fewest) for name, one in swept.items()]
    keys = {"delta": np.nan, "replicate": 1, "initial_rate": None}
    scores = pd.DataFrame([dict(row) | keys for row in rows_of(stream)])
    per_day = 86_400.0 / setting["iteration_seconds"]
    scores["rebalances_per_day"] = scores["moving_share"] * per_day
    latency = [_latency(name, one, rates, setting) | keys for name, one in swept.items()]
    made = report_cases._frames([setting], scores.to_dict("records"), latency, 1)
    run = dict(made.run) | {
        "preset": "trace",
        "config": json.dumps({"preset": "trace", "seed": 7, "experiments": [setting]}),
    }
    streams = made["streams"].assign(source="trace", name="rates.csv", digest="0" * 64)
    moving = {name: one for name, one in swept.items() if registry.members_of(name) is None}
    series = pd.concat([_curve(name, one) for name, one in moving.items()])
    made = report_cases.judged(made.with_tables(streams=streams, series=series))
    return replace(made, run=run)


def _series(name: str, one: sweep.SweepResult, fewest: NDArray[np.int32]) -> Series:
    numbers = {key: getattr(one, key) for key in NUMBERS if key != "min_consumers"}
    numbers |= {"min_consumers": fewest, "iteration": np.arange(1, len(fewest) + 1)}
    return Series("trace-rates", "trace", None, name, None, numbers, None)


def _latency(
    name: str, one: sweep.SweepResult, rates: Rates, setting: dict[str, Any]
) -> dict[str, Any]:
    summary = latency_model.summarise(
        rates,
        one.consumers,
        setting["consumer_capacity"],
        setting["iteration_seconds"],
        setting["rebalance_seconds"],
    )
    keys = {"stream_id": "trace-rates", "experiment": "trace", "algorithm": name}
    return keys | summary._asdict()


def _curve(name: str, one: sweep.SweepResult) -> pd.DataFrame:
    keys = {"experiment": "trace", "delta": np.nan, "algorithm": name}
    columns = {
        "iteration": np.arange(1, len(one.rscore) + 1),
        "n_consumers": one.n_consumers.astype(float),
        "n_consumers_min": one.n_consumers,
        "n_consumers_max": one.n_consumers,
        "rscore": one.rscore,
        "n_rows": 1,
    }
    return pd.DataFrame(keys | columns)
