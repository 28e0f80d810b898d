"""For each check of a single row, changes to a legal row that it allows and that it refuses."""

from __future__ import annotations

from datetime import timedelta

from tests.schemas import checked_learning, checked_live, checked_scaling
from tests.schemas.changes import Changes
from tests.schemas.tiny import BEGIN, BINS, RUN

HALF = {"cbs": 0.5, "mean_rscore": 0.5}
NO_INTERVAL = {
    "replicates": 1,
    "cbs_low": None,
    "cbs_high": None,
    "mean_rscore_low": None,
    "mean_rscore_high": None,
}
TRACE = {
    "source": "trace",
    "delta": None,
    "initial_rate": None,
    "name": "trace.csv",
    "digest": "0" * 64,
}
PROFILE = {
    "source": "profile",
    "delta": None,
    "initial_rate": None,
    "name": "diurnal, 2 partitions, equal",
    "digest": None,
}
INF = float("inf")
CHANGED = {
    "verdict": "changed",
    "value": 0.625,
    "baseline_value": 0.5,
    "low": 0.375,
    "high": 0.625,
}
NO_GAPS = dict.fromkeys(
    ("cbs_optimum_low", "cbs_optimum_high", "rscore_gap_low", "rscore_gap_high")
)
LEAST = {"kind": "rscore", "algorithm": "FFD", "l2": None}
IMPOSSIBLE = {"method": "infeasible", "lower": None, "upper": None, "proved": False}
UNTESTED = {"statistic": None, "p": None, "p_holm": None, "note": "few"}
VALUED = {
    "hypervolume": 0.5,
    "hypervolume_low": 0.4,
    "hypervolume_high": 0.5,
    "hypervolume_of_means": 0.5,
    "epsilon": 0.25,
    "epsilon_low": 0.25,
    "epsilon_high": 0.25,
    "note": None,
}
UNDOMINATED = {
    "dominators": 0,
    "dominated_by": None,
    "replicates_dominated": 0,
    "cbs_difference": None,
    "rscore_difference": None,
}
LATE = {"n_positive": 1, "p50": 1.0, "p90": 1.0, "p99": 1.0, "max": 1.0}


