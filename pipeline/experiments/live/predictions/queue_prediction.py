"""Prediction B: a replay of the queue of each consumer, with the owners that the run had."""

from __future__ import annotations

import numpy as np

from algorithms.core.arrays import Floats, Ints, Longs
from algorithms.simulation.queue_replay import Fetching, Ownership, waiting_times
from live.asking import group_incidents
from live.live_settings import LiveSettings
from live.records import fetch_sizes, schedules
from pipeline.experiments.live.evidence.latency_sample import is_in
from pipeline.experiments.live.evidence.run_folder import RunFolder
from pipeline.experiments.live.predictions import member_tenures, owner_history


def predict(folder: RunFolder) -> Floats:
    """Latency of each record that is due in an iteration that counts, s."""
    due_ns, waits = replay(folder)
    latencies: Floats = waits[is_in(folder, due_ns + folder.settings.began_ns, folder.is_compared)]
    return latencies


def replay(folder: RunFolder) -> tuple[Longs, Floats]:
    """When each record was due, ns since the first iteration began, and its latency, s.

    A record's latency ends when the consumer takes it up. Due times, times of take-over and C̄ are
    those of the run, and so are the sizes of buffer and answers; everything else is computed.
    """
    settings = folder.settings
    due_ns, partitions = sent_records(folder)
    asks = member_tenures.are_noted(folder)
    owned = member_tenures.ownership(folder) if asks else owner_history.ownership(folder)
    for span in group_incidents.standstills(group_incidents.of_run(settings)):
        owned = without(owned, *span)
    fetching = _of_members(settings) if asks else _of_consumers(settings)
    return due_ns, waiting_times(due_ns / 1e9, partitions, owned, service_s(settings), fetching)


def service_s(settings: LiveSettings) -> float:
    """Time that a consumer takes for one record, s."""
    return settings.record_bytes / settings.consumer_rate


def _of_members(settings: LiveSettings) -> Fetching:
    """Members of a group that asks process what they have fetched before they fetch more.

    So they process all that waited in one partition before they take up the next one.
    """
    return Fetching(*fetch_sizes.member_records(settings), 0.0)


def _of_consumers(settings: LiveSettings) -> Fetching:
    return Fetching(
        fetch_sizes.partition_records(settings),
        fetch_sizes.answer_records(settings),
        fetch_sizes.BUFFER_S,
    )


def without(owned: Ownership, first_s: float, last_s: float) -> Ownership:
    """Owners without a time in which all stand still: as if each gave its partitions away."""
    before = owned._replace(released_s=np.minimum(owned.released_s, first_s))
    after = owned._replace(taken_s=np.maximum(owned.taken_s, last_s))
    both = Ownership(
        np.concatenate([before.partition, after.partition]),
        np.concatenate([before.consumer, after.consumer]),
        np.concatenate([before.taken_s, after.taken_s]),
        np.concatenate([before.released_s, after.released_s]),
    )
    is_owned = both.taken_s < both.released_s
    return Ownership(
        both.partition[is_owned],
        both.consumer[is_owned],
        both.taken_s[is_owned],
        both.released_s[is_owned],
    )


def sent_records(folder: RunFolder) -> tuple[Longs, Ints]:
    """Due times, ns since the first iteration began, and partitions of all records sent."""
    settings, sent = folder.settings, folder.producer["sent_by_partition"]
    bursts_ns = folder.producer.get(schedules.BURSTS_NS, ())
    schedule = schedules.as_sent(settings, folder.rates.tolist(), bursts_ns)
    rows = [
        (record.due_ns, record.partition)
        for record in schedule.records()
        if record.sequence < sent[record.partition]
    ]
    table = np.array(rows, np.int64).reshape(-1, 2)
    return np.ascontiguousarray(table[:, 0]), table[:, 1].astype(np.int32)
