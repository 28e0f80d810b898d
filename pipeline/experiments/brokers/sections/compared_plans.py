"""Plans of several kinds next to each other: what they copy, and how balance drifts."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from live.brokers.elastic_choices import GENERATED, LEAST, TURNS
from pipeline.experiments.brokers.results.broker_study import SAME, Study
from pipeline.reporting.sections.section import Experiment, Row, Section, Table, number, text

LAST = 4
"""Scalings at an experiment's end whose mean shows drift: 3 → 4 → 5 → 4 → 3 brokers."""

_NAMES = {LEAST: "fewest moves", TURNS: "round robin", GENERATED: "Kafka's --generate"}

_FIELDS = (
    text("replication", "replication", terminal=True),
    text("scalings", "scalings"),
    number("moves", "moves", 1, terminal=True),
    number("of replicas %", "share", 1),
    number("MB", "moved_mb", 1, terminal=True),
    number("replicas apart", "replica_spread", 1, terminal=True),
    text("greatest", "replica_spread_most"),
    number("last four", "replica_spread_last", 1, terminal=True),
    number("leaders apart", "leader_spread", 1, terminal=True),
    text("greatest", "leader_spread_most"),
    number("last four", "leader_spread_last", 1, terminal=True),
    number("move s", "move_s", 1),
)

_NOTES = (
    "Means over scalings. Experiments start alike and scale the same brokers in the same order; "
    "each goes on from what its own plans left, so that balance can drift.",
    "Moves: replicas to copy by the plans, and their share of all replicas. Apart: most − least "
    "per broker; replicas by the plan, leaders counted after the election.",
)


def answer(studies: Sequence[Study]) -> list[str]:
    """What other plans copy against the least plan at the same replications; empty without both."""
    least = {one.replication: one for one in studies if one.planner == LEAST}
    parts = []
    for planner in (TURNS, GENERATED):
        pairs = [
            (one, least[one.replication])
            for one in studies
            if one.planner == planner and one.replication in least
        ]
        same = [one.scalings.merge(other.scalings, on=SAME) for one, other in pairs]
        if any(map(len, same)):
            # Columns of both have these endings.
            copied, fewest = (
                sum(int(rows[f"moves_{side}"].sum()) for rows in same) for side in ("x", "y")
            )
            apart = max(int(one.scalings["replica_spread"].max()) for one, _ in pairs)
            parts.append(
                f"{_NAMES[planner]} copied {copied / max(fewest, 1):.2f} times as many replicas as "
                f"the least plan, and brokers came to differ by up to {apart}"
            )
    return [f"On the same scalings, {'; '.join(parts)}."] if parts else []


def experiments(studies: Sequence[Study]) -> list[Experiment]:
    """A part of its own before the experiments, if these plan in different ways."""
    if len({one.planner for one in studies}) < 2:
        return []
    rows = [Row(_NAMES[one.planner], _values(one)) for one in studies]
    table = Table("", "Plan", _FIELDS, rows)
    section = Section(tables=[table], notes=_NOTES)
    return [Experiment("Plans compared", "a cluster for each plan and replication", [section])]


def _values(study: Study) -> dict[str, object]:
    own = study.scalings.sort_values("scaling")
    replicas = (own["partitions"] * study.replication).sum()
    values: dict[str, object] = {
        "replication": study.replication,
        "scalings": len(own),
        "moves": float(own["moves"].mean()),
        "share": 100.0 * float(own["moves"].sum()) / float(replicas),
        "moved_mb": float(own["moved_bytes"].mean()) / 1e6,
        "move_s": float(own["move_s"].astype(float).mean()),
    }
    for name in ("replica_spread", "leader_spread"):
        values |= _drift(name, own[name])
    return values


def _drift(name: str, spreads: pd.Series) -> dict[str, object]:
    return {
        name: float(spreads.mean()),
        f"{name}_most": int(spreads.max()),
        f"{name}_last": float(spreads.tail(LAST).mean()),
    }