CHANGES: dict[str, dict[str, Changes]] = {
    "runs": {
        "finished_unless_running": Changes(
            [{"status": "running", "finished_at": None}, {"finished_at": BEGIN}],
            [
                {"status": "running"},
                {"status": "failed", "finished_at": None},
                {"finished_at": BEGIN - timedelta(seconds=1)},
            ],
        ),
        "error_means_failed": Changes(
            [{"status": "failed", "error": "StageError"}, {"status": "failed"}],
            [{"error": "StageError"}],
        ),
        "config_is_json": Changes([{"config": "{}"}], [{"config": ""}, {"config": "{"}]),
        "versions_is_json": Changes([{"versions": "{}"}], [{"versions": "1.0.0"}]),
        "stage_timings_is_json": Changes([{"stage_timings": "[]"}], [{"stage_timings": "["}]),
    },
    "streams": {
        "partitions_given": Changes(
            [{"partitions": ["0"], "topic_sizes": [1]}],
            [{"partitions": [], "topics": [], "topic_sizes": []}],
        ),
        "topics_sized": Changes(
            [{"topics": ["a", "b"], "topic_sizes": [1, 1]}],
            [{"topics": ["a", "b"]}, {"topic_sizes": [1]}, {"topic_sizes": [3]}],
        ),
        "partitions_distinct": Changes([{"partitions": ["a", "A"]}], [{"partitions": ["a", "a"]}]),
        "capacity_within_consumption": Changes(
            [{"capacity": 133.0}], [{"capacity": 133.00000000000003}]
        ),
        "generated_described": Changes(
            [TRACE],
            [{"delta": None}, {"initial_rate": None}, {"name": "a"}, {"digest": "0" * 64}],
        ),
        "profile_described": Changes(
            [PROFILE],
            [
                PROFILE | {"delta": 5.0},
                PROFILE | {"initial_rate": "uniform"},
                PROFILE | {"name": None},
                PROFILE | {"digest": "0" * 64},
            ],
        ),
        "trace_described": Changes(
            [TRACE],
            [
                TRACE | {"delta": 5.0},
                TRACE | {"initial_rate": "uniform"},
                TRACE | {"name": None},
                TRACE | {"digest": None},
                TRACE | {"digest": "0" * 63},
            ],
        ),
    },
    "measurements": {
        "rates_given": Changes([{"rates": [None]}], [{"rates": []}]),
    },
    "measurements_audit": {
        "iterations_once": Changes(
            [{"n_rows": 3, "n_distinct_iterations": 3}], [{"n_distinct_iterations": 1}]
        ),
    },
    "assignments": {
        "counts_within_partitions": Changes(
            [{"n_consumers": 2, "min_consumers": 2, "n_migrations": 2}],
            [
                {"consumers": []},
                {"n_consumers": 3},
                {"n_migrations": 3},
                {"min_consumers": 3},
            ],
        ),
        "nothing_moves_at_first": Changes(
            [{"iteration": 2, "n_migrations": 1}], [{"n_migrations": 1}]
        ),
        "rscore_needs_migrations": Changes(
            [{"n_migrations": 1, "rscore": 0.5}, {"n_migrations": 1}], [{"rscore": 0.5}]
        ),
        "minimum_of_same_partitions": Changes(
            [{"n_consumers": 0, "min_consumers": 0}],
            [{"n_consumers": 0}, {"min_consumers": 0}],
        ),
    },
    "assignments_audit": {
        "iterations_once": Changes([{}], [{"n_rows": 3}]),
        "within_capacity": Changes(
            [{"algorithm": name, "overloaded": 3} for name in ("kd_15", "range_4")],
            [
                {"overloaded": 1},
                *({"algorithm": name, "overloaded": 1} for name in ("kd", "range")),
            ],
        ),
    },
    "scores": {
        "reference_cbs": Changes(
            [{"cbs": 0.0}, {"reference": False, "cbs": -0.5}], [{"cbs": -1e-300}]
        ),
        "gaps_ordered": Changes(
            [
                NO_GAPS,
                {"cbs_optimum_high": 0.5},
                {"reference": False, "cbs_optimum_low": -0.5},
                {"rscore_gap_low": None},
            ],
            [
                {"cbs_optimum_low": 0.5},
                {"cbs_optimum_low": -0.5},
                {"cbs_optimum_high": None},
                {"rscore_gap_low": 0.5},
                {"rscore_gap_high": None},
            ],
        ),
        "common_minimum": Changes(
            [{"cbs_common": None}, HALF | {"cbs_common": 0.5}, {"cbs_common": 0.25}],
            [HALF | {"cbs_common": 0.499}],
        ),
    },
    "bounds": {
        "interval_ordered": Changes(
            [{"upper": 2.0, "proved": False}, {"upper": None, "proved": False}],
            [
                {"upper": 2.0},
                {"proved": False},
                {"upper": 0.0, "l2": 0, "proved": False},
                {"upper": None},
            ],
        ),
        "ends_given": Changes(
            [{"upper": None, "proved": False}, LEAST | IMPOSSIBLE],
            [LEAST | {"lower": None, "proved": False}, LEAST | {"method": "infeasible"}],
        ),
        "kind_described": Changes(
            [{"l2": 0}, LEAST, LEAST | {"lower": 0.5, "upper": 0.5}],
            [
                {"algorithm": "FFD"},
                {"l2": None},
                {"l2": 2},
                {"lower": 1.5, "upper": 1.5},
                {"kind": "rscore"},
                LEAST | {"algorithm": None},
                LEAST | {"l2": 1},
            ],
        ),
    },
    "latency": {
        "positive_within_samples": Changes(
            [{"n_samples": 7, "n_positive": 7}], [{"n_samples": 6, "n_positive": 7}]
        ),
        "percentiles_ordered": Changes(
            [{}, LATE, LATE | {"max": float("inf")}, LATE | {"p50": 0.5}],
            [
                {"n_positive": 1},
                {"p50": 1.0},
                {"max": 1.0},
                LATE | {"p50": 1.5},
                LATE | {"p90": float("inf")},
                LATE | {"p99": 1.5},
                LATE | {"p99": None},
            ],
        ),
        "histogram_bins": Changes(
            [{"histogram": [0] * BINS}], [{"histogram": [0] * (BINS - 1)}, {"histogram": []}]
        ),
        "histogram_total": Changes(
            [{"n_positive": 3, "histogram": [1, 2]}],
            [{"n_positive": 1}, {"n_positive": 4, "histogram": [1, 2]}],
        ),
    },
    "pareto": {
        "reference_cbs": Changes([{"reference": False, "cbs": -0.5}], [{"cbs": -1e-300}]),
        "reference_front_members": Changes(
            [{"reference": False, "on_reference_front": False}], [{"reference": False}]
        ),
        "cbs_interval": Changes(
            [
                HALF | {"cbs_low": 0.5, "cbs_high": 0.5},
                HALF | {"cbs_low": 0.5 + 1e-12, "cbs_high": 0.5 - 1e-12},
                NO_INTERVAL,
            ],
            [
                HALF | {"cbs_low": 0.501, "cbs_high": 0.6},
                HALF | {"cbs_low": 0.4, "cbs_high": 0.499},
                NO_INTERVAL | {"replicates": 2},
                {"replicates": 1},
                {"cbs_high": None},
            ],
        ),
        "mean_rscore_interval": Changes(
            [HALF | {"mean_rscore_low": 0.4, "mean_rscore_high": 0.6}, NO_INTERVAL],
            [
                HALF | {"mean_rscore_low": 0.501, "mean_rscore_high": 0.6},
                HALF | {"mean_rscore_low": 0.4, "mean_rscore_high": 0.499},
                {"mean_rscore_low": None},
            ],
        ),
        "cbs_common_interval": Changes(
            [
                {"cbs_common": 0.5, "cbs_common_low": 0.4, "cbs_common_high": 0.6},
                {"cbs_common": None, "cbs_common_low": None, "cbs_common_high": None},
                {"replicates": 1, "cbs_common_low": None, "cbs_common_high": None},
            ],
            [
                {"cbs_common": 0.5, "cbs_common_low": 0.501, "cbs_common_high": 0.6},
                {"cbs_common": None},
                {"cbs_common_low": None},
            ],
        ),
    },
    "comparisons": {
        "two_algorithms": Changes([{"other": "BFD"}], [{"other": "NF"}]),
        "difference_interval": Changes(
            [{"low": 0.4, "high": 0.6}, {"replicates": 1, "low": None, "high": None}],
            [{"low": 0.51}, {"high": 0.49}, {"low": None}, {"replicates": 1}],
        ),
        "tested_or_noted": Changes(
            [{"p_holm": 1.0}, UNTESTED],
            [{"p_holm": 0.4}, {"statistic": None}, {"note": "few"}, UNTESTED | {"note": None}],
        ),
    },
    "rankings": {
        "rank_within_algorithms": Changes([{"mean_rank": 1.5}], [{"mean_rank": 2.5}]),
        "tested_or_noted": Changes(
            [{"statistic": 4.0, "p": 0.1, "note": None}],
            [{"note": None}, {"p": 0.5}, {"statistic": 4.0}],
        ),
    },
    "indicators": {
        "hypervolume_interval": Changes([VALUED], [VALUED | {"hypervolume_low": 0.6}]),
        "epsilon_interval": Changes(
            [VALUED | {"epsilon_low": None, "epsilon_high": None}],
            [VALUED | {"epsilon_high": 0.1}, VALUED | {"epsilon_low": None}],
        ),
        "valued_or_noted": Changes(
            [VALUED],
            [VALUED | {"note": "none"}, VALUED | {"hypervolume_of_means": None}, {"note": None}],
        ),
        "surfaces_have_corners": Changes(
            [{"cbs_25": [], "mean_rscore_25": []}, {"cbs_50": None, "mean_rscore_50": None}],
            [{"cbs_25": []}, {"cbs_50": None}, {"mean_rscore_75": None}],
        ),
    },
    "dominance": {
        "dominated_by_another": Changes(
            [{"rscore_difference": 0.0}, UNDOMINATED],
            [
                {"dominated_by": "NF"},
                {"dominated_by": None},
                {"cbs_difference": 0.0, "rscore_difference": 0.0},
                {"rscore_difference": None},
                {"dominators": 0},
            ],
        ),
        "dominated_replicates": Changes(
            [{"replicates_dominated": 1}], [{"replicates_dominated": 3}]
        ),
        "cbs_difference_interval": Changes(
            [
                {"cbs_difference_low": -0.75, "cbs_difference_high": 0.25},
                {"replicates": 1, "cbs_difference_low": None, "cbs_difference_high": None},
            ],
            [{"cbs_difference_high": -0.6}, {"cbs_difference_low": None}, {"replicates": 1}],
        ),
        "rscore_difference_interval": Changes(
            [{"rscore_difference_low": -0.75, "rscore_difference_high": 0.25}],
            [{"rscore_difference_high": -0.3}, {"rscore_difference_low": None}],
        ),
    },
    **checked_learning.CHANGES,
    **checked_live.CHANGES,
    **checked_scaling.CHANGES,
    "baselines": {
        "promoted_by_given": Changes(
            [{"promoted_by": "Ada Lovelace"}], [{"promoted_by": ""}, {"promoted_by": "a" * 501}]
        ),
        "reason_given": Changes(
            [{"reason": "ä" * 500}], [{"reason": ""}, {"reason": "  "}, {"reason": "a" * 501}]
        ),
    },
    "differences": {
        "another_run": Changes([{"baseline_run_id": "other"}], [{"baseline_run_id": RUN}]),
        "verdict_follows": Changes(
            [
                {"verdict": "new", "baseline_value": None},
                {"verdict": "gone", "value": None},
                {"value": INF, "baseline_value": INF},
                CHANGED,
                CHANGED | {"high": INF, "value": INF},
                CHANGED | {"verdict": "moved", "expected": "equal"},
                CHANGED | {"verdict": "moved", "value": 0.25},
                CHANGED | {"verdict": "moved", "value": INF},
                CHANGED | {"verdict": "moved", "low": None, "high": None},
            ],
            [
                {"verdict": "new"},
                {"verdict": "gone"},
                {"verdict": "changed"},
                {"verdict": "moved"},
                {"value": 0.5},
                {"value": None},
                {"baseline_value": None},
                CHANGED | {"verdict": "moved"},
                CHANGED | {"value": 0.25},
                CHANGED | {"expected": "equal"},
                CHANGED | {"low": None},
            ],
        ),
    },
    "validations": {
        "success_without_unexpected": Changes(
            [{"unexpected_count": None}, {"success": False, "unexpected_count": 3}],
            [{"unexpected_count": 1}],
        ),
    },
}
"""Changes by table (or audit frame) and check."""
