"""Folders of runs that never were: what a faultless broker would have left behind.

Partitions that move stop 20 ms after an iteration begins and start 40 ms later.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from algorithms.assignment import registry
from algorithms.simulation.queue_replay import Fetching, Ownership, waiting_times
from algorithms.workloads import random_walk
from live.live_settings import LiveSettings
from live.records import fetch_sizes, rates_file
from live.records.evidence_file import EvidenceWriter
from live.records.send_schedule import SendSchedule

BEGAN_NS = 1_700_000_000_000_000_000
STOP_S, START_S = 0.02, 0.06
MS, SECOND = 10**6, 10**9
LATE_MS = 2.0


class Tenure(NamedTuple):
    """A partition at a consumer, times in s since the beginning; the plan that began it."""

    partition: int
    epoch: int
    consumer: int
    taken_s: float
    released_s: float
    plan: int


def settings_for(folder: Path, **changes: Any) -> LiveSettings:
    """Small settings: 4 partitions, 5 iterations of 4 s."""
    base = LiveSettings(
        run="synthesised",
        bootstrap="localhost:9092",
        folder=str(folder),
        partitions=4,
        capacity=200_000.0,
        consumer_rate=240_000.0,
        iteration_s=4.0,
        iterations=5,
        began_ns=BEGAN_NS,
        seed=3,
    )
    return replace(base, **changes)


def walk(settings: LiveSettings, delta: float = 25.0) -> np.ndarray:
    """Rates of a random walk, at least a tenth of C: each tenure has records."""
    shape = (settings.partitions, settings.iterations)
    rates = random_walk.generate(*shape, delta, settings.capacity, None, settings.seed)
    return np.maximum(rates, settings.capacity / 10)


def make(
    folder: Path,
    strategy: str = "MWF",
    rates: Sequence[Sequence[float]] | None = None,
    settings: LiveSettings | None = None,
    late_ms: dict[int, float] | None = None,
) -> Path:
    """Write the folder of a run of a strategy; ``late_ms`` by iteration, 2 ms where left out."""
    chosen = settings or settings_for(folder)
    table = walk(chosen) if rates is None else np.array(rates, np.float64)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "settings.json").write_text(json.dumps(asdict(chosen)))
    rates_file.write(folder / "rates.bin", table.tolist())
    owners = registry.get(strategy).assign(table, chosen.capacity, chosen.seed)
    tenures = _tenures(chosen, owners)
    schedule = SendSchedule(table.tolist(), chosen.iteration_s, chosen.record_bytes)
    _write_evidence(chosen, folder, schedule, tenures)
    _write_producer(chosen, folder, schedule, late_ms or {})
    _write_journal(chosen, folder, table, owners, tenures)
    run = {
        "versions": {"kafka": "4.4.0", "confluent-kafka": "2.16.1"},
        "nodes": chosen.nodes,
        "cores": 2,
        "load": 0.5,
        "ended_ns": _ns(chosen.iterations * chosen.iteration_s + 1),
        "drained": True,
        "status": 0,
    }
    (folder / "run.json").write_text(json.dumps(run))
    return folder


def _ns(seconds: float) -> int:
    return BEGAN_NS + round(seconds * SECOND)


def _plans(owners: np.ndarray) -> dict[int, int]:
    """Number of the plan of each iteration that has one."""
    changed = [k for k in range(len(owners)) if k == 0 or (owners[k] != owners[k - 1]).any()]
    return {k: i + 1 for i, k in enumerate(changed)}


def _tenures(settings: LiveSettings, owners: np.ndarray) -> list[Tenure]:
    plans, tenures = _plans(owners), []
    for p in range(settings.partitions):
        starts = [k for k in range(len(owners)) if k == 0 or owners[k, p] != owners[k - 1, p]]
        for epoch, k in enumerate(starts, 1):
            taken = -0.5 if k == 0 else k * settings.iteration_s + START_S
            released = starts[epoch] * settings.iteration_s + STOP_S if epoch < len(starts) else 1e9
            tenures.append(Tenure(p, epoch, int(owners[k, p]), taken, released, plans[k]))
    return tenures


def _write_evidence(
    settings: LiveSettings, folder: Path, schedule: SendSchedule, tenures: list[Tenure]
) -> None:
    records = list(schedule.records())
    due = np.array([record.due_ns for record in records]) / SECOND
    partitions = np.array([record.partition for record in records], np.int32)
    columns = [np.array(column) for column in zip(*tenures, strict=True)]
    owned = Ownership(
        columns[0].astype(np.int32), columns[2].astype(np.int32), columns[3], columns[4]
    )
    service = settings.record_bytes / settings.consumer_rate
    fetching = Fetching(
        fetch_sizes.partition_records(settings),
        fetch_sizes.answer_records(settings),
        fetch_sizes.BUFFER_S,
    )
    read = due + waiting_times(due, partitions, owned, service, fetching)
    service_ns = round(service * SECOND)
    writers: dict[int, EvidenceWriter] = {}
    for i in np.argsort(read, kind="stable").tolist():
        record = records[i]
        own = [t for t in tenures if t.partition == record.partition]
        tenure = next(t for t in own if t.taken_s <= read[i] + 1e-9 < t.released_s + 1e-9)
        if tenure.consumer not in writers:
            file = folder / "evidence" / f"c{tenure.consumer}-1.bin"
            writers[tenure.consumer] = EvidenceWriter(file)
        due_ns, read_ns = BEGAN_NS + record.due_ns, max(_ns(read[i]), BEGAN_NS + record.due_ns)
        place = (record.partition, tenure.epoch, record.sequence)
        writers[tenure.consumer].append(*place, due_ns, read_ns, read_ns + service_ns)
    for writer in writers.values():
        writer.close()


def _write_producer(
    settings: LiveSettings, folder: Path, schedule: SendSchedule, late_ms: dict[int, float]
) -> None:
    counts = list(schedule.counts())
    iterations = [
        {"iteration": k, "due": sum(due), "sent": sum(due), "delivered": sum(due), "failed": 0}
        | {"late_p50_ms": 1.0, "late_p99_ms": late_ms.get(k, LATE_MS), "late_max_ms": 150.0}
        for k, due in enumerate(counts)
    ]
    by_partition = [sum(column) for column in zip(*counts, strict=True)]
    content = {
        "error": None,
        "stopped": False,
        "began_ns": BEGAN_NS,
        "record_bytes": settings.record_bytes,
        "sent": sum(by_partition),
        "failed": 0,
        "sent_by_partition": by_partition,
        "iterations": iterations,
    }
    (folder / "producer.json").write_text(json.dumps(content))


def _write_journal(
    settings: LiveSettings,
    folder: Path,
    rates: np.ndarray,
    owners: np.ndarray,
    tenures: list[Tenure],
) -> None:
    plans, entries = _plans(owners), []
    for k, assignment in enumerate(owners.tolist()):
        at_s = k * settings.iteration_s if k else -3.0
        entries.append(
            {"what": "iteration", "at_ns": _ns(at_s), "iteration": k}
            | {"wanted": assignment, "plan": plans.get(k)}
        )
        if k not in plans:
            continue
        # Of two transactions, the later one has the plan's first commands.
        entries += [{"what": "handed", "at_ns": _ns(at_s + late)} for late in (0.001, 0.003, 0.05)]
        for t in tenures:
            if t.plan == plans[k]:
                entries += _started(t)
        entries.append(_plan(settings, k, plans[k], rates, owners))
    nobody = [-1] * settings.partitions
    last = {"iteration": -1, "plan": len(plans) + 1}
    entries.append({"what": "iteration", "at_ns": _ns(1e3), "wanted": nobody, **last})
    plan = next(entry for entry in reversed(entries) if entry["what"] == "plan")
    entries.append({**plan, **last, "reason": "end", "after": 0, "moves": 0})
    lines = [json.dumps(entry) for entry in entries]
    (folder / "controller.jsonl").write_text("\n".join(lines) + "\n")


def _started(tenure: Tenure) -> list[dict[str, Any]]:
    place: dict[str, Any] = {"consumer": tenure.consumer, "incarnation": 1, "plan": tenure.plan}
    place |= {"partition": tenure.partition, "epoch": tenure.epoch, "offset": None}
    at_ns = _ns(tenure.taken_s)
    return [
        {"what": "sent", "kind": "start", "at_ns": at_ns - 20 * MS, **place},
        {"what": "heard", "kind": "started", "at_ns": at_ns, **place},
    ]


def _plan(
    settings: LiveSettings, k: int, plan: int, rates: np.ndarray, owners: np.ndarray
) -> dict[str, Any]:
    before = set(owners[k - 1].tolist()) if k else set()
    after = set(owners[k].tolist())
    moved = owners[k] != owners[k - 1] if k else np.zeros(settings.partitions, bool)
    begins_s = k * settings.iteration_s if k else -3.0
    created = len(after - before)
    return {
        "what": "plan",
        "at_ns": _ns(begins_s + START_S),
        "plan": plan,
        "iteration": k,
        "reason": "iteration",
        "before": len(before),
        "after": len(after),
        "created": created,
        "retired": len(before - after),
        "moves": int(moved.sum()),
        "rscore": float(rates[k][moved].sum() / settings.capacity),
        "measured_ns": _ns(begins_s),
        "decided_ns": _ns(begins_s + 0.002),
        "asked_ns": _ns(begins_s + 0.005) if created else None,
        "committed_ns": _ns(begins_s + 0.01),
        "hello_ns": _ns(begins_s + 0.03) if created else None,
        "started_ns": _ns(begins_s + START_S),
    }
