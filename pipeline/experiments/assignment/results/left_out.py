"""A run's results on its recorded traces without hot partitions.

A partition that is faster than one consumer falls behind under every algorithm, and what waits
there hides what the algorithms do with all others. So algorithms run again without them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from algorithms.assignment import registry
from algorithms.scores import latency_model, sweep
from pipeline.experiments.assignment.kernels import scores_kernel
from pipeline.experiments.assignment.kernels.row_blocks import Series
from pipeline.inputs.traces import hot_partitions, trace_topics
from pipeline.inputs.traces.trace_topics import Topics
from pipeline.warehouse.runs.run_results import Results

if TYPE_CHECKING:
    from pipeline.settings.run_config import RunConfig

RATES = "hot_rates"
"""Frame of `Results` with the rates of the traces that have hot partitions: ``stream_id``, and
``rates`` in the order of their iterations."""

NAMES = "hot_names"
"""Frame with the names of their ``partitions``, by ``stream_id``."""

_DAY_S = 86_400.0


def hot_streams(config: RunConfig) -> list[str]:
    """Traces of a run that have hot partitions, by stream."""
    capacities = [experiment.consumer_capacity for experiment in config.experiments[:1]]
    return [
        source.stream_id
        for capacity in capacities
        for source in config.traces
        if hot_partitions.hot(source.fastest[:1], capacity)
    ]


def count(results: Results, experiment: str) -> int:
    """Number of hot partitions in the traces of an experiment."""
    setting = results.experiments[experiment]
    return sum(int(_is_hot(rates, setting).sum()) for _, rates in _traces(results))


def without(results: Results, experiment: str, algorithms: Sequence[str]) -> Results | None:
    """Scores and latency of some algorithms on the traces of an experiment without hot partitions.

    algorithms: Names; fixed groups of more consumers than there are partitions are ignored.
    Returns: The run with other rows in `scores` and `latency`; None without hot partitions, or if
        no others are left.
    """
    setting, traces = results.experiments[experiment], _traces(results)
    if not traces:
        return None
    seeds = dict(results.at(experiment)["streams"][["stream_id", "seed"]].itertuples(index=False))
    scores, latency = (
        [_others(results.at(experiment)[table], traces, algorithms)]
        for table in ("scores", "latency")
    )
    for stream_id, rates in traces:
        kept = np.flatnonzero(~_is_hot(rates, setting))
        if kept.size:
            topics = _topics(results, stream_id, kept)
            names = [name for name in algorithms if _fits(name, kept.size, topics)]
            frames = _measured(rates[:, kept], names, setting, int(seeds[stream_id]), topics)
            keys = {"stream_id": stream_id, "experiment": experiment, "delta": np.nan}
            scores.append(frames[0].assign(**keys))
            latency.append(frames[1].assign(**keys))
    scores, latency = ([part for part in parts if len(part)] for parts in (scores, latency))
    if not scores:
        return None
    return results.with_tables(scores=pd.concat(scores), latency=pd.concat(latency))


def _traces(results: Results) -> list[tuple[str, NDArray[np.float64]]]:
    rows = results.tables.get(RATES)
    if rows is None:
        return []
    return [
        (str(stream_id), np.vstack(list(part["rates"])).astype(np.float64))
        for stream_id, part in rows.groupby("stream_id", sort=False)
    ]


def _topics(results: Results, stream_id: str, kept: NDArray[np.intp]) -> Topics | None:
    """Topics of some partitions of a trace; None if their names are not known."""
    rows = results.tables.get(NAMES)
    if rows is None:
        return None
    (partitions,) = rows.loc[rows["stream_id"] == stream_id, "partitions"]
    return trace_topics.of([str(partitions[index]) for index in kept])


def _fits(name: str, partitions: int, topics: Topics | None) -> bool:
    """Whether a fixed group has a partition for each consumer; other algorithms always fit."""
    most = partitions
    if topics is not None and registry.get(name).by_topic:
        most = trace_topics.largest(topics)
    return (registry.members_of(name) or 0) <= most


def _is_hot(rates: NDArray[np.float64], setting: Mapping[str, Any]) -> NDArray[np.bool_]:
    peaks = hot_partitions.peak_rates(rates)
    return hot_partitions.are_hot(peaks, float(setting["consumer_capacity"]))


def _others(
    rows: pd.DataFrame, traces: Iterable[tuple[str, object]], algorithms: Sequence[str]
) -> pd.DataFrame:
    """Rows of the traces that have no hot partitions."""
    hot = [stream_id for stream_id, _ in traces]
    return rows[~rows["stream_id"].isin(hot) & rows["algorithm"].isin(algorithms)]


def _measured(
    rates: NDArray[np.float64],
    algorithms: Sequence[str],
    setting: Mapping[str, Any],
    seed: int,
    topics: Topics | None,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Rows of `scores` and `latency` of one stream, as far as a decision needs them."""
    capacity, step_s = float(setting["capacity"]), float(setting["iteration_seconds"])
    swept = {name: sweep.run(name, rates, capacity, seed, topics) for name in algorithms}
    counts = {name: one.n_consumers for name, one in swept.items()}
    fewest = sweep.reference_minimum(rates, capacity, seed, counts)
    series = [_series(name, one, fewest) for name, one in swept.items()]
    scores = pd.DataFrame(scores_kernel.rows_of(series))
    scores[scores_kernel.PER_DAY] = scores["moving_share"] * _DAY_S / step_s
    queue = (float(setting["consumer_capacity"]), step_s, float(setting["rebalance_seconds"]))
    waits = [
        {"algorithm": name, **latency_model.summarise(rates, one.consumers, *queue)._asdict()}
        for name, one in swept.items()
    ]
    return scores, pd.DataFrame(waits)


def _series(name: str, one: sweep.SweepResult, fewest: NDArray[np.integer]) -> Series:
    numbers = {key: getattr(one, key) for key in ("n_consumers", "n_migrations", "rscore")}
    numbers |= {"min_consumers": fewest, "iteration": np.arange(1, len(fewest) + 1)}
    return Series("", "", None, name, None, numbers, None)
