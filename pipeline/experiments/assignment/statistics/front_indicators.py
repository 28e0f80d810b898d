"""Rows of `indicators`: hypervolume, epsilon and attainment surfaces of fronts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from algorithms.core.arrays import Floats
from algorithms.core.seeds import derive_seed
from algorithms.inference.front_quality import attainment, epsilon, front, hypervolume, on_axes
from algorithms.inference.intervals import mean_interval
from pipeline.experiments.assignment.paper.authors_results import SECTION_VI_E
from pipeline.experiments.assignment.paper.paper_setting import is_tradeoff
from pipeline.experiments.assignment.statistics.score_matrices import Scored
from schemas.tables.assignment.indicators import ALL, LEVELS, PUBLISHED, REFERENCE

UNIT = "BFD"
"""Algorithm whose mean Rscore is the unit of the axis of Rscores."""

Row = dict[str, Any]


def rows(unit: Scored, seed: int, setting: Mapping[str, Any]) -> Iterator[Row]:
    """Rows of an experiment and δ.

    setting: The experiment's configuration; the published front is drawn where it is the paper's.
    """
    everything = list(range(len(unit.names)))
    note = _note(unit)
    shared = {"experiment": unit.experiment, "delta": unit.delta}
    there = published_points(unit.delta, setting)
    if there:
        yield shared | {"front": PUBLISHED} | _published(unit, there, note)
    for name, columns in ((REFERENCE, unit.reference), (ALL, everything)):
        if columns:
            yield unit.keys | {"front": name} | _of_run(unit, name, columns, seed, note)


def published_points(
    delta: float | None, setting: Mapping[str, Any]
) -> dict[str, tuple[float, float]]:
    """CBS and mean Rscore that the authors published at a δ; none for another setting."""
    if delta is None or not is_tradeoff(setting):
        return {}
    return {
        name: (value.cbs, value.mean_rscore)
        for (name, at), value in SECTION_VI_E.items()
        if at == delta
    }


def _note(unit: Scored) -> str | None:
    """Why the axis of Rscores has no unit, None where it has one."""
    if UNIT not in unit.names:
        return f"{UNIT} was not run, whose mean Rscore is the unit of the axis"
    if not _rscore_unit(unit) > 0.0:
        return f"{UNIT} moves nothing, so the axis of mean Rscores has no unit"
    return None


def _rscore_unit(unit: Scored) -> float:
    return float(unit.rscore[:, unit.names.index(UNIT)].mean())


def _published(unit: Scored, there: Mapping[str, tuple[float, float]], note: str | None) -> Row:
    row: Row = {"replicates": 1, "algorithms": len(there), "note": note}
    moved = there[UNIT][1]
    if note is None and not moved > 0.0:
        return row | {"note": f"the published {UNIT} moves nothing"}
    if note is not None:
        return row
    points = on_axes(np.array(list(there.values())), moved)
    area = hypervolume(points)
    ours = on_axes(_means(unit), _rscore_unit(unit))
    return row | {
        "hypervolume": area,
        "hypervolume_of_means": area,
        "epsilon": epsilon(points, ours),
    }


def _of_run(unit: Scored, name: str, columns: Sequence[int], seed: int, note: str | None) -> Row:
    points = np.stack([unit.cbs, unit.rscore], axis=2)
    fronts = [front(replicate[columns]) for replicate in points]
    row: Row = {"algorithms": len(columns), "note": note} | _surfaces(fronts)
    if note is not None:
        return row
    moved = _rscore_unit(unit)
    mine = [on_axes(one, moved) for one in fronts]
    whole = [on_axes(replicate, moved) for replicate in points]
    areas = [hypervolume(one) for one in mine]
    shifts = [epsilon(*pair) for pair in zip(mine, whole, strict=True)]
    where = ("indicator", unit.experiment, str(unit.delta), name)
    return (
        row
        | _averaged("hypervolume", areas, derive_seed(seed, *where, "hypervolume"))
        | _averaged("epsilon", shifts, derive_seed(seed, *where, "epsilon"))
        | {"hypervolume_of_means": hypervolume(on_axes(_means(unit)[columns], moved))}
    )


def _means(unit: Scored) -> Floats:
    return np.column_stack([unit.cbs.mean(axis=0), unit.rscore.mean(axis=0)])


def _averaged(name: str, values: Sequence[float], seed: int) -> Row:
    interval = mean_interval(values, seed=seed)
    return {name: interval.mean, f"{name}_low": interval.low, f"{name}_high": interval.high}


def _surfaces(fronts: Sequence[Floats]) -> Row:
    """Corners of the attainment surfaces, on the axes of the scores."""
    row: Row = {}
    for level in LEVELS:
        corners = attainment(fronts, level / 100)
        row |= {f"cbs_{level}": corners[:, 0].tolist()}
        row |= {f"mean_rscore_{level}": corners[:, 1].tolist()}
    return row
