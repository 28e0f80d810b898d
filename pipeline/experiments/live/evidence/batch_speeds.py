"""How fast consumers are: their full batches, by speed."""

from __future__ import annotations

import numpy as np

from algorithms.core.arrays import Longs
from live.live_settings import CYCLE
from pipeline.experiments.live.evidence.run_folder import RunFolder
from schemas.tables.live.live_runs import SPEED_BINS

FULL = 0.99
"""Share of ``batch_bytes`` from which on a batch is full: records are not divided."""


def batch_histogram(folder: RunFolder) -> Longs | None:
    """Full batches by speed, ``int64[SPEED_BINS]``, in steps of 1 % of C̄; None without batches.

    The speed of a batch is its size by the time since the same consumer's batch before it was
    finished. A batch after one that was not full is left out: its consumer may have waited.
    """
    settings, records = folder.settings, folder.records
    if settings.mode != CYCLE:
        return None
    # All records of a batch are done at the same time.
    keys = (records.consumer, records.incarnation, records.done_ns)
    is_first = np.ones(records.size, np.bool_)
    is_first[1:] = np.any([key[1:] != key[:-1] for key in keys], axis=0)
    firsts = np.flatnonzero(is_first)
    sizes = np.diff(firsts, append=records.size) * settings.record_bytes
    is_full = sizes >= FULL * settings.batch_bytes
    batches = records.at(firsts)
    is_next = (np.diff(batches.consumer) == 0) & (np.diff(batches.incarnation) == 0)
    counts = is_next & is_full[1:] & is_full[:-1]
    spans_s = np.diff(batches.done_ns)[counts] / 1e9
    percent = 100 * sizes[1:][counts] / spans_s / settings.consumer_rate
    places = np.minimum(percent.astype(np.int64), SPEED_BINS - 1)
    return np.bincount(places, minlength=SPEED_BINS).astype(np.int64)
