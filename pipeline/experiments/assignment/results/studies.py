"""Which rows of a run belong to which study of the paper."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from algorithms.assignment import registry
from algorithms.inference import intervals
from pipeline.experiments.assignment import published
from pipeline.experiments.assignment.paper.authors_results import SECTION_VI_E, Published
from pipeline.experiments.assignment.paper.paper_setting import (
    LATENCY_DELTA,
    TRADEOFF_SETTING,
    is_tradeoff,
)
from pipeline.reporting.sections import numbers, recording_words
from pipeline.warehouse.runs.run_results import Results, at, deltas

CENTRAL = 95.0
"""Share of streams, in %, within the ranges that latency figures show."""


class Study(NamedTuple):
    """An experiment whose algorithms are compared by CBS and Rscore."""

    name: str
    """The experiment."""
    deltas: list[float]
    """Its δ values, ascending; empty for recorded traces."""
    packing: pd.DataFrame
    """Rows of `pareto` without Kafka's static assignments, which ignore the capacity."""
    replicates: int
    """Streams per δ (the most, where they differ)."""
    words: str

    @property
    def streams(self) -> str:
        """Number of streams behind a mean, in words."""
        many = "stream" if self.replicates == 1 else "streams"
        return f"{self.replicates} {many}" + (" per δ" if self.deltas else "")


def tradeoff(results: Results) -> Study | None:
    """Find the experiment to draw the trade-off from; None if no packing algorithm was run.

    That is the one with the paper's setting, else the one with most δ values (the first of
    several).
    """
    packing = results["pareto"][[is_packing(name) for name in results["pareto"]["algorithm"]]]
    names = list(dict.fromkeys(packing["experiment"]))
    if not names:
        return None
    chosen = max(names, key=lambda name: _fitness(results, name, packing))
    rows = at(packing, chosen)
    values = [delta for delta in deltas(rows, chosen) if not math.isnan(delta)]
    return Study(chosen, values, rows, int(rows["replicates"].max()), describe(results, chosen))


def _fitness(results: Results, name: str, packing: pd.DataFrame) -> tuple[bool, int, int]:
    setting = results.experiments.get(name, {})
    rows = at(packing, name)
    matches = not differences(setting, TRADEOFF_SETTING)
    return matches, len(deltas(rows, name)), rows["algorithm"].nunique()


def is_packing(name: str) -> bool:
    """Whether an algorithm keeps consumers within capacity, unlike Kafka's static ones."""
    return registry.get(name).keeps_capacity


def drawing_order(name: str) -> tuple[bool, object]:
    """Sort key that draws the modified algorithms last, above the others."""
    return name.startswith("M") or name not in registry.reference_set(), registry.sort_key(name)


def describe(results: Results, experiment: str) -> str:
    """Size of an experiment's streams, in words."""
    setting = results.experiments.get(experiment, {})
    unit = recording_words.unit(results)
    capacity = f"C = {numbers.plain(float(setting['capacity']))} {unit}" if setting else ""
    if is_recorded(results, experiment):
        return f"recorded traces, {capacity}"
    size = f"{setting['partitions']} partitions, {setting['iterations']} iterations"
    return f"{size}, {capacity}"


def is_recorded(results: Results, experiment: str) -> bool:
    """Whether all streams of an experiment are recorded traces."""
    streams = results.at(experiment)["streams"]
    return bool(streams.empty or (streams["source"] == "trace").all())


def differences(setting: Mapping[str, Any], printed: Mapping[str, object]) -> list[str]:
    """Fields in which an experiment differs from the paper's setting, with both values."""
    return [
        f"{field} is {setting.get(field)}, in the paper {value}"
        for field, value in printed.items()
        if setting.get(field) != value
    ]


def published_scores(results: Results, experiment: str) -> dict[tuple[str, float], Published]:
    """Published results that may be drawn over an experiment's: those of the same setting."""
    setting = results.experiments.get(experiment, {})
    if not is_tradeoff(setting):
        return {}
    there = results.at(experiment)["pareto"]
    pairs = set(zip(there["algorithm"], there["delta"], strict=True))
    return {key: value for key, value in SECTION_VI_E.items() if key in pairs}


class LatencyStudy(NamedTuple):
    """An experiment and δ whose latencies are compared."""

    name: str
    delta: float
    rows: pd.DataFrame
    """One row per algorithm, by mean consumers; see `summarise`."""
    streams: int
    """Number of streams."""
    words: str

    @property
    def where(self) -> str:
        """Experiment and δ, in words."""
        delta = "" if math.isnan(self.delta) else f" at δ = {self.delta:g}"
        return f"Experiment {self.name}{delta}: {self.words}"


