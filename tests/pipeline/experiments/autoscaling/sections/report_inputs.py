"""Small results of runs on autoscaling with figures that the tests know."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pipeline.experiments.autoscaling.kernels.trade_off_kernel import weigh
from pipeline.experiments.autoscaling.sections.figures import FIGURES
from pipeline.experiments.autoscaling.sections.scaling_study import Study
from pipeline.reporting.drawing.figure import Figure
from pipeline.warehouse.runs.run_results import Results, TableState
from schemas.tables.autoscaling.trade_offs import AVERAGED
from tests.pipeline.experiments.run_row import run_row
from tests.pipeline.reporting.sections import drawn_charts
from tests.schemas import plain_rows

STEPS = 40
"""Steps of each experiment, of one second."""

GROUP: dict[str, Any] = {
    "profile": "flash_crowd",
    "partitions": 4,
    "iterations": STEPS,
    "split": "equal",
    "mu": 200.0,
    "wsla_s": 0.5,
    "step_s": 1.0,
    "arrivals": "uniform",
    "protocol": "eager",
    "rebalance_s": 1.0,
    "startup_s": 5.0,
}


class Served(NamedTuple):
    """Mean service of a candidate in %, and its replica-minutes."""

    sla: float
    minutes: float


CALM = {
    "constant:initial_replicas=2": Served(60.0, 20.0),
    "constant:initial_replicas=4": Served(100.0, 40.0),
    "headroom": Served(99.5, 25.0),
    "headroom:h=2": Served(99.9, 30.0),
    "keda_hpa": Served(90.0, 30.0),
    "linear:f_down=0.8": Served(10.0, 12.0),
    "overprovision": Served(99.95, 14.0),
}
"""An experiment in which several candidates serve 99 %. Of those that scale and see only the past,
headroom is the cheapest."""

BUSY = {
    "constant:initial_replicas=4": Served(100.0, 40.0),
    "headroom": Served(97.0, 30.0),
    "headroom:h=2": Served(99.2, 35.0),
    "keda_hpa": Served(80.0, 21.0),
    "overprovision": Served(99.9, 20.0),
}
"""Another, in which headroom falls short."""

HOPELESS = {
    "constant:initial_replicas=4": Served(70.0, 40.0),
    "headroom": Served(55.0, 31.0),
    "headroom:h=2": Served(54.0, 35.0),
    "keda_hpa": Served(40.0, 22.0),
}
"""One in which none serves 99 %."""

Experiments = Mapping[str, Mapping[str, Served]]


def both(replicates: int = 3) -> Results:
    """Two experiments in which the SLA can be served, and one in which it cannot."""
    return results({"calm": CALM, "busy": BUSY, "hopeless": HOPELESS}, replicates)


def results(experiments: Experiments, replicates: int = 3, steps: bool = True) -> Results:
    """A run of some experiments: each replicate costs 1 % more than the one before.

    Parameters
    ----------
    steps
        Whether trajectories are recorded.
    """
    rows = [
        row
        for name, candidates in experiments.items()
        for label, served in candidates.items()
        for row in _streams(name, label, served, replicates)
    ]
    simulations = pd.DataFrame(plain_rows.filled({"simulations": rows})["simulations"])
    simulations = simulations.assign(least_minutes=np.nan)
    weighed = [row for _, part in simulations.groupby("experiment") for row in weigh(part, 1e6, 7)]
    numbers = {f"{name}{end}": float for name in AVERAGED for end in ("", "_low", "_high")}
    trajectories = pd.concat(
        [
            _steps(name, label, served)
            for name, e in experiments.items()
            for label, served in e.items()
        ]
    )
    tables = {
        "simulations": simulations,
        "trade_offs": pd.DataFrame(weighed).astype(numbers),
        "trajectories": trajectories if steps else trajectories.iloc[:0],
        "streams": pd.DataFrame({"source": ["profile"], "name": ["x"], "digest": [None]}),
        "validations": pd.DataFrame(
            [("simulations", "key_unique", "One row per stream.", "unique", True)],
            columns=["table_name", "rule", "meaning", "observed", "success"],
        ),
    }
    states = [
        TableState("simulations", "s3a://bucket/simulations", 3, len(simulations)),
        TableState("trade_offs", "s3a://bucket/trade_offs", 12, len(weighed)),
    ]
    return Results(tables, _run(experiments, replicates), states)


def _run(experiments: Experiments, replicates: int) -> dict[str, Any]:
    setting = [
        {"name": name, **GROUP, "replicates": replicates, "strategies": list(candidates)}
        for name, candidates in experiments.items()
    ]
    config = {"preset": "autoscaling", "autoscaling": setting}
    return run_row("autoscaling-20250102T030405", config, ("simulate_groups", None, 62.0))


def _streams(experiment: str, label: str, served: Served, replicates: int) -> list[dict[str, Any]]:
    strategy, _, setting = label.partition(":")
    latencies = ("p50", "p90", "p95", "p99", "p999", "max")
    return [
        {
            "experiment": experiment,
            "stream_id": f"{experiment}-r{replicate:04d}",
            "workload": "flash_crowd, 4 partitions, equal",
            "replicate": replicate,
            "strategy": strategy,
            "setting": setting,
            "replica_minutes": served.minutes * (1 + 0.01 * (replicate - 1)),
            "sla_percent": served.sla,
            "partitions_moved": 10 * replicate,
            "n_up": 3,
            "n_down": 2,
            "n_reassign": 0,
            **{
                name: 0.01 * 4.0**k * replicate * (101.0 - served.sla)
                for k, name in enumerate(latencies)
            },
        }
        for replicate in range(1, replicates + 1)
    ]


def _steps(experiment: str, label: str, served: Served) -> pd.DataFrame:
    """Replicas that alternate every ten steps, and a lag that grows."""
    strategy, _, setting = label.partition(":")
    iteration = np.arange(1, STEPS + 1)
    return pd.DataFrame(
        {
            "experiment": experiment,
            "strategy": strategy,
            "setting": setting,
            "iteration": iteration,
            "replicas": 1 + (iteration - 1) // 10 % 2 * 2,
            "replicas_min": 1 + (iteration - 1) // 10 % 2 * 2,
            "lag": (iteration - 1.0) * (101.0 - served.sla),
            "arrived": 300.0,
            "arrived_max": 300.0,
            "served": 300.0,
            "late": 0.0,
            "longest_s": 0.25,
        }
    )


def figures_of(results: Results, study: Study, first: int = 1) -> list[Figure | None]:
    """The figures of an experiment, numbered from ``first``."""
    return drawn_charts.drawn([partial(draw, results) for draw in FIGURES], study, first)
