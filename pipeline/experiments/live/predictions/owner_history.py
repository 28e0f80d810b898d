"""Owners of partitions over time, as journal and evidence have them."""

from __future__ import annotations

import math
from itertools import groupby
from typing import NamedTuple

import numpy as np

from algorithms.core.arrays import Ints
from algorithms.simulation.queue_replay import Ownership
from pipeline.experiments.live.evidence.partition_tenures import tenures
from pipeline.experiments.live.evidence.run_folder import Entry, RunFolder

NOBODY = -1


class _Span(NamedTuple):
    """A tenure: partition, epoch, consumer, and times in s since the first iteration."""

    partition: int
    epoch: int
    consumer: int
    taken_s: float
    released_s: float


def ownership(folder: RunFolder) -> Ownership:
    """When which consumer had which partition, s since the first iteration began.

    A tenure begins when the consumer's answer reached the controller, or with its first record if
    that is earlier; it ends likewise with the answer to the stop, or with its last record.
    """
    spans: list[_Span] = []
    for _, own in groupby(_spans(folder), key=lambda span: span.partition):
        ordered = list(own)
        ends = [*(span.taken_s for span in ordered[1:]), math.inf]
        for span, end in zip(ordered, ends, strict=True):
            released = max(min(span.released_s, end), span.taken_s)
            spans.append(span._replace(released_s=released))
    columns = list(zip(*spans, strict=True)) if spans else [()] * len(_Span._fields)
    return Ownership(
        np.array(columns[0], np.int32),
        np.array(columns[2], np.int32),
        np.array(columns[3], np.float64),
        np.array(columns[4], np.float64),
    )


def _spans(folder: RunFolder) -> list[_Span]:
    """Tenures by partition and epoch; the last one of a partition has no end."""
    heard = folder.said("heard")
    started, stopped = (_by_tenure(heard, kind) for kind in ("started", "stopped"))
    read = {(t.partition, t.epoch): t for t in tenures(folder.records)}
    latest: dict[int, int] = {}
    for partition, epoch in (*started, *read):
        latest[partition] = max(epoch, latest.get(partition, 0))
    spans = []
    for key in sorted({*started, *read}):
        tenure, answer = read.get(key), started.get(key)
        if tenure is not None:
            consumer, first = tenure.consumer, tenure.first_read_ns
        elif answer is not None:
            consumer, first = answer["consumer"], answer["at_ns"]
        taken = first if answer is None else min(first, answer["at_ns"])
        end = stopped[key]["at_ns"] if key in stopped else None
        if end is None and key[1] < latest[key[0]] and tenure is not None:
            end = tenure.last_done_ns
        span = _seconds(folder, taken), math.inf if end is None else _seconds(folder, end)
        spans.append(_Span(*key, consumer, *span))
    return spans


def _by_tenure(heard: list[Entry], kind: str) -> dict[tuple[int, int], Entry]:
    """The first answer of each partition and epoch."""
    answers: dict[tuple[int, int], Entry] = {}
    for entry in heard:
        if entry["kind"] == kind:
            answers.setdefault((entry["partition"], entry["epoch"]), entry)
    return answers


def _seconds(folder: RunFolder, at_ns: int) -> float:
    return (at_ns - folder.settings.began_ns) / 1e9


def wanted_owners(folder: RunFolder) -> Ints:
    """Owners that the strategy wanted, ``int32[N, P]``; without a decision those before."""
    decisions = {
        entry["iteration"]: entry["wanted"]
        for entry in folder.said("iteration")
        if entry["iteration"] >= 0
    }
    present = [NOBODY] * folder.settings.partitions
    rows = [present := decisions.get(k, present) for k in range(folder.settings.iterations)]
    return np.array(rows, np.int32)


def acknowledged_owners(folder: RunFolder) -> Ints:
    """Consumer that took each partition last as iterations end, -1 for none, ``int32[N, P]``."""
    settings = folder.settings
    owners = np.full((settings.iterations, settings.partitions), NOBODY, np.int32)
    ends = np.arange(1, settings.iterations + 1) * settings.iteration_s
    # Spans of a partition are in the order of their epochs.
    for partition, consumer, taken, _ in zip(*ownership(folder), strict=True):
        owners[taken < ends, partition] = consumer
    return owners
