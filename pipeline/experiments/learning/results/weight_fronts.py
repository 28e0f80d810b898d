"""Fronts of agents and rules over weights of late events: the area that each dominates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from algorithms.core.arrays import Floats
from algorithms.core.seeds import derive_seed
from algorithms.inference import block_fronts
from algorithms.learning.group_traces import TEST
from algorithms.learning.learned_group import spelled_weight
from algorithms.scores.strategy_fronts import SLA_FLOOR
from pipeline.experiments.learning.kernels.group_kernel import CLAIRVOYANT
from pipeline.experiments.learning.results import group_scoring
from pipeline.settings.learning_experiment import BASE, LearningExperiment
from schemas.tables.learning.group_columns import SPLITS

LATE_UNIT = 1.0 - SLA_FLOOR / 100.0
"""Share of late events that counts as 1 on the axes of a front."""

Row = dict[str, Any]

Fronts = Mapping[tuple[str, str], list[str]]
"""By policy and variant without its weight: ``parameters`` of the points, weights ascending."""


def rows(one: LearningExperiment, evaluations: pd.DataFrame, root: int) -> Iterator[Row]:
    """Rows of `group_fronts` of an experiment, without ``run_id``."""
    fronts = {**_agents(one), **_rules(one, evaluations)}
    tests = evaluations[evaluations["part"] == TEST]
    for split in (*SPLITS, group_scoring.ALL):
        own = tests if split == group_scoring.ALL else tests[tests["split"] == split]
        for (policy, variant), points in fronts.items():
            recordings = _recordings(own[own["policy"] == policy], points, one.partitions)
            seed = derive_seed(root, "group fronts", one.name, split, policy, variant)
            area = block_fronts.area_interval(recordings, seed)
            yield {
                "experiment": one.name,
                "split": split,
                "policy": policy,
                "variant": variant,
                "points": len(points),
                "seeds": len(recordings[0]),
                "traces": len(recordings),
                "hypervolume": area.mean,
                "hypervolume_low": area.low,
                "hypervolume_high": area.high,
            }


def without_weight(variant: str) -> str:
    """A variant, but for its weight of late events."""
    kept = [part for part in variant.split(":") if not part.startswith("weight=")]
    return ":".join(kept) or BASE


def _agents(one: LearningExperiment) -> Fronts:
    ordered = sorted(one.variants, key=lambda each: one.group_settings(each).group.weight)
    fronts: dict[tuple[str, str], list[str]] = {}
    for agent in one.agents:
        for variant in ordered:
            fronts.setdefault((agent, without_weight(variant)), []).append(variant)
    return fronts


def _rules(one: LearningExperiment, evaluations: pd.DataFrame) -> Fronts:
    groups = [group_scoring.group_of(one, weight) for weight in one.weights()]
    chosen = {
        (rule, ""): [group_scoring.best_setting(evaluations, rule, group)[0] for group in groups]
        for rule in one.rules
    }
    return chosen | {(CLAIRVOYANT, ""): [spelled_weight(weight) for weight in one.weights()]}


def _recordings(rows: pd.DataFrame, points: list[str], partitions: int) -> list[Floats]:
    return [
        _recording(own.sort_values("seed"), points, partitions)
        for _, own in sorted(iter(rows.groupby("trace")))
    ]


def _recording(rows: pd.DataFrame, points: list[str], partitions: int) -> Floats:
    """Shares of all replicas, and of `LATE_UNIT` of the events, by seed, point and block."""
    each = [rows[rows["parameters"] == parameters].to_dict("records") for parameters in points]
    first = each[0][0]
    blocks = len(first["block_paid_s"])
    units = (partitions * first["seconds"], LATE_UNIT * max(first["events"], 1.0))
    values = [
        [[one["block_paid_s"] for one in point] for point in each],
        [[group_scoring.late_of(one) for one in point] for point in each],
    ]
    shares = [blocks * np.array(v, float) / unit for v, unit in zip(values, units, strict=True)]
    # Points come first in `each`, seeds first in a front.
    result: Floats = np.stack(shares, axis=-1).swapaxes(0, 1)
    return result
