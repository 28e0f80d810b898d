"""A whole run in a few rows per table, legal by every rule: what the tests start from."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

from tests.schemas import (
    bounds_rows,
    tiny_applications,
    tiny_brokers,
    tiny_deciding,
    tiny_groups,
    tiny_learning,
    tiny_live,
    tiny_pulsar,
    tiny_scaling,
    tiny_streams,
)
from tests.schemas.plain_rows import BEGIN, filled

Row = dict[str, Any]

RUN = "20260101T000000-tiny"
BINS = 82

# CBS and mean Rscore: FFD dominates NF; kd_1, outside of the reference set, dominates both.
COSTS = {"FFD": (0.0, 0.0), "NF": (0.5, 0.25), "kd_1": (-0.25, 0.0)}
ON_FRONT = {"kd_1"}
ON_REFERENCE_FRONT = {"FFD"}


PUBLISHED = {
    "figure_key": "cbs_mwf_d5",
    "source": "Another paper",
    "location": "Section VI-E",
    "its_workload": "generated streams",
    "its_strategy": "MWF",
    "candidate": "MWF",
    "figure": "CBS of MWF at δ = 5",
    "unit": "%",
    "published": "11.8 %",
    "published_value": 11.8,
    "ours": "11.9 %",
    "our_value": 11.9,
    "low": 11.0,
    "high": 12.5,
    "interval_text": "11.0 to 12.5 %",
    "difference": None,
    "verdict": "reproduced",
    "note": "",
}


def run() -> dict[str, list[Row]]:
    """Rows of every table and audit frame, by name: an experiment of each family.

    A contract without rows of these experiments has one plain row.
    """
    parts = (
        *(_assigned(), tiny_live.rows(RUN), tiny_scaling.rows(RUN)),
        *(tiny_learning.rows(RUN), tiny_groups.rows(RUN), tiny_applications.rows(RUN)),
        *(tiny_pulsar.rows(RUN), tiny_brokers.rows(RUN), tiny_deciding.rows(RUN)),
    )
    return filled(
        {
            name: [row for part in parts for row in part.get(name, ())] or [{"run_id": RUN}]
            for name in bounds_rows.contracts()
        }
    )


def _assigned() -> dict[str, list[Row]]:
    """Rows that are of the experiment on assignment, or of none."""
    return {
        "runs": [_run()],
        **_streams(),
        "assignments": [_assignment(*key, k) for key in _pairs() for k in (1, 2)],
        "assignments_audit": [_assignments_audit(*key) for key in _pairs()],
        "bounds": list(_bounds()),
        "scores": [_score(*key) for key in _pairs()],
        "latency": [_latency(*key) for key in _pairs()],
        "pareto": [_point(name) for name in COSTS],
        "comparisons": [_comparison(metric, apart) for metric, apart in APART.items()],
        "rankings": [_rank(metric, *of) for metric in APART for of in (("NF", 2.0), ("FFD", 1.0))],
        "indicators": [_indicator(front) for front in ("reference", "all")],
        "dominance": [_dominated("NF"), _undominated("FFD")],
        "published_figures": [{"run_id": RUN, **PUBLISHED}],
        "baselines": [_promotion()],
        "differences": list(_differences()),
        "validations": [_validation()],
    }


def _pairs() -> Iterator[tuple[int, str]]:
    yield from ((replicate, name) for replicate in (1, 2) for name in COSTS)


def _run() -> Row:
    experiment = {
        "name": "tiny",
        "partitions": 2,
        "iterations": 2,
        "deltas": [5.0],
        "replicates": 2,
        "initial_rates": ["uniform"],
        "algorithms": list(COSTS),
        "bound_iterations": 5,
        "bound_algorithms": ["FFD"],
    }
    return {
        "run_id": RUN,
        "status": "published",
        "preset": "smoke",
        "finished_at": BEGIN + timedelta(minutes=1),
        "config": json.dumps(
            {
                "preset": "smoke",
                "seed": 1,
                "experiments": [experiment],
                "autoscaling": [tiny_scaling.EXPERIMENT],
                "live": [tiny_live.EXPERIMENT],
                "learning": [tiny_learning.EXPERIMENT, tiny_groups.EXPERIMENT],
                "applications": [tiny_applications.EXPERIMENT],
                "pulsar": [tiny_pulsar.EXPERIMENT],
                "brokers": [tiny_brokers.EXPERIMENT, tiny_deciding.EXPERIMENT],
            }
        ),
        "seed": 1,
        "versions": json.dumps({"python": "3.11"}),
        "stage_timings": json.dumps([{"stage": "score", "units": None, "seconds": 1.5}]),
    }


def _streams() -> dict[str, list[Row]]:
    facts = {
        **{"run_id": RUN, "experiment": "tiny", "delta": 5.0, "initial_rate": "uniform"},
        **{"source": "generated", "capacity": 100.0, "consumer_capacity": 133.0},
        **{"step_s": 30.0, "unit": "bytes/s"},
    }
    return tiny_streams.rows("tiny-d5-uniform", facts, ([60.0, 50.0], [60.0, None]))


def _place(replicate: int) -> Row:
    return {
        "run_id": RUN,
        "stream_id": tiny_streams.stream_id("tiny-d5-uniform", replicate),
        "experiment": "tiny",
        "delta": 5.0,
    }


def _described(replicate: int) -> Row:
    return _place(replicate) | {"replicate": replicate, "initial_rate": "uniform"}


def _assignment(replicate: int, algorithm: str, iteration: int) -> Row:
    second = 0 if algorithm == "kd_1" else 1
    consumers = [0, second] if iteration == 1 else [0, None]
    return _place(replicate) | {
        "algorithm": algorithm,
        "iteration": iteration,
        "n_consumers": len(set(consumers) - {None}),
        "min_consumers": 2 if iteration == 1 else 1,
        "consumers": consumers,
    }


def _assignments_audit(replicate: int, algorithm: str) -> Row:
    # Kafka's static assignment gives its only consumer 110 of 100 bytes/s at the start.
    overloaded = 1 if algorithm == "kd_1" else 0
    counted = tiny_streams.sequence(_place(replicate)["stream_id"])
    return counted | {"algorithm": algorithm, "overloaded": overloaded}


def _bounds() -> Iterator[Row]:
    for replicate in (1, 2):
        shared = _place(replicate) | {"iteration": 2, "proved": True, "seconds": 0.25}
        yield shared | {
            "kind": "consumers",
            "lower": 1.0,
            "upper": 1.0,
            "method": "l2",
            "l2": 1,
        }
        yield shared | {
            "kind": "rscore",
            "algorithm": "FFD",
            "lower": 0.0,
            "upper": 0.0,
            "method": "retention",
        }


def _score(replicate: int, algorithm: str) -> Row:
    cbs, mean_rscore = COSTS[algorithm]
    return _described(replicate) | {
        "algorithm": algorithm,
        "reference": algorithm != "kd_1",
        "n_iterations": 2,
        "mean_consumers": 1.0 if algorithm == "kd_1" else 1.5,
        "cbs": cbs,
        "cbs_common": cbs,
        "mean_rscore": mean_rscore,
        "mean_migrations": 0.5,
        "peak_consumers": 1 if algorithm == "kd_1" else 2,
        "moving_share": 0.5,
        "rebalances_per_day": 1440.0,
        "cbs_optimum_low": 0.0,
        "cbs_optimum_high": 0.0,
        "rscore_gap_low": 0.0 if algorithm == "FFD" else None,
        "rscore_gap_high": 0.0 if algorithm == "FFD" else None,
    }


def _latency(replicate: int, algorithm: str) -> Row:
    row = _described(replicate) | {"algorithm": algorithm, "n_samples": 1800}
    if algorithm != "kd_1":
        return row | {"mean_consumers": 1.5, "histogram": [0] * BINS}
    late = {"mean_consumers": 1.0, "n_positive": 7, "histogram": [0] * (BINS - 1) + [7]}
    return row | late | {"p50": 0.5, "p90": 1.5, "p99": 4.5, "max": float("inf")}


def _point(algorithm: str) -> Row:
    cbs, mean_rscore = COSTS[algorithm]
    return {
        "run_id": RUN,
        "experiment": "tiny",
        "delta": 5.0,
        "algorithm": algorithm,
        "reference": algorithm != "kd_1",
        "replicates": 2,
        "cbs": cbs,
        "cbs_low": cbs - 0.125,
        "cbs_high": cbs + 0.125,
        "mean_rscore": mean_rscore,
        "mean_rscore_low": mean_rscore,
        "mean_rscore_high": mean_rscore,
        "mean_consumers": 1.0 if algorithm == "kd_1" else 1.5,
        "cbs_common": cbs,
        "cbs_common_low": cbs - 0.125,
        "cbs_common_high": cbs + 0.125,
        "eligible": True,
        "on_front": algorithm in ON_FRONT,
        "on_reference_front": algorithm in ON_REFERENCE_FRONT,
    }


# FFD against NF: what NF has more of on both streams.
APART = {"cbs_common": 0.5, "mean_rscore": 0.25}


def _compared() -> Row:
    return {"run_id": RUN, "experiment": "tiny", "delta": 5.0, "replicates": 2}


def _comparison(metric: str, apart: float) -> Row:
    tested = {"statistic": 0.0, "p": 0.5, "p_holm": 0.5}
    interval = {"mean_difference": apart, "low": apart, "high": apart}
    return _compared() | {"metric": metric, "algorithm": "NF", "other": "FFD"} | interval | tested


def _rank(metric: str, algorithm: str, mean_rank: float) -> Row:
    return _compared() | {
        "metric": metric,
        "algorithm": algorithm,
        "reference": True,
        "algorithms": 2,
        "mean_rank": mean_rank,
        "critical_difference": 1.386,
        "groups": [1],
        "note": "fewer than 3 algorithms",
    }


def _indicator(front: str) -> Row:
    surfaces = [f"{name}_{level}" for name in ("cbs", "mean_rscore") for level in (25, 50, 75)]
    described = {"front": front, "algorithms": 2, "note": "BFD was not run"}
    return _compared() | described | {name: [0.0] for name in surfaces}


def _undominated(algorithm: str) -> Row:
    cbs, mean_rscore = COSTS[algorithm]
    return _compared() | {"algorithm": algorithm, "cbs_common": cbs, "mean_rscore": mean_rscore}


def _dominated(algorithm: str) -> Row:
    differences = {"cbs_difference": -APART["cbs_common"]}
    differences |= {"rscore_difference": -APART["mean_rscore"]}
    ends = {f"{name}_{end}": d for name, d in differences.items() for end in ("low", "high")}
    counts = {"dominators": 1, "replicates_dominated": 2, "dominated_by": "FFD"}
    return _undominated(algorithm) | counts | differences | ends


def _promotion() -> Row:
    return {
        "run_id": RUN,
        "promoted_by": "ada",
        "reason": "ties fall otherwise",
    }


def _differences() -> Iterator[Row]:
    for point in map(_point, COSTS):
        for metric in ("cbs", "mean_rscore", "mean_consumers"):
            yield _difference("tiny", 5.0, point["algorithm"], metric, point[metric])
    for row in tiny_scaling.rows(RUN)["trade_offs"]:
        for metric in tiny_scaling.AVERAGED:
            label = tiny_scaling.label(row["strategy"], row["setting"])
            yield _difference("scaled", None, label, metric, row[metric])


def _difference(
    experiment: str, delta: float | None, algorithm: str, metric: str, value: float
) -> Row:
    return {
        "run_id": RUN,
        "baseline_run_id": "20251231T000000-tiny",
        "experiment": experiment,
        "delta": delta,
        "algorithm": algorithm,
        "metric": metric,
        "value": value,
        "baseline_value": value,
        "expected": "interval",
        "verdict": "same",
    }


def _validation() -> Row:
    return {
        "run_id": RUN,
        "table_name": "scores",
        "rule": "key_unique",
        "unexpected_count": 0,
        "success": True,
    }
