"""Small results as a run would give them, without running one.

Scores are the paper's published ones with a little noise per stream, so that the expected verdicts
are known.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from algorithms.assignment import registry
from algorithms.inference import intervals, pareto_front
from algorithms.scores.latency_model import HISTOGRAM_EDGES
from pipeline.experiments.assignment import published
from pipeline.experiments.assignment import statistics as inference
from pipeline.experiments.assignment.paper.authors_results import SECTION_VI_E
from pipeline.experiments.assignment.paper.paper_setting import RECORDED_DIGEST
from pipeline.experiments.assignment.stages import judge_figures
from pipeline.warehouse.runs.run_results import Results, TableState
from schemas.metrics import METRICS
from tests.pipeline.experiments.run_row import run_row

REFERENCE = registry.reference_set()
KAFKA = tuple(f"kd_{n}" for n in range(1, 33))

COMMON: dict[str, Any] = {
    "capacity": 100.0,
    "consumer_capacity": 133.0,
    "iteration_seconds": 30.0,
    "rebalance_seconds": 5.0,
    "clip": True,
    "initial_rates": ["uniform"],
}
TRADEOFF = {
    "name": "tradeoff",
    "partitions": 200,
    "iterations": 500,
    "deltas": [0.0, 5.0, 10.0, 15.0, 20.0, 25.0],
    "algorithms": list(REFERENCE),
    **COMMON,
}
LATENCY = {
    "name": "latency",
    "partitions": 32,
    "iterations": 100,
    "deltas": [5.0],
    "algorithms": [*REFERENCE, *KAFKA],
    **COMMON,
}
TRACE = {
    "name": "trace",
    "partitions": 32,
    "iterations": 100,
    "algorithms": [*KAFKA, "MWF"],
} | COMMON


@cache
def paper(replicates: int = 6, **changes: Any) -> Results:
    """Both experiments of preset `paper`; ``changes`` go into the configuration of both."""
    setting = [TRADEOFF | changes, LATENCY | changes]
    if changes:
        results = paper(replicates)
        streams = _streams(setting, results["scores"])
        return judged(replace(results, run=_run(setting)).with_tables(streams=streams))
    scores = [*_scores(replicates), *_latency_scores(LATENCY, 5.0, replicates)]
    return _frames(setting, scores, _latencies(LATENCY, 5.0, replicates), replicates)


@cache
def small(replicates: int = 1) -> Results:
    """A run unlike the paper's: another size, one δ, no static assignments."""
    setting = TRADEOFF | {"name": "smoke", "partitions": 12, "iterations": 20, "deltas": [10.0]}
    scores = _latency_scores(setting, 10.0, replicates)
    return _frames([setting], scores, _latencies(setting, 10.0, replicates), replicates)


def without(results: Results, *tables: str) -> Results:
    """The same run, which did not write some tables."""
    kept = {name: rows for name, rows in results.tables.items() if name not in tables}
    return replace(results, tables=kept)


def with_bounds(results: Results) -> Results:
    """The same run with two iterations of each stream compared with bounds, at one δ in vain."""
    scores = results["scores"].copy()
    kept = scores["experiment"] == scores["experiment"].iloc[0]
    place = scores.groupby("stream_id").cumcount()
    scores["cbs_optimum_low"] = (0.01 * (place + 1)).where(kept)
    scores["cbs_optimum_high"] = (0.01 * (place + 1) + 0.005).where(kept)
    asked = kept & scores["algorithm"].isin(["BFD", "MWF"])
    scores["rscore_gap_low"] = (0.5 * scores["mean_rscore"]).where(asked)
    scores["rscore_gap_high"] = (0.5 * scores["mean_rscore"]).where(asked)
    streams = results["streams"][results["streams"]["experiment"] == scores["experiment"].iloc[0]]
    rows = [
        {"stream_id": stream, "experiment": experiment, "delta": delta, "iteration": k}
        | {"kind": "rscore" if name else "consumers", "algorithm": name, "proved": k == 3}
        for stream, experiment, delta in zip(
            streams["stream_id"], streams["experiment"], streams["delta"], strict=True
        )
        for k in (3, 7)
        for name in (None, "BFD", "MWF")
    ]
    return results.with_tables(scores=scores, bounds=pd.DataFrame(rows))


def trace(
    digest: str = RECORDED_DIGEST, name: str = "measurements_5.json", **changes: Any
) -> Results:
    """A run on one recorded stream, with the published latencies."""
    setting = TRACE | changes
    scores = _latency_scores(setting, np.nan, 1)
    results = _frames([setting], scores, _latencies(setting, np.nan, 1), 1)
    streams = results["streams"].assign(source="trace", digest=digest, name=name, initial_rate=None)
    latency = results["latency"].assign(initial_rate=None)
    for algorithm, row in published.LATENCY.items():
        there = latency["algorithm"] == algorithm
        none = row.n_positive.high == 0
        latency.loc[there, "n_samples"] = published.N_SAMPLES
        latency.loc[there, "n_positive"] = round(row.n_positive.value)
        latency.loc[there, "p90"] = np.nan if none else row.p90.low - (algorithm == "MWF") * 0.003
        latency.loc[there, "max"] = np.nan if none else (row.longest or row.p90).high
        latency.loc[there, "mean_consumers"] = row.mean_consumers.low
    return judged(results.with_tables(streams=streams, latency=latency))


