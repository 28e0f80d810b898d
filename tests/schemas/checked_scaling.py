"""Changes for the checks of a single row of the tables of autoscaling."""

from __future__ import annotations

from schemas.tables.autoscaling.simulations import LATENCIES
from tests.schemas.changes import Changes

INF = float("inf")
NO_EVENTS = {"sla_percent": None, **dict.fromkeys(LATENCIES)}
DOMINATED = {"on_front": False, "dominated_by": "linear", "replicates_dominated": 1}


def _interval(name: str, value: float, is_nullable: bool) -> Changes:
    """Changes for the interval of a mean over two streams."""
    low, high = f"{name}_low", f"{name}_high"
    single = {"replicates": 1, low: None, high: None}
    given = {name: value, low: value, high: value}
    missing = {name: None, low: None, high: None}
    return Changes(
        [
            given,
            given | {low: value / 2, high: value * 2},
            given | {low: value + 1e-12, high: value - 1e-12},
            single,
            *([missing] if is_nullable else []),
        ],
        [
            given | {low: value * 1.001, high: value * 2},
            given | {low: value / 2, high: value * 0.999},
            given | {low: None},
            given | {high: None},
            given | {"replicates": 1},
            single | {"replicates": 2},
            *([missing | {low: value}] if is_nullable else []),
        ],
    )


CHANGES: dict[str, dict[str, Changes]] = {
    "simulations": {
        "bound_holds": Changes(
            [
                {"least_minutes": None},
                {"least_minutes": 4.0, "replica_minutes": 4.0},
                {"least_minutes": 4.0 + 1e-9, "replica_minutes": 4.0},
                {"least_minutes": 0.0, "replica_minutes": 0.0},
            ],
            [{"least_minutes": 4.001, "replica_minutes": 4.0}, {"replica_minutes": 1.999}],
        ),
        "latencies_ordered": Changes(
            [
                NO_EVENTS,
                dict.fromkeys(LATENCIES, 0.5),
                {"p999": INF, "max": INF},
                {"mean": INF, "max": INF},
                {"mean": 2.0 + 1e-10},
            ],
            [
                NO_EVENTS | {"sla_percent": 100.0},
                {"sla_percent": None},
                *(NO_EVENTS | {name: 0.5} for name in LATENCIES),
                *({name: None} for name in LATENCIES),
                {"mean": 2.1},
                {"p50": 0.6},
                {"p90": 0.6},
                {"p95": 1.1},
                {"p99": 1.6},
                {"p999": 2.1},
                {"p99": INF},
            ],
        ),
    },
    "trajectories_audit": {
        "iterations_once": Changes(
            [{"n_rows": 3, "n_distinct_iterations": 3}], [{"n_distinct_iterations": 1}]
        ),
    },
    "actions": {
        "kind_follows": Changes(
            [
                {"replicas_after": 3},
                {"kind": "down", "replicas_before": 2, "replicas_after": 0},
                {"kind": "reassign", "replicas_after": 1},
            ],
            [{"kind": "down"}, {"kind": "reassign"}, {"replicas_after": 1}, {"replicas_before": 3}],
        ),
    },
    "trade_offs": {
        "sla_percent_interval": _interval("sla_percent", 50.0, is_nullable=True),
        "replica_minutes_interval": _interval("replica_minutes", 4.0, is_nullable=False),
        "partitions_moved_interval": _interval("partitions_moved", 2.0, is_nullable=False),
        "regret_interval": _interval("regret", 0.5, is_nullable=True),
        "hypervolume_interval": _interval("hypervolume", 0.5, is_nullable=True),
        "dominated_off_front": Changes(
            [
                DOMINATED,
                DOMINATED | {"replicates_dominated": 0},
                {"on_front": False, "eligible": False},
            ],
            [
                {"eligible": False},
                DOMINATED | {"on_front": True},
                DOMINATED | {"dominated_by": None},
                DOMINATED | {"replicates_dominated": 3},
                {"on_front": False},
                {"replicates_dominated": 1},
            ],
        ),
    },
    "published_figures": {
        "exact_is_equal": Changes(
            [
                {"verdict": "exact", "difference": None},
                {"verdict": "exact", "difference": "="},
                {"verdict": "not comparable", "difference": "+"},
            ],
            [{"verdict": "exact", "difference": sign} for sign in "+-"],
        ),
        "interval_has_both_ends": Changes(
            [{"low": 1.0, "high": 1.0}, {"low": None, "high": None}],
            [{"low": 2.0, "high": 1.0}, {"low": None}, {"high": None}],
        ),
    },
}
"""Changes by table (or audit frame) and check."""
