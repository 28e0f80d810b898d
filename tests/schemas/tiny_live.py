"""The part of the tiny run that ran on a broker: one experiment, two strategies, two streams."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.schemas import tiny_streams
from tests.schemas.plain_rows import filled

Row = dict[str, Any]

BINS = 82

EXPERIMENT = {
    "name": "brokered",
    "partitions": 2,
    "iterations": 2,
    "delta": 25.0,
    "replicates": 2,
    "strategies": ["MWF", "kd_1"],
}
FACTS = {
    **{"source": "generated", "delta": 25.0, "initial_rate": "uniform", "unit": "bytes/s"},
    **{"capacity": 200_000.0, "consumer_capacity": 240_000.0, "step_s": 5.0},
}
STRATEGIES = ("MWF", "kd_1")
PARTITIONS = (0, 1)
SECONDS = range(1, 9)

# Consumers, partitions that move, and percentiles of latency.
COSTS = {"MWF": (2.0, 1, (0.02, 0.05, 0.2, 0.5)), "kd_1": (1.0, 0, (0.02, 2.5, 7.5, 8.0))}
SENT = 400


def rows(run_id: str) -> dict[str, list[Row]]:
    """Rows of this experiment by table and audit frame."""
    every = [(replicate, name) for replicate in (1, 2) for name in STRATEGIES]
    placed = {"run_id": run_id, "experiment": "brokered"}
    by_table = {
        **tiny_streams.rows("brokered-d25-uniform", placed | FACTS, [[100_000.0, 150_000.0]] * 2),
        "live_runs": [placed | _run(*key) for key in every],
        "live_plans": [placed | row for key in every for row in _plans(*key)],
        "live_events": [placed | row for key in every for row in _events(*key)],
        "live_lag": [
            placed | _lag(*key, s, p) for key in every for s in SECONDS for p in PARTITIONS
        ],
        "live_latency": [placed | _latency(*key) for key in every],
        "live_integrity": [placed | _integrity(*key, p) for key in every for p in PARTITIONS],
        "live_courses": [placed | _course(*key, s) for key in every for s in SECONDS],
        "live_agreement": [placed | row for key in every for row in _agreement(*key)],
        "live_recoveries": [placed | row for key in every for row in _recoveries(*key)],
    }
    return filled(by_table)


def _of(replicate: int, strategy: str) -> Row:
    return {
        "stream_id": tiny_streams.stream_id("brokered-d25-uniform", replicate),
        "strategy": strategy,
    }


def _run(replicate: int, strategy: str) -> Row:
    consumers, moves, _ = COSTS[strategy]
    return _of(replicate, strategy) | {
        "replicate": replicate,
        "n_partitions": 2,
        "n_iterations": 2,
        "iteration_seconds": 4.0,
        "capacity": 200_000.0,
        "consumer_rate": 240_000.0,
        "record_bytes": 2000,
        "nodes": 1,
        "kafka_version": "4.4.0",
        "client_version": "2.16.1",
        "cores": 2,
        "load": 0.5,
        "drained": True,
        "sent": 2 * SENT,
        "read": 2 * SENT,
        "sla_percent": 90.0,
        "peak_s": 8.0,
        "replica_minutes": consumers * 8 / 60,
        "mean_consumers": consumers,
        "plans": 1 + moves,
        "moves": moves,
        "gap_p50_s": 0.05 if moves else None,
    }


def _plans(replicate: int, strategy: str) -> Iterator[Row]:
    _, moves, _ = COSTS[strategy]
    first = {
        "plan": 1,
        "iteration": 1,
        "consumers_after": 1,
        "created": 1,
        "decided_s": 0.01,
        "handed_s": 0.002,
        "created_s": 1.0,
        "moved_s": 0.1,
    }
    yield _of(replicate, strategy) | first
    if moves:
        second = {"plan": 2, "iteration": 2, "consumers_before": 1, "consumers_after": 2}
        gaps = {"gap_p50_s": 0.05, "gap_max_s": 0.05, "moves": 1, "rscore": 0.5}
        yield _of(replicate, strategy) | first | second | gaps


def _events(replicate: int, strategy: str) -> Iterator[Row]:
    """Both partitions start at consumer 0, and one of MWF moves to consumer 1."""
    moves = [(0, 1, 0), (1, 1, 0), *([(0, 2, 1)] if COSTS[strategy][1] else [])]
    for number, (partition, epoch, consumer) in enumerate(moves):
        place = {"consumer": consumer, "incarnation": 1, "plan": epoch}
        place |= {"partition": partition, "epoch": epoch}
        sent = {"component": "controller", "kind": "start", "next_offset": 0}
        heard = {"component": "consumer", "kind": "started"}
        for half, message in enumerate((sent, heard)):
            numbered = {"event": 2 * number + half + 1, "time_s": 4.0 * epoch - 5.0}
            yield _of(replicate, strategy) | numbered | message | place


def _lag(replicate: int, strategy: str, second: int, partition: int) -> Row:
    return _of(replicate, strategy) | {
        "second": second,
        "partition": partition,
        "end_offset": 50 * second,
        "processed": 50 * second - 2,
        "lag": 2,
        "lag_bytes": 4000,
        "owner": 0,
        "speed": 100_000.0,
        "longest_s": 0.1,
    }


def _course(replicate: int, strategy: str, second: int) -> Row:
    consumers = 1 if second < 5 else 2
    return _of(replicate, strategy) | {
        "second": second,
        "consumers": consumers,
        "longest_s": 0.1 * second,
    }


def _latency(replicate: int, strategy: str) -> Row:
    consumers, _, percentiles = COSTS[strategy]
    return (
        _of(replicate, strategy)
        | {"replicate": replicate, "mean_consumers": consumers}
        | {"n_samples": SENT, "n_positive": SENT - 1}
        | dict(zip(("p50", "p90", "p99", "max"), percentiles, strict=True))
        | {"histogram": [SENT - 1] + [0] * (BINS - 1)}
    )


def _integrity(replicate: int, strategy: str, partition: int) -> Row:
    moves = COSTS[strategy][1] if partition == 0 else 0
    return _of(replicate, strategy) | {
        "partition": partition,
        "sent": SENT,
        "read": SENT,
        "epochs": 1 + moves,
        "owner_changes": moves,
        "longest_gap_s": 0.05 if moves else None,
    }


def _agreement(replicate: int, strategy: str) -> Iterator[Row]:
    consumers, moves, percentiles = COSTS[strategy]
    for name, value in (("consumers", consumers), ("migrations", float(moves))):
        yield _of(replicate, strategy) | {
            "quantity": name,
            "unit": "consumers" if name == "consumers" else "partitions",
            "measured": value,
            "predicted_a": value,
            "error_a": 0.0,
            "tolerance_a": 0.0,
            "verdict": "agrees",
        }
    for name, value in zip(("p50", "p90", "p99"), percentiles, strict=False):
        yield _of(replicate, strategy) | {
            "quantity": name,
            "unit": "s",
            "measured": value,
            "predicted_a": value,
            "error_a": 0.0,
            "tolerance_a": 0.25 + 0.1 * value,
            "predicted_b": 0.5 * value,
            "error_b": 0.5 * value,
            "tolerance_b": 0.05 + 0.025 * value,
            "verdict": "agrees" if 0.5 * value <= 0.05 + 0.025 * value else "differs",
        }


def _recoveries(replicate: int, strategy: str) -> Iterator[Row]:
    """A crash after 4 s: all figures agree but the age of kd_1."""
    longest_s = 6.5 if strategy == "MWF" else 8.0
    for name, unit, value, expected in (
        ("late_events", "records", 100.0, 100.0),
        ("greatest_age_s", "s", longest_s, 6.5),
        ("lag_gone_after_s", "s", 9.0, 9.0),
    ):
        tolerance = (5.0 if unit == "records" else 0.05) + 0.05 * expected
        yield _of(replicate, strategy) | {
            "number": 1,
            "kind": "crash",
            "event": "crash@4s",
            "at_s": 4.0,
            "quantity": name,
            "unit": unit,
            "measured": value,
            "predicted": expected,
            "error": value - expected,
            "tolerance": tolerance,
            "verdict": "agrees" if abs(value - expected) <= tolerance else "differs",
            "replayed": value,
        }
