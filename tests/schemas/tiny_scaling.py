"""The part of the tiny run that is about autoscaling: one experiment, three candidates."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from algorithms.core.group_declarations import StoredGroup
from algorithms.core.setting import declared
from tests.schemas import tiny_streams
from tests.schemas.plain_rows import filled

Row = dict[str, Any]

EXPERIMENT = {
    "name": "scaled",
    "partitions": 2,
    "iterations": 2,
    "replicates": 2,
    "recorded": 1,
    "strategies": ["constant:initial_replicas=2", "linear", "linear:f_up=0.5"],
}
WORKLOAD = "diurnal, 2 partitions, equal"
FACTS = {
    **{"source": "profile", "name": WORKLOAD, "capacity": 200.0, "consumer_capacity": 200.0},
    **{"step_s": 1.0, "unit": "events/s"},
}

CANDIDATES = (("constant", "initial_replicas=2"), ("linear", ""), ("linear", "f_up=0.5"))
# SLA % and replica-minutes: the defaults of linear dominate f_up=0.5.
COSTS = dict(zip(CANDIDATES, ((100.0, 4.0), (75.0, 2.0), (75.0, 3.0)), strict=True))
DOMINATED = CANDIDATES[2]
ACTIONS = dict(
    zip(CANDIDATES, ((), (("up", 1, 2), ("down", 2, 1)), (("reassign", 1, 1),)), strict=True)
)
DEFAULTS = {item.name: item.default for item in declared(StoredGroup).values()}
SETTINGS = {name: value for name, value in DEFAULTS.items() if value is not None}
AVERAGED = ("sla_percent", "replica_minutes", "partitions_moved")


PUBLISHED = {
    "figure_key": "Table 2: W1: linear: replica_minutes",
    "source": "A paper",
    "location": "Table 2",
    "its_workload": "W1",
    "its_strategy": "Linear",
    "candidate": "linear",
    "figure": "replica-minutes",
    "unit": "min",
    "published": "25.5",
    "published_value": 25.5,
    "ours": "25.517",
    "our_value": 25.517,
    "low": None,
    "high": None,
    "interval_text": None,
    "difference": "=",
    "verdict": "exact",
    "note": "",
}


RECOMMENDED = {
    "decision": "Deploy 2 constant replicas.",
    "is_kept": True,
    "answer": "constant:initial_replicas=2",
    "assignor": "range",
    "on_time_percent": 99.5,
    "chance": None,
    "replicas": 2.0,
    "most_replicas": 2.0,
    "page": "recommendation.html",
}


SWEPT = (
    {"swept": "even", "arrivals": "even"},
    {"swept": "drift", "arrivals": "drift", "shift_s": 0.005},
)
"""Open settings of the claims."""


EVENTS: Mapping[str, tuple[str, tuple[float, ...]]] = {
    "crash": ("crash", (50.0, math.inf)),
    "outage:15m": ("outage", (1_800.0, 1_800.0)),
    "warm_up": ("warm_up", ()),
}
"""Kind of each event at the busiest hour, and time until the lag is gone of both seeds, s."""


def rows(run_id: str) -> dict[str, list[Row]]:
    """Rows of this experiment by table and audit frame."""
    recorded = [(1, *candidate) for candidate in CANDIDATES]
    every = [(replicate, *candidate) for replicate in (1, 2) for candidate in CANDIDATES]
    placed = {"run_id": run_id, "experiment": "scaled"}
    by_table = {
        **tiny_streams.rows("scaled", placed | FACTS, [[100.0, 150.0]] * 2),
        "simulations": [placed | _simulation(*key) for key in every],
        "trajectories": [placed | _step(*key, k) for key in recorded for k in (1, 2)],
        "trajectories_audit": [
            tiny_streams.sequence(tiny_streams.stream_id("scaled", r))
            | {"strategy": s, "setting": p}
            for r, s, p in recorded
        ],
        "actions": [placed | action for key in recorded for action in _actions(*key)],
        "trade_offs": [placed | _trade_off(*candidate) for candidate in CANDIDATES],
        "published_figures": [{"run_id": run_id, **PUBLISHED}],
        "recommendations": [placed | RECOMMENDED],
        "claim_runs": [placed | claimed for claimed in _claimed()],
        "claim_differences": [placed | difference for difference in _differences()],
        "bad_hour_runs": [placed | simulated for simulated in _bad_hours()],
        "bad_hour_effects": [placed | effect for effect in _effects()],
    }
    return filled(by_table)


def label(strategy: str, setting: str) -> str:
    """A candidate as the configuration writes it."""
    return f"{strategy}:{setting}" if setting else strategy


def _of(replicate: int, strategy: str, setting: str) -> Row:
    return {
        "stream_id": tiny_streams.stream_id("scaled", replicate),
        "strategy": strategy,
        "setting": setting,
    }


def _simulation(replicate: int, strategy: str, setting: str) -> Row:
    sla_percent, replica_minutes = COSTS[strategy, setting]
    kinds = [kind for kind, _, _ in ACTIONS[strategy, setting]]
    latencies = ("mean", "p50", "p90", "p95", "p99", "p999", "max")
    return (
        _of(replicate, strategy, setting)
        | {
            "workload": WORKLOAD,
            "replicate": replicate,
            **SETTINGS,
            "replica_minutes": replica_minutes,
            "sla_percent": sla_percent,
        }
        | {f"n_{kind}": kinds.count(kind) for kind in ("up", "down", "reassign")}
        | dict(zip(latencies, (0.5, 0.25, 0.5, 0.5, 1.0, 1.5, 2.0), strict=True))
        | {
            "partitions_moved": len(kinds),
            "peak_lag": 50.0,
            "stalled_s": float(len(kinds)),
            "least_minutes": 2.0,
        }
    )


def _step(replicate: int, strategy: str, setting: str, iteration: int) -> Row:
    return _of(replicate, strategy, setting) | {
        "iteration": iteration,
        "replicas": 2,
        "arrived": 250.0,
        "served": 250.0,
    }


def _actions(replicate: int, strategy: str, setting: str) -> Iterator[Row]:
    for i, (kind, before, after) in enumerate(ACTIONS[strategy, setting]):
        yield _of(replicate, strategy, setting) | {
            "action": i + 1,
            "time_s": float(i),
            "kind": kind,
            "replicas_before": before,
            "replicas_after": after,
            "moved": 1,
            "settled_after_s": None if kind == "down" else 1.0,
        }


def _claimed() -> Iterator[Row]:
    for strategy, setting in CANDIDATES[:2]:
        kinds = [kind for kind, _, _ in ACTIONS[strategy, setting]]
        late = {f"late_after_{kind}": 1.5 for kind in kinds}
        for swept in SWEPT:
            for number in (1, 2):
                own = {"strategy": strategy, "setting": setting, "number": number}
                figures = {"sla_percent": 75.0, "replica_minutes": 2.0, "max": 2.0}
                counts = {f"n_{kind}": kinds.count(kind) for kind in ("up", "down")}
                yield own | swept | figures | counts | late


def _differences() -> Iterator[Row]:
    apart = {"seeds": 2, "difference": 0.5, "low": 0.25, "high": 0.75}
    for setting in ({"swept": "all drifts"}, *SWEPT):
        whole = (
            {"shift_s": 0.0, "keys": "exact", "cooldown_s": 0.0} if "arrivals" in setting else {}
        )
        claim = {"claim": "fixed − linear", "quantity": "sla_percent"}
        yield claim | whole | setting | apart


def _bad_hours() -> Iterator[Row]:
    for strategy, setting in CANDIDATES[:2]:
        for event, (kind, gone_s) in EVENTS.items():
            for number in (1, 2):
                yield {
                    **{"strategy": strategy, "setting": setting, "kind": kind, "event": event},
                    **{"number": number, "late_events": 10.0 * number, "greatest_age_s": 45.0},
                    "lag_gone_after_s": gone_s[number - 1] if gone_s else None,
                    **{"replica_minutes": 3.0 + number, "quiet_minutes": 2.0 + number},
                }


def _effects() -> Iterator[Row]:
    """Means and medians of these, by hand."""
    for strategy, setting in CANDIDATES[:2]:
        for event, (kind, gone_s) in EVENTS.items():
            figures = {"late_events": 15.0, "greatest_age_s": 45.0, "added_minutes": 1.0}
            figures |= {"lag_gone_after_s": gone_s[0]} if gone_s else {}
            ends = {f"{name}_low": value for name, value in figures.items()}
            ends |= {f"{name}_high": value for name, value in figures.items()}
            recovered = {"recovered": sum(map(math.isfinite, gone_s)) if gone_s else None}
            named = {"strategy": strategy, "setting": setting, "kind": kind, "event": event}
            yield named | {"seeds": 2} | figures | ends | recovered


def _trade_off(strategy: str, setting: str) -> Row:
    sla_percent, replica_minutes = COSTS[strategy, setting]
    is_dominated = (strategy, setting) == DOMINATED
    means = {
        "sla_percent": sla_percent,
        "replica_minutes": replica_minutes,
        "partitions_moved": float(len(ACTIONS[strategy, setting])),
        "regret": replica_minutes / 2.0 - 1.0,
        "hypervolume": 0.25,
    }
    ends = {f"{name}_{end}": value for name, value in means.items() for end in ("low", "high")}
    return (
        {"workload": WORKLOAD, "strategy": strategy, "setting": setting, "replicates": 2}
        | {"eligible": True}
        | {"on_front": not is_dominated, "dominated_by": "linear" if is_dominated else None}
        | {"replicates_dominated": 2 if is_dominated else 0}
        | means
        | ends
    )
