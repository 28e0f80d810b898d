"""Verdicts on Section VI-E: CBS, mean Rscore and fronts on generated streams."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from algorithms.assignment import registry
from algorithms.inference import pareto_front
from pipeline.experiments.assignment import published
from pipeline.experiments.assignment.results import studies
from pipeline.reporting.sections import numbers
from pipeline.reporting.sections.figure_verdict import (
    Span,
    Verdict,
    one_more,
    statement,
    unknown,
    written,
)
from pipeline.warehouse.runs.run_results import Results
from schemas.verdicts import NOT_COMPARABLE

MWF = "MWF"
"""The algorithm that the paper's numbers on CBS and Rscore are of."""

ALL_DELTAS = f"δ = {published.DELTAS[0]:g} to {published.DELTAS[-1]:g}"


class _Scores(NamedTuple):
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


def _front(cbs: NDArray[np.float64], rscore: NDArray[np.float64]) -> list[bool]:
    points = np.ascontiguousarray(np.column_stack([cbs, rscore]))
    return [bool(flag) for flag in pareto_front.non_dominated(points)]


Tables = dict[float, _Scores]


def tradeoff_verdicts(results: Results) -> list[Verdict]:
    """Verdicts on the published figures of the trade-off study."""
    reason, tables = _tables(results)
    saved = (
        _saved(tables, delta, value, reason, other)
        for other in (published.LEAST_MOVING_UNMODIFIED, published.RELEASED)
        for delta, value in published.RSCORE_SAVED_BY_MWF.items()
    )
    found = (
        *((MWF, _cbs(tables, d, value, reason)) for d, value in published.CBS_OF_MWF.items()),
        (published.LOWEST_CBS, _lowest(tables, reason)),
        (", ".join(published.HIGHEST_CBS), _highest(tables, reason)),
        *((MWF, one) for one in saved),
        (published.LEAST_MOVING_UNMODIFIED, _least_moving(tables, reason)),
        *((name, _always(tables, name, reason)) for name in published.ALWAYS_ON_FRONT),
        (published.MOSTLY_OFF_FRONT, _mostly_off(tables, reason)),
    )
    return [one._replace(subject=subject) for subject, one in found]


def _tables(results: Results) -> tuple[str, Tables]:
    """Why nothing can be compared ("" if it can), and the scores by δ."""
    study = studies.tradeoff(results)
    if study is None or not study.deltas:
        return "no generated streams with packing algorithms in this run", {}
    setting = results.experiments.get(study.name, {})
    differing = studies.differences(setting, published.TRADEOFF_SETTING)
    if differing:
        return f"experiment {study.name}: {'; '.join(differing)}", {}
    rows = results.at(study.name)["scores"]
    rows = rows[rows["initial_rate"] == "uniform"]
    found = {float(delta): _score_tables(part) for delta, part in rows.groupby("delta")}
    return ("", found) if found else (f"experiment {study.name}: no uniform start", {})


def _score_tables(rows: pd.DataFrame) -> _Scores:
    by_stream = rows.pivot(index="stream_id", columns="algorithm")
    return _Scores(by_stream["cbs"], by_stream["mean_rscore"])


def _missing(tables: Tables, deltas: tuple[float, ...], names: tuple[str, ...]) -> str:
    """δ values and algorithms that the comparison needs and the run lacks; "" if none."""
    absent = [f"δ = {delta:g}" for delta in deltas if delta not in tables]
    there = [set(tables[delta].cbs) for delta in deltas if delta in tables]
    absent += [name for name in names if any(name not in found for found in there)]
    return f"not run: {numbers.listing(absent)}" if absent else ""


def _cbs(tables: Tables, delta: float, value: str, reason: str) -> Verdict:
    key, figure = f"cbs_mwf_d{delta:g}", f"CBS of MWF at δ = {delta:g}"
    exact = Span.of(round(100 * published.SECTION_VI_E["MWF", delta].cbs, 2), 2)
    reason = reason or _missing(tables, (delta,), ("MWF",))
    if reason:
        found = unknown(key, figure, "%", exact, NOT_COMPARABLE, reason)
    else:
        found = one_more(key, figure, "%", exact, 100 * tables[delta].cbs["MWF"])
    return found._replace(published=_printed(value, exact))


def _saved(tables: Tables, delta: float, value: str, reason: str, other: str) -> Verdict:
    """How far MWF's Rscore is below NFD's: by the equations, or by the authors' released code."""
    base = published.LEAST_MOVING_UNMODIFIED
    key = f"rscore_saved_mwf_d{delta:g}" + ("_released" if other == published.RELEASED else "")
    how = f"{other} ({base} as released)" if other == published.RELEASED else other
    figure = f"mean Rscore of MWF below that of {how} at δ = {delta:g}"
    there = [published.SECTION_VI_E[name, delta].mean_rscore for name in ("MWF", base)]
    exact = Span.of(round(100 * (1 - there[0] / there[1]), 2), 2)
    reason = reason or _missing(tables, (delta,), ("MWF", other))
    if reason:
        found = unknown(key, figure, "%", exact, NOT_COMPARABLE, reason)
    else:
        moved = tables[delta].rscore
        saved = 100 * (1 - moved["MWF"] / moved[other])
        found = one_more(key, figure, "%", exact, saved)
    return found._replace(published=_printed(value, exact))


