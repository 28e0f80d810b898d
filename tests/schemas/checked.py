"""Rows with a known verdict of a check: at exact edges, and of kinds that the tiny run lacks.

Other rows that a check refuses are searched for, see `neighbours`. Rows by hand are also for what
SQLite does not judge: sums over arrays.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from schemas.tables.applications.application_runs import RESPONSES
from schemas.tables.autoscaling.simulations import LATENCIES
from tests.schemas.plain_rows import BEGIN
from tests.schemas.tiny import BINS

Row = dict[str, Any]


class Changes(NamedTuple):
    """Changes to the first row of a table, by whether they leave it legal."""

    legal: Sequence[Row] = ()
    illegal: Sequence[Row] = ()


INF = float("inf")
PERCENTILES = ("p50", "p90", "p99", "max")
INSTANCES = ("fewest_instances", "mean_instances", "most_instances")
NO_RECORDS = {"n_samples": 0, "n_positive": 0, "histogram": [0] * BINS}
NO_GROUP = dict.fromkeys(
    ("answer", "assignor", "on_time_percent", "chance", "replicas", "most_replicas")
)
CHANGED = {"verdict": "changed", "value": 0.5, "baseline_value": 0.25, "low": 0.25, "high": 0.5}
MOVED = CHANGED | {"verdict": "moved"}
EQUAL = {"expected": "equal"}
TRACE = {"source": "trace", "delta": None, "initial_rate": None, "name": "a.csv"}
VALUED = {
    "note": None,
    **dict.fromkeys(("hypervolume", "hypervolume_of_means", "epsilon"), 0.5),
    **dict.fromkeys(("hypervolume_low", "epsilon_low"), 0.25),
    **dict.fromkeys(("hypervolume_high", "epsilon_high"), 0.75),
}
IMPOSSIBLE = {
    **{"kind": "rscore", "algorithm": "FFD", "l2": None, "method": "infeasible"},
    **{"lower": None, "upper": None, "proved": False},
}
UNTESTED = {"statistic": None, "p": None, "p_holm": None, "note": "few"}
# A latency in place of consumers, of which there is a second prediction.
LATENCY = {"quantity": "p90", "unit": "s", "predicted_b": INF, "error_b": None, "tolerance_b": 0.1}
WHOLE = {"arrivals": "even", "shift_s": 0.0, "keys": "exact", "cooldown_s": 0.0}
UNKNOWN = {"difference": None, "low": None, "high": None}
EFFECTS = ("late_events", "greatest_age_s", "lag_gone_after_s", "added_minutes")
REPRODUCED = {"verdict": "reproduced", "seeds": 30, "variants": 34}


def _interval(name: str, *beyond: Row, value: float = 0.5) -> Changes:
    """An interval around a value: none for a single stream, and some rounding beyond its ends."""
    low, high = f"{name}_low", f"{name}_high"
    around = {name: value, low: value - 0.25, high: value + 0.25}
    single = {"replicates": 1, low: None, high: None}
    off = [around | {low: value + 0.001}, around | {high: value - 0.001}]
    return Changes([around, single, *beyond], off)


LASTING = {
    **dict.fromkeys(("recovered", "lag_gone_after_s")),
    **dict.fromkeys(("lag_gone_after_s_low", "lag_gone_after_s_high")),
}


def _over_seeds(name: str) -> Changes:
    """An interval over seeds: none for a single one."""
    low, high = f"{name}_low", f"{name}_high"
    around = {name: 0.5, low: 0.25, high: 0.75}
    single = {"seeds": 1, low: None, high: None}
    single |= {f"{other}_{end}": None for other in EFFECTS for end in ("low", "high")}
    return Changes([around, around | {low: 0.5}, around | {high: 0.5}, single])


CHECKED: dict[str, dict[str, Changes]] = {
    "runs": {"finished_unless_running": Changes([{"finished_at": BEGIN}])},
    "streams": {
        "partitions_given": Changes(
            [{"partitions": ["0"], "topic_sizes": [1]}],
            [{"partitions": [], "topics": [], "topic_sizes": []}],
        ),
        "topics_sized": Changes(
            [{"topics": ["a", "b"], "topic_sizes": [1, 1]}],
            [{"topics": ["a", "b"]}, {"topic_sizes": [1]}, {"topic_sizes": [3]}],
        ),
        "partitions_distinct": Changes([{"partitions": ["a", "A"]}]),
        "trace_described": Changes([TRACE | {"digest": "0" * 64}], [TRACE | {"digest": "0" * 63}]),
    },
    "measurements": {"rates_given": Changes([{"rates": [None]}], [{"rates": []}])},
    "assignments": {
        "counts_within_partitions": Changes(
            [{"n_consumers": 2, "min_consumers": 2, "n_migrations": 2}]
        ),
        "nothing_moves_at_first": Changes(
            [{"iteration": 2, "n_migrations": 1}], [{"n_migrations": 1}]
        ),
        "rscore_needs_migrations": Changes(
            [{"n_migrations": 1, "rscore": 0.5}], [{"rscore": 5e-324}]
        ),
        "minimum_of_same_partitions": Changes([{"n_consumers": 0, "min_consumers": 0}]),
    },
    "scores": {
        "reference_cbs": Changes([{"reference": False, "cbs": -0.5}], [{"cbs": -5e-324}]),
        "gaps_ordered": Changes(
            [{"cbs_optimum_high": 0.5}],
            [{"cbs_optimum_low": -5e-324}, {"rscore_gap_low": 0.5}],
        ),
        "common_minimum": Changes([{"cbs_common": 0.25}]),
    },
    "bounds": {
        "interval_ordered": Changes([{"upper": 2.0, "proved": False}]),
        "ends_given": Changes([IMPOSSIBLE]),
        "kind_described": Changes([{"l2": 0}]),
    },
    "latency": {
        "positive_within_samples": Changes([{"n_samples": 7, "n_positive": 7}]),
        "percentiles_ordered": Changes([{"n_positive": 1, **dict.fromkeys(PERCENTILES, 1.0)}]),
        "histogram_bins": Changes(
            [{"histogram": [0] * BINS}], [{"histogram": [0] * (BINS - 1)}, {"histogram": []}]
        ),
        "histogram_total": Changes(
            [{"n_positive": 3, "histogram": [1, 2]}],
            [{"n_positive": 1}, {"n_positive": 4, "histogram": [1, 2]}],
        ),
    },
    "pareto": {
        "reference_cbs": Changes([{"reference": False, "cbs": -0.5}], [{"cbs": -5e-324}]),
        "cbs_interval": _interval("cbs", {"cbs_low": 1e-10, "cbs_high": -1e-10}),
        "mean_rscore_interval": _interval("mean_rscore"),
        "cbs_common_interval": _interval("cbs_common"),
    },
    "rankings": {"tested_or_noted": Changes([{"statistic": 4.0, "p": 0.1, "note": None}])},
    "comparisons": {
        "difference_interval": Changes(
            [{"low": 0.4, "high": 0.6}, {"replicates": 1, "low": None, "high": None}]
        ),
        "tested_or_noted": Changes([{"p_holm": 1.0}, UNTESTED]),
    },
    "indicators": {
        "hypervolume_interval": Changes(
            [VALUED, VALUED | {"hypervolume_low": 0.5, "hypervolume_high": 0.5}]
        ),
        "epsilon_interval": Changes([VALUED]),
        "valued_or_noted": Changes([VALUED]),
    },
    "dominance": {
        "dominated_by_another": Changes(
            [{"rscore_difference": 0.0}, {"cbs_difference": 0.0}],
            [{"cbs_difference": 0.0, "rscore_difference": 0.0}],
        ),
        "cbs_difference_interval": _interval("cbs_difference", value=-0.5),
        "rscore_difference_interval": _interval("rscore_difference", value=-0.5),
    },
    "simulations": {
        "bound_holds": Changes([], [{"least_minutes": 4.001, "replica_minutes": 4.0}]),
        "latencies_ordered": Changes(
            [
                {"sla_percent": None, **dict.fromkeys(LATENCIES)},
                dict.fromkeys(LATENCIES, 0.5),
                {"mean": 2.0 + 1e-10},
                {"p50": 0.1, "p90": 0.2, "p95": 0.3},
            ]
        ),
    },
    "application_runs": {
        "instances_ordered": Changes([dict.fromkeys(INSTANCES, 2)]),
        "responses_ordered": Changes(
            [
                {"events": 0, **dict.fromkeys(RESPONSES)},
                dict.fromkeys(RESPONSES, 0.5),
                {"p50": 0.1, "p90": 0.2, "p99": 0.3},
                {"mean": 1.75 + 1e-10, "peak": 1.75},
                {"peak": 2.5 + 1e-10},
            ]
        ),
    },
    "trade_offs": {
        "sla_percent_interval": _interval("sla_percent"),
        "replica_minutes_interval": _interval("replica_minutes"),
        "partitions_moved_interval": _interval("partitions_moved"),
        "regret_interval": _interval("regret"),
        "hypervolume_interval": _interval(
            "hypervolume", {"hypervolume_low": 0.25 + 1e-10, "hypervolume_high": 0.25 - 1e-10}
        ),
    },
    "recommendations": {
        "figures_of_a_group": Changes(
            [NO_GROUP | {"is_kept": False}, {"chance": 0.95, "is_kept": False}],
            [NO_GROUP, {"answer": None}, {"replicas": 2.001}],
        ),
    },
    "claim_runs": {
        "shift_of_arrivals": Changes(
            [{"arrivals": "bursts"}, {"arrivals": "bursts", "shift_s": 0.05}],
            [{"shift_s": 0.05}, {"arrivals": "bursts", "shift_s": -0.05}],
        ),
        "late_after_actions": Changes([{"n_up": 1, "late_after_up": 0.0}]),
    },
    "claim_differences": {
        "shift_of_arrivals": Changes(
            [WHOLE | {"arrivals": "bursts", "shift_s": 0.05}],
            [WHOLE | {"shift_s": 0.05}, WHOLE | {"arrivals": "bursts", "shift_s": -0.05}],
        ),
        "interval_of_difference": Changes(
            [{"low": 0.5}, {"high": 0.5}, {"seeds": 1, "low": None, "high": None}, UNKNOWN],
            [{"low": 0.5 + 1e-9}, {"high": 0.5 - 1e-9}],
        ),
        "whole_setting": Changes([WHOLE], [WHOLE | {"keys": None}]),
    },
    "bad_hour_runs": {
        "gone_after_it_begins": Changes(
            [{"lag_gone_after_s": 5e-324}, {"lag_gone_after_s": INF}], [{"lag_gone_after_s": 0.0}]
        ),
    },
    "bad_hour_effects": {
        **{
            f"{name}_interval": _over_seeds(name)
            for name in ("late_events", "greatest_age_s", "added_minutes")
        },
        "lag_gone_after_s_interval": Changes(
            [*_over_seeds("lag_gone_after_s").legal, LASTING],
            [LASTING | {"lag_gone_after_s_low": 1.0}],
        ),
        "recovered_seeds": Changes(
            [{"recovered": 2}, {"recovered": 0}, LASTING],
            [{"recovered": 3}, {"recovered": None}, LASTING | {"recovered": 0}],
        ),
    },
    "evaluations": {"agents_have_seeds": Changes([{"policy": "q_table"}])},
    "group_evaluations": {
        "late_are_events": Changes([{"late": 24_000.0}], [{"late": 24_001.0}]),
    },
    "group_fronts": {
        "area_within_interval": Changes([{"hypervolume_low": 0.25, "hypervolume_high": 0.75}]),
    },
    "learning_scores": {"scores_ordered": Changes([{"worst": 0.75, "best": 0.75}])},
    "learning_verdicts": {
        "enough_seeds": Changes([REPRODUCED], [REPRODUCED | {"seeds": 29}]),
        "whole_sensitivity_table": Changes(
            [REPRODUCED, REPRODUCED | {"claim": "R9", "variants": 33}],
            [REPRODUCED | {"variants": 33}, REPRODUCED | {"claim": "R9", "variants": 32}],
        ),
        "variants_counted": Changes([{"variants": 2, "variants_agreeing": 1}]),
    },
    "pulsar_runs": {
        "nothing_lost": Changes(
            [
                {"lost": 1, "lost_high": 0.1, "guarantee": "atmost_once"},
                {"lost": 1, "lost_high": 0.1, "drained": False},
            ],
            [{"lost": 1, "lost_high": 0.1}],
        ),
    },
    "pulsar_changes": {
        "kind_of_counts": Changes(
            [
                {"kind": "down", "before": 2, "after": 1},
                {"kind": "none", "before": 2, "after": 2, "call_s": None},
            ],
        ),
    },
    "broker_scalings": {
        "moves_at_least_bound": Changes([{"moves": 13}], [{"moves": 11}]),
        "joined_and_undone": Changes(
            [{"kind": "up", "outcome": "undone"}], [{"kind": "down", "outcome": "undone"}]
        ),
    },
    "live_runs": {
        "capacity_within_rate": Changes([{"capacity": 240_000.0}], [{"capacity": 240_001.0}]),
        "read_within_sent": Changes([{"read": 700, "drained": False}]),
        "few_unsound": Changes([{"unsound_iterations": 1, "n_iterations": 20}]),
        "batches_in_cycles": Changes([{"mode": "cycle", "batch_histogram": [0] * 151}]),
    },
    "live_plans": {
        "handed_before_decided": Changes([{"handed_s": 0.5, "decided_s": 0.5}]),
        "gaps_ordered": Changes([{"gap_p50_s": 0.25, "gap_max_s": 0.5}]),
    },
    "live_lag": {"lag_is_the_rest": Changes([{"processed": 51, "lag": 0}])},
    "live_latency": {
        "positive_within_samples": Changes([{"n_samples": 399}]),
        "percentiles_ordered": Changes(
            [NO_RECORDS | dict.fromkeys(PERCENTILES), dict.fromkeys(PERCENTILES, 0.0)]
        ),
        "histogram_total": Changes(
            [{"n_positive": 5, "histogram": [2, 3] + [0] * (BINS - 2)}],
            [{"n_positive": 398}, {"histogram": [0] * BINS}],
        ),
    },
    "live_integrity": {"reads_within_sent": Changes([{"read": 0}])},
    "live_agreement": {
        "error_of_a": Changes(
            [{"measured": 2.0 + 1e-10}, {"predicted_a": INF, "error_a": None}],
            [{"measured": 2.1}],
        ),
        "error_of_b": Changes([LATENCY]),
    },
    "published_figures": {"interval_has_both_ends": Changes([{"low": 1.0, "high": 1.0}])},
    "differences": {
        "verdict_follows": Changes(
            [CHANGED, *(MOVED | own for own in ({"value": INF}, {"value": 0.0}, EQUAL))],
            [MOVED, CHANGED | {"value": 0.75}],
        )
    },
    "baselines": {
        "promoted_by_given": Changes([], [{"promoted_by": ""}, {"promoted_by": "a" * 501}]),
        "reason_given": Changes([{"reason": "ä" * 500}], [{"reason": "  "}, {"reason": "a" * 501}]),
    },
}
"""Changes by table and check."""