def latency(results: Results) -> LatencyStudy | None:
    """Latencies of the experiment with most of Kafka's assignments, at δ 5 or the first above 0."""
    if results["latency"].empty:
        return None
    static = ~results["latency"]["algorithm"].map(is_packing)
    kinds = results["latency"].assign(static=results["latency"]["algorithm"].where(static))
    kafka = kinds.groupby("experiment", sort=False)["static"].nunique()
    name = str(kafka.idxmax())
    delta = latency_delta(deltas(results["latency"], name))
    rows = results.at(name, delta=delta)["latency"]
    return LatencyStudy(
        name, delta, summarise(rows), rows["stream_id"].nunique(), describe(results, name)
    )


def latency_delta(values: list[float]) -> float:
    """δ 5, or the first above 0."""
    above = [value for value in values if value > 0]
    return LATENCY_DELTA if LATENCY_DELTA in values else (above or values)[0]


def summarise(rows: pd.DataFrame) -> pd.DataFrame:
    """Latency of each algorithm over the streams of one experiment and δ.

    Columns: ``algorithm``, ``mean_consumers``, ``n_samples``, ``n_positive`` (means), ``share`` (of
    all samples those above 0, as in view `results` and the terminal), for each of ``p50``, ``p90``,
    ``p99``, ``max`` the median over streams, and for all of these, in ``<name>_low`` and
    ``<name>_high``, the range of the central 95 % of the streams. A percentile without any sample
    above 0 counts as 0 s; the share of no samples is NaN.
    """
    summaries = [_summary(str(name), part) for name, part in rows.groupby("algorithm", sort=False)]
    summaries.sort(key=lambda row: (row["mean_consumers"], registry.sort_key(row["algorithm"])))
    return pd.DataFrame(summaries)


def _summary(name: str, rows: pd.DataFrame) -> dict[str, Any]:
    means = {c: float(rows[c].mean()) for c in ("mean_consumers", "n_samples", "n_positive")}
    values = {c: rows[c].fillna(0.0).to_numpy(dtype=float) for c in ("p50", "p90", "p99", "max")}
    values["share"] = (rows["n_positive"] / rows["n_samples"]).fillna(0.0).to_numpy(dtype=float)
    summary: dict[str, Any] = {"algorithm": name, "streams": len(rows), **means}
    for column, seen in values.items():
        # An observed value, never one between two of them: percentiles may be infinite.
        ends = np.percentile(seen, [50 - CENTRAL / 2, 50 + CENTRAL / 2], method="nearest")
        low, high = (float(end) for end in ends)
        middle = intervals.median(seen)
        summary |= {column: middle, f"{column}_low": low, f"{column}_high": high}
    samples = means["n_samples"]
    return summary | {"share": means["n_positive"] / samples if samples > 0.0 else math.nan}


_PAPERS = ("kd_15", "kd_24", "kd_27", "kd_30")


def kafka_shown(study: LatencyStudy, most: int = 4) -> list[str]:
    """A few static assignments of Kafka, ``kd_n``, to draw, ascending.

    The paper's, if all of them are there or no other is. Otherwise the sizes from the fewest
    consumers of a packing algorithm on: larger groups would hide the differences.
    """
    rows = study.rows
    static = [name for name in rows["algorithm"] if registry.parameter_of(name) is not None]
    of_paper = [name for name in _PAPERS if name in static]
    if len(of_paper) == len(_PAPERS) or all(name in published.LATENCY for name in static):
        return of_paper or static
    packing = rows["mean_consumers"][rows["algorithm"].map(is_packing)]
    fewest = int(packing.min()) if len(packing) else 0
    first = sum((registry.parameter_of(name) or 0) < fewest for name in static)
    return static[max(min(first, len(static) - most), 0) :][:most]


def packing_shown(study: LatencyStudy) -> list[str]:
    """Packing algorithms to draw with them: MWF with Kafka's, else the modified ones and BFD."""
    there = [name for name in study.rows["algorithm"] if is_packing(name)]
    beside = ("MWF",) if len(there) < len(study.rows) else ("MWF", "MBF", "MWFP", "MBFP", "BFD")
    return [name for name in beside if name in there] or there[:5]
