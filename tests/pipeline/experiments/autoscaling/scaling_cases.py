"""Small results of a run on autoscaling, without running one."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from pipeline.experiments.autoscaling.kernels.trade_off_kernel import weigh
from pipeline.warehouse.runs.run_results import Results, TableState
from tests.pipeline.experiments.run_row import run_row
from tests.schemas import plain_rows

ITERATIONS = 600
PARTITIONS = 5
MOST_MINUTES = PARTITIONS * ITERATIONS / 60.0

# SLA %, replica-minutes, partitions moved and 99th percentile of latency. In order: the dearest and
# best, two on the front, and two that linear dominates, of which the last never ends.
COSTS: dict[tuple[str, str], tuple[float, float, float, float]] = {
    ("constant", "initial_replicas=5"): (100.0, 50.0, 0.0, 0.25),
    ("headroom", ""): (99.0, 30.0, 40.0, 0.75),
    ("linear", ""): (95.0, 20.0, 60.0, 4.5),
    ("linear", "f_up=0.5"): (90.0, 22.0, 80.0, 12.5),
    ("keda_hpa", "assignor=range"): (80.0, 25.0, 20.0, np.inf),
}
ON_FRONT = {"constant:initial_replicas=5", "headroom", "linear"}


def label(strategy: str, setting: str) -> str:
    """A candidate as the configuration writes it."""
    return f"{strategy}:{setting}" if setting else strategy


LABELS = tuple(label(*candidate) for candidate in COSTS)

COMMON: dict[str, Any] = {
    "partitions": PARTITIONS,
    "iterations": ITERATIONS,
    "recorded": 1,
    "step_s": 1.0,
    "split": "equal",
    "rebalance_s": 1.0,
    "assignor": "sticky",
    "profile": "diurnal",
    "poisson": True,
    "heartbeat_s": 0.0,
    "cooldown_s": 0.0,
    "service_cv": 0.0,
    "initial_replicas": 1,
    "min_replicas": 1,
    "mu": 200.0,
    "wsla_s": 0.5,
    "arrivals": "uniform",
    "protocol": "eager",
    "startup_s": 5.0,
    "strategies": list(LABELS),
}
PROFILES = {"diurnal-5": "diurnal, 5 partitions, equal", "bursts-5": "bursts, 5 partitions, skew"}


@cache
def small(replicates: int = 4) -> Results:
    """Two experiments with the same strategies."""
    simulated = [row for name in PROFILES for row in _simulations(name, replicates)]
    simulations = pd.DataFrame(plain_rows.filled({"simulations": simulated})["simulations"])
    weighed = [
        row
        for _, group in simulations.groupby("experiment", sort=False)
        for row in weigh(group, MOST_MINUTES, 7)
    ]
    tables = {
        "streams": _streams(replicates),
        "simulations": simulations,
        "trade_offs": pd.DataFrame(weighed),
        "trajectories": pd.DataFrame([row for name in PROFILES for row in _steps(name)]),
        "validations": _validations(),
    }
    states = [
        TableState("streams", "s3a://bucket/streams", 3, len(tables["streams"])),
        TableState("simulations", "s3a://bucket/simulations", 12, len(simulations)),
    ]
    return Results(tables, _run(replicates), states)


def with_differences(results: Results) -> Results:
    """The same run, compared with a baseline: one moved, one changed, one new, one gone."""
    rows: list[dict[str, Any]] = [
        {"metric": metric, "value": row[metric], "baseline_value": row[metric], "verdict": "same"}
        | {"experiment": row["experiment"], "delta": None}
        | {"algorithm": label(row["strategy"], row["setting"])}
        | {"low": row[f"{metric}_low"], "high": row[f"{metric}_high"]}
        | {"baseline_run_id": "scaling-20250101T030405", "expected": "interval"}
        for row in results["trade_offs"].to_dict("records")
        for metric in ("sla_percent", "replica_minutes", "partitions_moved")
    ]
    rows[0] |= {"value": 0.9 * rows[0]["value"], "verdict": "moved"}
    rows[1] |= {"value": 1.001 * rows[1]["value"], "verdict": "changed"}
    rows[3] |= {"baseline_value": np.nan, "low": None, "high": None, "verdict": "new"}
    rows[6] |= {"value": None, "verdict": "gone"}
    return results.with_tables(differences=pd.DataFrame(rows))


def _simulations(experiment: str, replicates: int) -> list[dict[str, Any]]:
    rng = np.random.default_rng(1)
    rows = []
    for replicate in range(1, replicates + 1):
        noise = 1.0 - 0.01 * rng.random()
        for (strategy, setting), (sla_percent, minutes, moved, p99) in COSTS.items():
            rows.append(
                {
                    "experiment": experiment,
                    "stream_id": f"{experiment}-r{replicate:04d}",
                    "workload": PROFILES[experiment],
                    "replicate": replicate,
                    "strategy": strategy,
                    "setting": setting,
                    "protocol": "eager",
                    "arrivals": "uniform",
                    "assignor": "range" if setting == "assignor=range" else "sticky",
                    "mu": 200.0,
                    "wsla_s": 0.5,
                    "startup_s": 5.0,
                    "rebalance_s": 1.0,
                    "replica_minutes": minutes * noise,
                    "sla_percent": sla_percent * noise,
                    **{name: p99 / 2 for name in ("mean", "p50", "p90", "p95")},
                    "p99": p99 * noise,
                    "p999": p99,
                    "max": 2 * p99,
                    "n_up": int(moved) // 2,
                    "n_down": int(moved) // 2,
                    "n_reassign": 0,
                    "partitions_moved": int(moved) + replicate % 2,
                    "peak_lag": 100.0,
                    "unconsumed": 0.0,
                    "stalled_s": moved,
                    "least_minutes": 15.0,
                }
            )
    return rows


def _steps(experiment: str) -> list[dict[str, Any]]:
    return [
        {
            "experiment": experiment,
            "strategy": strategy,
            "setting": setting,
            "iteration": iteration,
            "replicas": 1 + (iteration // 150) % 5,
            "replicas_min": 1 + (iteration // 150) % 5,
            "lag": float(iteration % 7),
            "arrived": 400.0,
            "arrived_max": 200.0,
            "served": 400.0,
            "late": float(iteration % 3),
            "longest_s": 0.1 * (iteration % 7),
            "stalled_s": 0.0,
        }
        for strategy, setting in COSTS
        for iteration in range(1, ITERATIONS + 1, 2)
    ]


def _streams(replicates: int) -> pd.DataFrame:
    rows = [
        {
            "stream_id": f"{name}-r{replicate:04d}",
            "experiment": name,
            "source": "profile",
            "delta": np.nan,
            "replicate": replicate,
            "seed": replicate,
            "initial_rate": None,
            "n_partitions": PARTITIONS,
            "n_iterations": ITERATIONS,
            "capacity": 200.0,
            "consumer_capacity": 200.0,
            "name": workload,
            "digest": None,
        }
        for name, workload in PROFILES.items()
        for replicate in range(1, replicates + 1)
    ]
    return pd.DataFrame(rows)


def _run(replicates: int) -> dict[str, Any]:
    experiments = [
        {"name": name, "profile": name.partition("-")[0], "replicates": replicates} | COMMON
        for name in PROFILES
    ]
    return run_row(
        "scaling-20250102T030405",
        {"preset": "autoscaling", "autoscaling": experiments},
        ("simulate_groups", None, 61.5),
        ("weigh_trade_offs", None, 0.5),
    )


def _validations() -> pd.DataFrame:
    columns = ("table_name", "rule", "meaning", "observed", "success")
    rows = [
        ("streams", "key_unique", "One row per stream.", "unique", True),
        ("simulations", "bound_holds", "No strategy beats the bound.", "as expected", True),
    ]
    return pd.DataFrame(rows, columns=columns)
