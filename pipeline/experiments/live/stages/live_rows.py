"""Rows of the tables of live runs, from the folder of one strategy on one stream."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from pipeline.base.errors import StageError
from pipeline.experiments.live.evidence.batch_speeds import batch_histogram
from pipeline.experiments.live.evidence.journal_events import events
from pipeline.experiments.live.evidence.latency_sample import compared_records, latencies, summarise
from pipeline.experiments.live.evidence.partition_integrity import Integrity, integrity
from pipeline.experiments.live.evidence.partition_tenures import gaps, tenures
from pipeline.experiments.live.evidence.plan_times import PlanTimes, plan_times
from pipeline.experiments.live.evidence.run_folder import MOST_LATE_MS, RunFolder
from pipeline.experiments.live.evidence.served_records import served
from pipeline.experiments.live.predictions import agreement, asking_prediction, group_size
from pipeline.experiments.live.predictions.agreement import Agreement, Comparison
from pipeline.experiments.live.predictions.asking_prediction import SimulatedGroup
from pipeline.experiments.live.predictions.event_recoveries import ComparedRecovery
from pipeline.settings.live_experiment import LiveExperiment
from schemas.tables.live import live_recoveries
from schemas.tables.live.live_agreement import AGREES, DIFFERS, UNITS

Row = dict[str, Any]

TABLES = ("live_runs", "live_plans", "live_events", "live_latency", "live_integrity")
"""Tables with few rows per stream and strategy."""

MOST_UNSOUND = 0.05
"""Share of iterations that may be unsound."""


def check_sound(folder: RunFolder, strategy: str) -> None:
    """Raise `StageError`, with strategy and iterations, if the producer was late too often."""
    unsound = int((~folder.is_sound).sum())
    if unsound > MOST_UNSOUND * len(folder.is_sound):
        raise StageError(
            f"{strategy}: the producer was more than {MOST_LATE_MS:g} ms late in {unsound} of "
            f"{len(folder.is_sound)} iterations, so latencies say little; stop other programs on "
            "this machine, or lower capacity"
        )


def rows_of(
    folder: RunFolder, experiment: LiveExperiment, stream: Mapping[str, Any], strategy: str
) -> dict[str, list[Row]]:
    """Rows of `TABLES`, without ``run_id``.

    folder: What the run has left behind.
    stream: Row of table `streams`.
    """
    placed = {
        "experiment": experiment.name,
        "stream_id": stream["stream_id"],
        "strategy": strategy,
    }
    numbered = placed | {"replicate": stream["replicate"]}
    plans, partitions = plan_times(folder), integrity(folder)
    used = {"mean_consumers": group_size.mean_consumers(folder)}
    return {
        "live_runs": [
            numbered
            | _settings(experiment)
            | _conditions(folder)
            | _totals(folder, plans, partitions)
            | used
        ],
        "live_plans": [placed | plan._asdict() for plan in plans],
        "live_events": [placed | event for event in events(folder)],
        "live_latency": [numbered | used | _latency(folder)],
        "live_integrity": [placed | partition._asdict() for partition in partitions],
    }


def _settings(experiment: LiveExperiment) -> Row:
    names = ("mode", "speeds", "iteration_seconds", "capacity", "consumer_rate")
    return {name: getattr(experiment, name) for name in (*names, "record_bytes", "nodes")} | {
        "n_partitions": experiment.partitions,
        "n_iterations": experiment.iterations,
    }


def _conditions(folder: RunFolder) -> Row:
    run = folder.run
    return {
        "kafka_version": run["versions"]["kafka"],
        "client_version": run["versions"]["confluent-kafka"],
        "cores": run["cores"],
        "load": run["load"],
        "overhead": folder.overhead,
        "unsound_iterations": int((~folder.is_sound).sum()),
        "faults": len(folder.said("fault")),
        "drained": run["drained"],
    }


def _totals(folder: RunFolder, plans: Sequence[PlanTimes], partitions: Sequence[Integrity]) -> Row:
    pauses, batches = gaps(tenures(folder.records)), batch_histogram(folder)
    sent, read = (sum(getattr(one, name) for one in partitions) for name in ("sent", "read"))
    up, down = group_size.resizings(folder)
    return {
        "sent": sent,
        "read": read,
        **served(folder, sent - read)._asdict(),
        "replica_minutes": group_size.replica_minutes(folder),
        "n_up": up,
        "n_down": down,
        "rebalances": group_size.rebalances(folder),
        "plans": len(plans),
        "moves": _moves(folder, plans, partitions),
        "gap_p50_s": agreement.median(gap.gap_s for gap in pauses),
        "batch_histogram": None if batches is None else batches.tolist(),
    }


def _moves(folder: RunFolder, plans: Sequence[PlanTimes], partitions: Sequence[Integrity]) -> int:
    """Partitions that got another consumer; Kafka's own groups have no plans."""
    if group_size.is_controlled(folder):
        return sum(plan.moves for plan in plans)
    return sum(partition.owner_changes for partition in partitions)


def _latency(folder: RunFolder) -> Row:
    sample = summarise(latencies(compared_records(folder)))
    values = sample._asdict() | {"histogram": sample.histogram.tolist()}
    percentiles = {name: _known(values[name]) for name in ("p50", "p90", "p99", "max")}
    return values | percentiles


def agreement_rows(
    experiment: str, stream_id: str, strategy: str, agreements: list[Agreement]
) -> list[Row]:
    """Rows of `live_agreement`, without ``run_id``."""
    placed = {"experiment": experiment, "stream_id": stream_id, "strategy": strategy}
    return [
        placed
        | {
            "quantity": one.quantity,
            "unit": UNITS[one.quantity],
            "measured": one.measured,
            "verdict": one.verdict,
        }
        | _comparison("a", one.by_assignment)
        | _comparison("b", one.by_queue)
        for one in agreements
    ]


def course_rows(
    experiment: str, stream_id: str, strategy: str, simulated: SimulatedGroup | None
) -> list[Row]:
    """Rows of `live_courses`, without ``run_id``; none of groups that are not simulated."""
    if simulated is None:
        return []
    placed = {"experiment": experiment, "stream_id": stream_id, "strategy": strategy}
    consumers, longest_s = asking_prediction.by_second(simulated)
    courses = zip(consumers.tolist(), longest_s.tolist(), strict=True)
    return [
        placed | {"second": second, "consumers": count, "longest_s": longest}
        for second, (count, longest) in enumerate(courses, 1)
    ]


def recovery_row(experiment: str, stream_id: str, strategy: str, one: ComparedRecovery) -> Row:
    """A row of `live_recoveries`, without ``run_id``."""
    return {
        "experiment": experiment,
        "stream_id": stream_id,
        "strategy": strategy,
        "number": one.number,
        "kind": one.incident.kind,
        "event": one.incident.text,
        "at_s": one.incident.at_s,
        "quantity": one.quantity,
        "unit": live_recoveries.UNITS[one.quantity],
        "measured": one.measured,
        "predicted": one.simulated.predicted,
        "error": one.simulated.error,
        "tolerance": one.simulated.tolerance,
        "verdict": AGREES if one.simulated.agrees else DIFFERS,
        "replayed": one.replayed,
    }


def _comparison(which: str, one: Comparison | None) -> Row:
    values = (None, None, None) if one is None else (one.predicted, one.error, one.tolerance)
    names = (f"predicted_{which}", f"error_{which}", f"tolerance_{which}")
    return dict(zip(names, values, strict=True))


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value
