"""A small warehouse of invented numbers, written without Spark, for tests that read tables."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from deltalake import write_deltalake

import schemas
from algorithms.inference import pareto_front
from pipeline.base.paths import Paths
from pipeline.settings import load
from pipeline.settings.presets import PRESETS
from tests.schemas import (
    tiny,
    tiny_applications,
    tiny_brokers,
    tiny_deciding,
    tiny_learning,
    tiny_live,
    tiny_pulsar,
    tiny_scaling,
)

TYPES = {
    "string": pa.string(),
    "int": pa.int32(),
    "long": pa.int64(),
    "double": pa.float64(),
    "boolean": pa.bool_(),
    "timestamp": pa.timestamp("us", tz="UTC"),
}
Row = dict[str, Any]


class Cost(NamedTuple):
    """What an algorithm costs on streams of preset smoke at a volatility of 10; half of it at 5.

    Larger streams take as many more consumers as they have more partitions.
    """

    consumers: float
    cbs: float
    rscore: float
    migrations: float
    p90: float | None


COSTS = {
    "MWF": Cost(15.0, 0.10, 0.5, 2.0, 4.5),
    "BFD": Cost(14.0, 0.01, 2.0, 9.0, 4.6),
    "MBF": Cost(14.8, 0.08, 0.6, 2.5, 4.5),
    "NF": Cost(18.0, 0.40, 5.0, 12.0, 4.9),
    # A static group: the larger, the shorter data waits, except for one unlucky group.
    "kd_14": Cost(14.0, 0.0, 0.0, 0.0, 217.0),
    "kd_16": Cost(16.0, 0.1, 0.0, 0.0, 3.0),
    "kd_17": Cost(17.0, 0.2, 0.0, 0.0, 36.0),
    "kd_18": Cost(18.0, 0.3, 0.0, 0.0, 1.0),
    "kd_20": Cost(20.0, 0.4, 0.0, 0.0, None),
}
REFERENCE = ("MWF", "BFD", "MBF", "NF")
ALGORITHMS = {
    "tradeoff": REFERENCE,
    "latency": ("MWF", "kd_14", "kd_16", "kd_17", "kd_18", "kd_20"),
}
REPLICATES = 3


class Night(NamedTuple):
    """A run, and how it differs from others."""

    run_id: str
    hour: int
    status: str = "published"
    preset: str = "paper"
    """Which experiments it has, with their volatilities and sizes."""
    consumer_capacity: float = 133.0
    worse: float = 0.0
    """Added to the CBS of MWF."""


TIMINGS = (
    {"stage": "score", "units": ["tradeoff δ=5"], "seconds": 1.5},
    {"stage": "score", "units": ["tradeoff δ=10"], "seconds": 2.0},
    {"stage": "report", "units": None, "seconds": 0.25},
)
CLOCK = datetime(2026, 1, 1, 22, 59, 59, tzinfo=UTC)
"""Start of the streams of a run on autoscaling."""

NIGHTS = (
    Night("first", 1),
    Night("second", 2, worse=0.05),
    Night("roomy", 3, preset="smoke", consumer_capacity=120.0),
    Night("tight", 4, preset="smoke", consumer_capacity=100.0),
    Night("broken", 5, status="failed", worse=9.0),
)


def write(paths: Paths, nights: Iterable[Night] = NIGHTS) -> Paths:
    """Write all tables that are read without Spark, with a commit for each run."""
    for night in nights:
        streams, scores, latency = _of_streams(night)
        for table, rows in (
            ("runs", [_run(night)]),
            ("streams", streams),
            ("scores", scores),
            ("latency", latency),
            ("pareto", _fronts(scores)),
        ):
            _append(paths, table, rows)
    return paths


OWN = {
    # Consumers, and data that waits: share in %, longest in s.
    "kd_4": (4.0, 20.0, 900.0),
    "NF": (4.5, 0.5, 61.0),
    "BFD": (4.8, 1.0, 60.0),
    "MWF": (5.0, 0.1, 5.0),
    "kd_6": (6.0, 0.0, None),
    "kd_9": (9.0, 0.0, None),
}


def write_trace(paths: Paths) -> Paths:
    """Write a run over a recorded trace."""
    night = Night("own", 12)
    settings = PRESETS["smoke"].experiments["latency"]
    key = {"run_id": night.run_id, "stream_id": "trace-t", "experiment": "latency", "delta": 10.0}
    key |= {"initial_rate": None, "replicate": 1}
    of_trace = {"experiment": "trace", "delta": None}
    scores, latency = [], []
    for name, (consumers, late, longest) in OWN.items():
        same = of_trace | {"algorithm": name, "mean_consumers": consumers}
        scores.append(_score(night, key, settings, "MWF") | same)
        waits = {"n_samples": 1000, "n_positive": round(10 * late), "max": longest}
        latency.append(_latency(night, key, settings, "MWF") | same | waits)
    stream = _stream(night, key, settings) | of_trace | {"source": "trace", "name": "t.csv"}
    rows = {"runs": [_run(night)], "streams": [stream], "scores": scores, "latency": latency}
    for table, content in (rows | {"pareto": _fronts(scores)}).items():
        _append(paths, table, content)
    return paths


def write_details(paths: Paths) -> Paths:
    """Write assignments and comparisons of algorithms of one of the nights."""
    rows = tiny.run()
    for table in ("assignments", "dominance"):
        same = {"run_id": "second", "algorithm": "MWF"}
        _append(paths, table, [row | same for row in rows[table] if row["algorithm"] == "NF"])
    return paths


def write_scaling(paths: Paths) -> Paths:
    """Write a run on autoscaling, and one that has failed."""
    for night in (
        Night("scaled", 6, preset="autoscaling-smoke"),
        Night("scaled-broken", 7, status="failed", preset="autoscaling-smoke"),
    ):
        _append(paths, "runs", [_run(night)])
        rows = tiny_scaling.rows(night.run_id)
        rows["streams"] = [row | {"started_at": CLOCK} for row in rows["streams"]]
        for table in (
            *("streams", "measurements", "simulations", "trade_offs"),
            "bad_hour_effects",
        ):
            _append(paths, table, rows[table])
    return paths


def write_live(paths: Paths) -> Paths:
    """Write a run on a broker, and one that has failed."""
    for night in (
        Night("brokered", 8, preset="live-smoke"),
        Night("brokered-broken", 9, status="failed", preset="live-smoke"),
    ):
        _append(paths, "runs", [_run(night) | {"config": _config(night)}])
        rows = tiny_live.rows(night.run_id)
        for table in ("streams", "live_runs", "live_latency", "live_agreement"):
            _append(paths, table, rows[table])
    return paths


def write_pulsar(paths: Paths) -> Paths:
    """Write a run on Pulsar, and one that has failed."""
    for night in (
        Night("pulsed", 12, preset="pulsar-smoke"),
        Night("pulsed-broken", 13, status="failed", preset="pulsar-smoke"),
    ):
        _append(paths, "runs", [_run(night) | {"config": _config(night)}])
        rows = tiny_pulsar.rows(night.run_id)
        for table in ("pulsar_runs", "pulsar_intervals", "pulsar_steps", "pulsar_changes"):
            _append(paths, table, rows[table])
    return paths


def write_brokers(paths: Paths) -> Paths:
    """Write a run with brokers that join and leave, and one that has failed."""
    for night in (
        Night("elastic", 10, preset="brokers-smoke"),
        Night("elastic-broken", 11, status="failed", preset="brokers-smoke"),
    ):
        _append(paths, "runs", [_run(night) | {"config": _config(night)}])
        rows = tiny_brokers.rows(night.run_id) | tiny_deciding.rows(night.run_id)
        for table, own in rows.items():
            _append(paths, table, own)
    return paths


def write_learning(paths: Paths) -> Paths:
    """Write a run on learning, and one that has failed."""
    for night in (
        Night("learned", 10, preset="learning-smoke"),
        Night("learned-broken", 11, status="failed", preset="learning-smoke"),
    ):
        _append(paths, "runs", [_run(night) | {"config": _config(night)}])
        rows = tiny_learning.rows(night.run_id)
        for table in ("learning_scores", "learning_verdicts", "published_figures"):
            _append(paths, table, rows[table])
    return paths


def write_applications(paths: Paths) -> Paths:
    """Write a run on applications, and one that has failed."""
    for night in (
        Night("applied", 12, preset="applications"),
        Night("applied-broken", 13, status="failed", preset="applications"),
    ):
        _append(paths, "runs", [_run(night) | {"config": _config(night)}])
        _append(paths, "application_runs", tiny_applications.rows(night.run_id)["application_runs"])
    return paths


def write_published(paths: Paths, run_id: str) -> Paths:
    """Write what a run on autoscaling says of a published figure, and a night of another one."""
    _append(paths, "published_figures", tiny_scaling.rows(run_id)["published_figures"])
    _append(paths, "published_figures", [{"run_id": "second", **tiny.PUBLISHED}])
    return paths


def write_policies(paths: Paths, rows: list[Row]) -> Paths:
    """Write rows of table `policies`."""
    _append(paths, "policies", rows)
    return paths


def _append(paths: Paths, table: str, rows: list[Row]) -> None:
    contract = schemas.TABLES[table]
    fields = [pa.field(c.name, _type(c), c.nullable) for c in contract.columns]
    write_deltalake(
        paths.table(table),
        pa.Table.from_pylist(rows, schema=pa.schema(fields)),
        mode="append",
        partition_by=list(contract.partition_by),
    )


def _type(column: schemas.Column) -> pa.DataType:
    kind = TYPES[column.element_type]
    return pa.list_(kind) if column.is_array else kind


def _run(night: Night) -> Row:
    begun = datetime(2026, 1, 1, night.hour, tzinfo=UTC)
    times = {"iteration_seconds": 30.0, "rebalance_seconds": 5.0}
    experiments = [{"name": name} | times for name in PRESETS[night.preset].experiments]
    return {
        "run_id": night.run_id,
        "status": night.status,
        "preset": night.preset,
        "created_at": begun,
        "finished_at": begun,
        "config": json.dumps({"experiments": experiments}),
        "seed": 1,
        "versions": json.dumps({"code": f"{night.worse:g}"}),
        "stage_timings": json.dumps(TIMINGS),
        "error": "a stage failed" if night.status == "failed" else None,
    }


def _config(night: Night) -> str:
    """The configuration of its preset."""
    return load.resolve(night.preset, None, [], []).to_json(private=False)


def _of_streams(night: Night) -> tuple[list[Row], list[Row], list[Row]]:
    streams, scores, latency = [], [], []
    for experiment, settings in PRESETS[night.preset].experiments.items():
        for delta in settings["deltas"]:
            for replicate in range(1, REPLICATES + 1):
                key = {
                    "run_id": night.run_id,
                    "stream_id": f"{experiment}-d{delta:g}-r{replicate}",
                    "experiment": experiment,
                    "delta": float(delta),
                    "initial_rate": "uniform",
                    "replicate": replicate,
                }
                streams.append(_stream(night, key, settings))
                scores += [_score(night, key, settings, a) for a in ALGORITHMS[experiment]]
                latency += [_latency(night, key, settings, a) for a in ALGORITHMS[experiment]]
    return streams, scores, latency


def _stream(night: Night, key: Row, settings: Mapping[str, Any]) -> Row:
    rest = {"name": None, "digest": None, "capacity": 100.0}
    return (
        key
        | rest
        | {
            "source": "generated",
            "seed": key["replicate"],
            "n_iterations": settings["iterations"],
            "partitions": [f"p{number}" for number in range(settings["partitions"])],
            "consumer_capacity": night.consumer_capacity,
            "started_at": None,
            "step_s": 30.0,
            "unit": "bytes/s",
            "topics": [""],
            "topic_sizes": [settings["partitions"]],
        }
    )


def _consumers(key: Row, settings: Mapping[str, Any], name: str) -> float:
    smallest = PRESETS["smoke"].experiments[key["experiment"]]["partitions"]
    return COSTS[name].consumers * settings["partitions"] / smallest


def _score(night: Night, key: Row, settings: Mapping[str, Any], name: str) -> Row:
    cost, scale = COSTS[name], key["delta"] / 10
    worse = night.worse if name == "MWF" else 0.0
    cbs = scale * cost.cbs + worse + 0.001 * key["replicate"]
    return key | {
        "algorithm": name,
        "reference": name in REFERENCE,
        "n_iterations": settings["iterations"],
        "mean_consumers": _consumers(key, settings, name),
        # Streams differ a little, so that there are intervals.
        **{"cbs": cbs, "cbs_common": cbs},
        "mean_rscore": scale * cost.rscore,
        "mean_migrations": scale * cost.migrations,
        **{"peak_consumers": 9, "moving_share": 0.5, "rebalances_per_day": 1440.0},
    }


def _latency(night: Night, key: Row, settings: Mapping[str, Any], name: str) -> Row:
    p90 = COSTS[name].p90
    # The less a consumer has to spare, the longer data waits.
    waits = (
        None if p90 is None else p90 * (133.0 / night.consumer_capacity) + 0.01 * key["replicate"]
    )
    return key | {
        "algorithm": name,
        "mean_consumers": _consumers(key, settings, name),
        "n_samples": 1000,
        "n_positive": 0 if waits is None else 100,
        "p50": None if waits is None else waits / 2,
        "p90": waits,
        "p99": None if waits is None else waits * 2,
        "max": None if waits is None else float("inf"),
        "histogram": [0] * 82,
    }


def _fronts(scores: list[Row]) -> list[Row]:
    groups: dict[tuple[str, float], dict[str, list[Row]]] = {}
    for row in scores:
        group = groups.setdefault((row["experiment"], row["delta"]), {})
        group.setdefault(row["algorithm"], []).append(row)
    return [row for group in groups.values() for row in _front(list(group.values()))]


def _front(rows: list[list[Row]]) -> list[Row]:
    means = np.array([[np.mean([r[m] for r in of]) for m in ("cbs", "mean_rscore")] for of in rows])
    on_front = pareto_front.non_dominated(means)
    front_rows = []
    for of, (cbs, rscore), front in zip(rows, means.tolist(), on_front, strict=True):
        kept = ("run_id", "experiment", "delta", "algorithm", "reference", "mean_consumers")
        front_rows.append(
            {name: of[0][name] for name in kept}
            | {"replicates": len(of), "cbs": cbs, "cbs_common": cbs, "mean_rscore": rscore}
            | {"cbs_low": cbs - 0.01, "cbs_high": cbs + 0.01}
            | {"mean_rscore_low": rscore - 0.1, "mean_rscore_high": rscore + 0.1}
            | {
                "eligible": True,
                "on_front": bool(front),
                "on_reference_front": bool(front) and of[0]["reference"],
            }
        )
    return front_rows