def judged(results: Results) -> Results:
    """The same run with the verdicts that its stage stores; none on somebody's own trace."""
    streams = results["streams"]
    if (streams["source"] == "trace").all() and RECORDED_DIGEST not in set(streams["digest"]):
        return without(results, "published_figures")
    rows = list(judge_figures.rows(results))
    return results.with_tables(published_figures=pd.DataFrame(rows).astype(object))


def with_differences(results: Results) -> Results:
    """The same run, compared with a baseline: a score each of every verdict, the rest the same."""
    rows = [
        {"metric": metric, "value": row[metric], "baseline_value": row[metric], "verdict": "same"}
        | {key: row[key] for key in ("experiment", "delta", "algorithm")}
        | {"low": row.get(f"{metric}_low"), "high": row.get(f"{metric}_high")}
        | {"baseline_run_id": "paper-20250101T030405", "expected": "interval"}
        for row in results["pareto"].to_dict("records")
        for metric in ("cbs", "mean_rscore", "mean_consumers")
    ]
    rows[0] |= {"value": 1.02 * rows[0]["value"], "verdict": "moved"}
    rows[1] |= {"value": np.nextafter(rows[1]["value"], 0), "verdict": "moved"}
    rows[3] |= {"value": 0.999 * rows[3]["value"], "verdict": "changed"}
    rows[6] |= {"baseline_value": np.nan, "low": None, "high": None, "verdict": "new"}
    rows[9] |= {"value": None, "verdict": "gone"}
    rows[10] |= {"metric": "p90", "value": np.inf, "baseline_value": 4.52, "verdict": "moved"}
    return results.with_tables(differences=pd.DataFrame(rows))


def _stream_id(experiment: str, delta: float, replicate: int) -> str:
    return f"{experiment}-d{delta:g}-uniform-r{replicate:04d}"


def _scores(replicates: int) -> Iterable[dict[str, Any]]:
    rng = np.random.default_rng(1)
    for (algorithm, delta), value in SECTION_VI_E.items():
        for replicate in range(replicates):
            noise = 1 + rng.normal(0, 0.01)
            yield {
                "stream_id": _stream_id("tradeoff", delta, replicate),
                "experiment": "tradeoff",
                "delta": delta,
                "replicate": replicate,
                "algorithm": algorithm,
                "initial_rate": "uniform",
                "mean_consumers": value.mean_consumers * noise,
                "cbs": value.cbs * noise,
                "mean_rscore": value.mean_rscore * noise,
                "mean_migrations": 2 * value.mean_rscore,
            }


def _latency_scores(setting: dict[str, Any], delta: float, replicates: int) -> list[dict[str, Any]]:
    rows = []
    for replicate in range(replicates):
        for place, algorithm in enumerate(setting["algorithms"]):
            rows.append(
                {
                    "stream_id": _stream_id(setting["name"], delta, replicate),
                    "experiment": setting["name"],
                    "delta": delta,
                    "replicate": replicate,
                    "algorithm": algorithm,
                    "initial_rate": "uniform",
                    "mean_consumers": _consumers(algorithm, place, replicate),
                    "cbs": 0.02 * place,
                    "mean_rscore": 30.0 - place,
                    "mean_migrations": 60.0 - place,
                }
            )
    return rows


def _consumers(algorithm: str, place: int, replicate: int) -> float:
    n = registry.parameter_of(algorithm)
    return float(n) if n is not None else 14.0 + 0.2 * place + 0.05 * replicate