def _printed(value: str, exact: Span) -> str:
    """A figure as the paper prints it, with the value in the authors' results behind it.

    We compare with that value: some printed figures are rounded, others truncated.
    """
    return f"{value}{numbers.SPACE}% (results: {written(exact.low, '%', exact.decimals)})"


def _lowest(tables: Tables, reason: str) -> Verdict:
    key, figure = "lowest_cbs", f"lowest CBS, {ALL_DELTAS}"
    wanted = published.LOWEST_CBS
    reason = reason or _missing(tables, published.DELTAS, registry.reference_set())
    if reason:
        return unknown(key, figure, "", wanted, NOT_COMPARABLE, reason)
    firsts = [_ranked(tables[delta].cbs)[0] for delta in published.DELTAS]
    return _same_everywhere(key, figure, wanted, firsts)


def _highest(tables: Tables, reason: str) -> Verdict:
    key, figure = "highest_cbs", f"two highest CBS, {ALL_DELTAS}"
    wanted = " > ".join(published.HIGHEST_CBS)
    reason = reason or _missing(tables, published.DELTAS, registry.reference_set())
    if reason:
        return unknown(key, figure, "", wanted, NOT_COMPARABLE, reason)
    lasts = [" > ".join(_ranked(tables[delta].cbs)[:-3:-1]) for delta in published.DELTAS]
    return _same_everywhere(key, figure, wanted, lasts)


def _least_moving(tables: Tables, reason: str) -> Verdict:
    key, figure = "lowest_rscore_unmodified", f"lowest Rscore, unmodified only, {ALL_DELTAS}"
    wanted = published.LEAST_MOVING_UNMODIFIED
    reason = reason or _missing(tables, published.DELTAS, registry.reference_set())
    if reason:
        return unknown(key, figure, "", wanted, NOT_COMPARABLE, reason)
    names = [n for n in registry.reference_set() if not n.startswith("M")]
    firsts = [_ranked(tables[delta].rscore[names])[0] for delta in published.DELTAS]
    return _same_everywhere(key, figure, wanted, firsts)


def _ranked(values: pd.DataFrame) -> list[str]:
    """Algorithms of the reference set by their mean over streams, lowest first."""
    names = [name for name in registry.reference_set() if name in values]
    return [str(name) for name in values[names].mean().sort_values(kind="stable").index]


def _same_everywhere(key: str, figure: str, wanted: str, found: list[str]) -> Verdict:
    differing = [
        f"{name} at δ = {delta:g}"
        for delta, name in zip(published.DELTAS, found, strict=True)
        if name != wanted
    ]
    ours = numbers.listing(list(dict.fromkeys(found)))
    return statement(key, figure, wanted, ours, not differing, "; ".join(differing))


def _always(tables: Tables, name: str, reason: str) -> Verdict:
    key, figure = f"front_{name.lower()}", f"{name} on the Pareto front, {ALL_DELTAS}"
    reason = reason or _missing(tables, published.DELTAS, registry.reference_set())
    if reason:
        return unknown(key, figure, "", "at every δ", NOT_COMPARABLE, reason)
    on, note = _presence(tables, name)
    return statement(key, figure, "at every δ", _of_all(on), on == len(published.DELTAS), note)


def _mostly_off(tables: Tables, reason: str) -> Verdict:
    name = published.MOSTLY_OFF_FRONT
    key, figure = f"front_{name.lower()}", f"{name} on the Pareto front, {ALL_DELTAS}"
    reason = reason or _missing(tables, published.DELTAS, registry.reference_set())
    if reason:
        return unknown(key, figure, "", "mostly not", NOT_COMPARABLE, reason)
    on, note = _presence(tables, name)
    return statement(key, figure, "mostly not", _of_all(on), 2 * on < len(published.DELTAS), note)


def _of_all(on: int) -> str:
    return "at every δ" if on == len(published.DELTAS) else f"at {on} of {len(published.DELTAS)} δ"


def _presence(tables: Tables, name: str) -> tuple[int, str]:
    """At how many δ the means are on the front, and for how many single streams."""
    on = sum(tables[delta].mean_front()[name] for delta in published.DELTAS)
    single = [tables[delta].fronts()[name] for delta in published.DELTAS]
    streams = sum(len(flags) for flags in single)
    hits = sum(int(flags.sum()) for flags in single)
    return on, f"on the front of {hits} of {streams} single streams"
