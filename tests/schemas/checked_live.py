"""Changes for the checks of a single row of the tables of live runs."""

from __future__ import annotations

from tests.schemas.changes import Changes

INF = float("inf")
BINS = 82
NO_RECORDS = {
    "n_samples": 0,
    "n_positive": 0,
    "histogram": [0] * BINS,
    **dict.fromkeys(("p50", "p90", "p99", "max")),
}
# The first row is of consumers; this makes it one of a latency.
LATENCY = {
    "quantity": "p90",
    "unit": "s",
    "measured": 1.0,
    "predicted_a": 0.75,
    "error_a": 0.25,
    "tolerance_a": 0.325,
    "predicted_b": 1.0625,
    "error_b": -0.0625,
    "tolerance_b": 0.103125,
}

CHANGES: dict[str, dict[str, Changes]] = {
    "live_runs": {
        "capacity_within_rate": Changes(
            [{"capacity": 240_000.0}], [{"capacity": 240_001.0}, {"consumer_rate": 1.0}]
        ),
        "read_within_sent": Changes(
            [{"read": 700, "drained": False}, {"sent": 0, "read": 0}],
            [{"read": 799}, {"read": 801}, {"read": 801, "drained": False}],
        ),
        "few_unsound": Changes(
            [
                {"unsound_iterations": 1, "n_iterations": 20},
                {"unsound_iterations": 3, "n_iterations": 60},
            ],
            [{"unsound_iterations": 1}, {"unsound_iterations": 4, "n_iterations": 60}],
        ),
        "batches_in_cycles": Changes(
            [{"mode": "cycle", "batch_histogram": [0] * 151}],
            [
                {"mode": "cycle"},
                {"batch_histogram": [0] * 151},
                {"mode": "cycle", "batch_histogram": [0] * 150},
            ],
        ),
    },
    "live_plans": {
        "consumers_add_up": Changes(
            [
                {"consumers_before": 4, "created": 2, "retired": 3, "consumers_after": 3},
                {"created": 0, "consumers_after": 0},
            ],
            [{"consumers_after": 2}, {"retired": 1}, {"created": 0}],
        ),
        "gaps_ordered": Changes(
            [
                {"gap_p50_s": 0.0, "gap_max_s": 0.0},
                {"gap_p50_s": 0.25, "gap_max_s": 0.5},
            ],
            [
                {"gap_p50_s": 0.5, "gap_max_s": 0.25},
                {"gap_p50_s": 0.5},
                {"gap_max_s": 0.5},
            ],
        ),
        "handed_before_decided": Changes(
            [{"handed_s": None}, {"handed_s": 0.5, "decided_s": 0.5}],
            [{"handed_s": 0.75, "decided_s": 0.5}],
        ),
    },
    "live_events": {
        "kind_of_component": Changes(
            [
                {"kind": "stop"},
                {"kind": "end"},
                {"component": "consumer", "kind": "hello"},
                {"component": "fault", "kind": "exited"},
                {"component": "fault", "kind": "stale", "consumer": None},
            ],
            [
                {"kind": "started"},
                {"kind": "exited"},
                {"component": "consumer"},
                {"consumer": None},
                {"component": "consumer", "kind": "bye", "consumer": None},
            ],
        ),
        "partition_with_epoch": Changes(
            [{"partition": None, "epoch": None}], [{"partition": None}, {"epoch": None}]
        ),
    },
    "live_lag": {
        "lag_is_the_rest": Changes(
            [
                {"processed": 50, "lag": 0},
                {"processed": 51, "lag": 0},
                {"end_offset": 51, "lag": 3},
            ],
            [{"lag": 1}, {"processed": 50}, {"end_offset": 51}],
        ),
    },
    "live_latency": {
        "positive_within_samples": Changes(
            [{"n_samples": 399}, NO_RECORDS],
            [{"n_samples": 398}],
        ),
        "percentiles_ordered": Changes(
            [NO_RECORDS, dict.fromkeys(("p50", "p90", "p99", "max"), 0.0)],
            [
                {"p50": 0.1},
                {"p90": 0.3},
                {"p99": 0.6},
                {"p50": None},
                {"max": None},
                NO_RECORDS | {"p50": 0.0},
                NO_RECORDS | {"n_samples": 1},
            ],
        ),
        "histogram_bins": Changes(
            [{"histogram": [0] * (BINS - 1) + [399]}],
            [{"histogram": [399] + [0] * BINS}, {"histogram": [399] + [0] * (BINS - 2)}],
        ),
        "histogram_total": Changes(
            [{"n_positive": 5, "histogram": [2, 3] + [0] * (BINS - 2)}],
            [{"n_positive": 398}, {"histogram": [0] * BINS}],
        ),
    },
    "live_integrity": {
        "nothing_lost": Changes([{"twice": 3}], [{"lost": 1}]),
        "reads_within_sent": Changes([{"read": 0}], [{"read": 401}]),
    },
    "live_agreement": {
        "unit_of_quantity": Changes(
            [LATENCY, LATENCY | {"quantity": "p50"}, LATENCY | {"quantity": "p99"}],
            [{"unit": "s"}, {"quantity": "migrations"}, LATENCY | {"unit": "consumers"}],
        ),
        "error_of_a": Changes(
            [
                LATENCY,
                {"measured": 2.5, "error_a": 0.5, "verdict": "differs"},
                {"measured": 2.0 + 1e-10},
                {"predicted_a": INF, "error_a": None, "verdict": "differs"},
            ],
            [
                {"measured": 2.1},
                {"error_a": 0.1},
                {"error_a": None},
                {"predicted_a": INF},
            ],
        ),
        "error_of_b": Changes(
            [LATENCY | {"predicted_b": INF, "error_b": None, "verdict": "differs"}],
            [
                LATENCY | {"error_b": 0.0625},
                LATENCY | {"error_b": None},
                LATENCY | {"predicted_b": INF},
                {"error_b": 0.0},
            ],
        ),
        "latencies_have_b": Changes(
            [LATENCY],
            [
                LATENCY | {"predicted_b": None, "error_b": None},
                LATENCY | {"tolerance_b": None},
                {"predicted_b": 2.0, "error_b": 0.0, "tolerance_b": 0.0},
                {"tolerance_b": 0.0},
            ],
        ),
        "verdict_of_errors": Changes(
            [
                LATENCY,
                {"tolerance_a": None, "predicted_a": 1.0, "error_a": 1.0, "verdict": None},
                {**dict.fromkeys(("predicted_a", "error_a", "tolerance_a", "verdict"))},
                LATENCY | dict.fromkeys(("predicted_a", "error_a", "tolerance_a")),
                LATENCY | {"tolerance_a": 0.24, "verdict": "differs"},
                LATENCY | {"tolerance_b": 0.06, "verdict": "differs"},
            ],
            [
                {"verdict": "differs"},
                {"verdict": None},
                {"tolerance_a": None},
                {"predicted_a": 1.0, "error_a": 1.0},
                LATENCY | {"tolerance_a": 0.24},
                LATENCY | {"tolerance_b": 0.06},
                {"predicted_a": INF, "error_a": None},
            ],
        ),
    },
}
"""Changes by table and check."""