def _latencies(setting: dict[str, Any], delta: float, replicates: int) -> list[dict[str, Any]]:
    rng = np.random.default_rng(2)
    rows = []
    for row in _latency_scores(setting, delta, replicates):
        n = registry.parameter_of(row["algorithm"])
        positive = 0 if n is not None and n >= 31 else int(80_000 * (1 + rng.normal(0, 0.05)))
        histogram = np.zeros(len(HISTOGRAM_EDGES) - 1, dtype=np.int64)
        histogram[30:35] = positive // 5
        histogram[35] = positive - 5 * (positive // 5)
        scale = np.nan if positive == 0 else 1.0 if n is None else 400.0 / n
        keys = ("stream_id", "experiment", "delta", "replicate", "algorithm", "initial_rate")
        rows.append(
            {key: row[key] for key in (*keys, "mean_consumers")}
            | {"n_samples": 4_000_000 + int(rng.normal(0, 100_000)), "n_positive": positive}
            | {"p50": 2.0 * scale, "p90": 4.52 * scale, "p99": 4.9 * scale, "max": 5.0 * scale}
            | {"histogram": histogram}
        )
    return rows


def _frames(
    settings: Sequence[dict[str, Any]],
    scores: Iterable[dict[str, Any]],
    latency: Sequence[dict[str, Any]],
    replicates: int,
) -> Results:
    by_stream = pd.DataFrame(scores)
    by_stream["cbs_common"] = by_stream["cbs"]
    for metric in METRICS:
        if metric.table == "scores" and metric.column not in by_stream:
            by_stream[metric.column] = 1.0
    states = [
        TableState("streams", "s3a://bucket/streams", 3, by_stream["stream_id"].nunique()),
        TableState("scores", "s3a://bucket/scores", 12, len(by_stream)),
    ]
    by_table = inference.rows(
        inference.of_scores(by_stream), 7, {setting["name"]: setting for setting in settings}
    )
    more = {name: pd.DataFrame(by_table[name]) for name in ("rankings", "indicators", "dominance")}
    tables = {
        "streams": _streams(settings, by_stream),
        "scores": by_stream,
        "latency": pd.DataFrame(latency).drop(columns="histogram"),
        "histograms": _histograms(pd.DataFrame(latency)),
        "pareto": fronts(by_stream),
        "validations": _validations(),
        "series": _series(by_stream),
    }
    return judged(Results(tables | more, _run(settings), states))


def _run(settings: Sequence[dict[str, Any]]) -> dict[str, Any]:
    return run_row(
        "paper-20250102T030405",
        {"preset": "paper", "experiments": list(settings)},
        ("run_algorithms", ["tradeoff d=5"], 1.5),
        ("run_algorithms", ["tradeoff d=10"], 70.0),
        ("score", None, 0.5),
    )


def _streams(settings: Sequence[dict[str, Any]], scores: pd.DataFrame) -> pd.DataFrame:
    keys = ["stream_id", "experiment", "delta", "replicate", "initial_rate"]
    streams = scores[keys].drop_duplicates("stream_id").reset_index(drop=True)
    by_name = {setting["name"]: setting for setting in settings}
    sizes = {"n_partitions": "partitions", "n_iterations": "iterations", "capacity": "capacity"}
    for column, field in sizes.items():
        streams[column] = [by_name[name][field] for name in streams["experiment"]]
    return streams.assign(source="generated", name=None, digest=None, consumer_capacity=133.0)


def _histograms(latency: pd.DataFrame) -> pd.DataFrame:
    keys = ["experiment", "delta", "algorithm"]
    return latency.groupby(keys, dropna=False)["histogram"].sum().reset_index()


def fronts(scores: pd.DataFrame) -> pd.DataFrame:
    """Rows of `pareto` for rows of `scores`."""
    rows: list[dict[str, Any]] = []
    for (experiment, delta), part in scores.groupby(["experiment", "delta"], dropna=False):
        averages = [_average(experiment, delta, str(n), p) for n, p in part.groupby("algorithm")]
        points = np.array([(row["cbs"], row["mean_rscore"]) for row in averages])
        flags = pareto_front.non_dominated(points)
        rows += [
            row | {"on_front": bool(flag), "on_reference_front": bool(flag)}
            for row, flag in zip(averages, flags, strict=True)
        ]
    return pd.DataFrame(rows)


def _average(experiment: str, delta: float, name: str, part: pd.DataFrame) -> dict[str, Any]:
    row: dict[str, Any] = {"experiment": experiment, "delta": delta, "algorithm": name}
    row["replicates"] = len(part)
    row["mean_consumers"] = float(part["mean_consumers"].mean())
    for metric in ("cbs", "mean_rscore", "cbs_common"):
        mean, low, high = intervals.mean_interval(part[metric].to_numpy(), seed=1)
        row |= {metric: mean, f"{metric}_low": low, f"{metric}_high": high}
    return row


def _series(scores: pd.DataFrame) -> pd.DataFrame:
    keys = scores[["experiment", "delta", "algorithm"]].drop_duplicates()
    steps = pd.DataFrame({"iteration": range(1, 21)})
    series = keys.merge(steps, how="cross")
    series["n_consumers"] = 15.0 + series["iteration"] % 3
    series["n_consumers_min"] = 14
    series["rscore"] = 2.5 + series["iteration"] % 2
    return series.assign(n_consumers_max=18, n_rows=10)


def _validations() -> pd.DataFrame:
    columns = ("table_name", "rule", "meaning", "observed", "success")
    rows = [
        ("streams", "key_unique", "One row per stream.", "unique", True),
        ("scores", "cbs_not_negative", "CBS is at least 0.", "minimum 0.0", True),
    ]
    return pd.DataFrame(rows, columns=columns)
