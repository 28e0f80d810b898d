"""What a run says of the paper's published figures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from algorithms.assignment import registry
from algorithms.inference import pareto_front
from pipeline.experiments.assignment.paper.paper_setting import DELTAS
from pipeline.reporting.sections import numbers
from pipeline.reporting.sections.tolerances import Measured


class Scores(NamedTuple):
    """Scores of one δ: rows are streams, columns algorithms, of CBS and of mean Rscore."""

    cbs: pd.DataFrame
    rscore: pd.DataFrame

    def fronts(self) -> pd.DataFrame:
        """Which of the paper's algorithms are on each stream's own front."""
        names = [name for name in registry.reference_set() if name in self.cbs]
        cbs = self.cbs[names].to_numpy(np.float64)
        rscore = self.rscore[names].to_numpy(np.float64)
        rows = [_front(*scores) for scores in zip(cbs, rscore, strict=True)]
        return pd.DataFrame(rows, columns=names)

    def mean_front(self) -> dict[str, bool]:
        """Which are on the front of the means over streams."""
        names = [name for name in registry.reference_set() if name in self.cbs]
        flags = _front(self.cbs[names].mean().to_numpy(), self.rscore[names].mean().to_numpy())
        return dict(zip(names, flags, strict=True))


class PaperRun(NamedTuple):
    """The part of a run that figures are compared with."""

    recorded: bool
    """Whether it has the authors' recorded stream."""
    latency: pd.DataFrame
    """Latencies on that stream, or on streams like it."""
    no_latency: str
    """Why no latency can be compared; empty if one can."""
    scores: Mapping[float, Scores]
    """Scores on streams of Section VI-E by δ."""
    no_scores: str
    """Why no score can be compared."""


Measure = Callable[[PaperRun], Measured]

Rank = Callable[[Scores], str]
"""Names what ranks first at one δ."""


def _front(cbs: NDArray[np.float64], rscore: NDArray[np.float64]) -> list[bool]:
    points = np.ascontiguousarray(np.column_stack([cbs, rscore]))
    return [bool(flag) for flag in pareto_front.non_dominated(points)]


def latency(algorithm: str, column: str, note: str = "") -> Measure:
    """A column of `latency` for each stream; the note holds whether it is compared or not."""

    def measure(run: PaperRun) -> Measured:
        rows = run.latency[run.latency["algorithm"] == algorithm].sort_values("stream_id")
        reason = run.no_latency or (f"not run: {algorithm}" if rows.empty else "")
        if reason:
            return Measured(missing="; ".join(filter(None, (reason, note))))
        # The paper prints 0 where no sample is above 0; the table has no percentile there.
        return Measured(rows[column].fillna(0.0).astype(float).to_numpy(), note=note)

    return measure


def cbs(algorithm: str, delta: float) -> Measure:
    """CBS of an algorithm for each stream, %."""
    return _scored((delta,), (algorithm,), lambda run: 100 * run[delta].cbs[algorithm])


def saved(algorithm: str, other: str, delta: float) -> Measure:
    """How far the mean Rscore of an algorithm is below another's on the same stream, %."""

    def values(scores: Mapping[float, Scores]) -> pd.Series:
        moved = scores[delta].rscore
        return 100 * (1 - moved[algorithm] / moved[other])

    return _scored((delta,), (algorithm, other), values)


def _scored(
    deltas: tuple[float, ...],
    names: tuple[str, ...],
    values: Callable[[Mapping[float, Scores]], pd.Series],
) -> Measure:
    def measure(run: PaperRun) -> Measured:
        reason = run.no_scores or _missing(run.scores, deltas, names)
        return Measured(missing=reason) if reason else Measured(values(run.scores).to_numpy())

    return measure


def _missing(
    scores: Mapping[float, Scores], deltas: tuple[float, ...], names: tuple[str, ...]
) -> str:
    """δ values and algorithms that the comparison needs and the run lacks; "" if none."""
    absent = [f"δ = {delta:g}" for delta in deltas if delta not in scores]
    there = [set(scores[delta].cbs) for delta in deltas if delta in scores]
    absent += [name for name in names if any(name not in algorithms for algorithms in there)]
    return f"not run: {numbers.listing(absent)}" if absent else ""


def everywhere(ranking: str, rank: Rank) -> Measure:
    """Whether a ranking names the same algorithms at every δ."""

    def measure(run: PaperRun) -> Measured:
        reason = run.no_scores or _missing(run.scores, DELTAS, registry.reference_set())
        if reason:
            return Measured(missing=reason)
        names = {delta: rank(run.scores[delta]) for delta in DELTAS}
        others = [f"{name} at δ = {delta:g}" for delta, name in names.items() if name != ranking]
        words = numbers.listing(list(dict.fromkeys(names.values())))
        return Measured(words=words, holds=not others, note="; ".join(others))

    return measure


def lowest_cbs(scores: Scores) -> str:
    """Algorithm with the lowest mean CBS."""
    return _ranked(scores.cbs)[0]


def highest_cbs(scores: Scores) -> str:
    """The two algorithms with the highest mean CBS."""
    return " > ".join(_ranked(scores.cbs)[:-3:-1])


def least_moving_unmodified(scores: Scores) -> str:
    """Unmodified algorithm with the lowest mean Rscore."""
    names = [name for name in registry.reference_set() if not name.startswith("M")]
    return _ranked(scores.rscore[names])[0]


def _ranked(values: pd.DataFrame) -> list[str]:
    """Algorithms of the reference set by their mean over streams, lowest first."""
    names = [name for name in registry.reference_set() if name in values]
    return [str(name) for name in values[names].mean().sort_values(kind="stable").index]


def on_front(name: str, always: bool) -> Measure:
    """Whether an algorithm's means are on the front at every δ, or mostly not."""

    def measure(run: PaperRun) -> Measured:
        reason = run.no_scores or _missing(run.scores, DELTAS, registry.reference_set())
        if reason:
            return Measured(missing=reason)
        on = sum(run.scores[delta].mean_front()[name] for delta in DELTAS)
        single = [run.scores[delta].fronts()[name] for delta in DELTAS]
        hits, streams = sum(int(flags.sum()) for flags in single), sum(map(len, single))
        words = "at every δ" if on == len(DELTAS) else f"at {on} of {len(DELTAS)} δ"
        note = f"on the front of {hits} of {streams} single streams"
        holds = on == len(DELTAS) if always else 2 * on < len(DELTAS)
        return Measured(words=words, holds=holds, note=note)

    return measure
