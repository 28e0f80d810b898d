"""What must be seen in the evidence of a run after any of several faults."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from pipeline.experiments.live.evidence.partition_integrity import integrity
from pipeline.experiments.live.evidence.run_folder import Entry, RunFolder
from pipeline.experiments.live.faults import fault_scripts

Check = Callable[[RunFolder, list[Entry]], list[str]]
"""Takes what the run has left and what the script has noted; returns what is wrong."""


def most_twice(folder: RunFolder) -> int:
    """Records that a fault may repeat: those since the last progress, and a consumer's buffer."""
    settings = folder.settings
    return round((settings.progress_s + 1.0) * settings.consumer_rate / settings.record_bytes)


def damaged(folder: RunFolder) -> list[str]:
    """Partitions with lost records, or with more processed twice than a fault explains."""
    rows = integrity(folder)
    lost = [f"partition {r.partition}: {r.lost} records lost" for r in rows if r.lost]
    limit = most_twice(folder)
    twice = [
        f"partition {r.partition}: {r.twice} records twice, more than {limit}"
        for r in rows
        if r.twice > limit
    ]
    return [*lost, *twice]


def late_iterations(folder: RunFolder) -> list[str]:
    """What may explain that something else took too long."""
    late = [str(k) for k, is_sound in enumerate(folder.is_sound, 1) if not is_sound]
    text = (
        f"the producer was late in iterations {', '.join(late)}: a broker or this machine was busy"
    )
    return [text] if late else []


def answered_after(folder: RunFolder, notes: list[Entry]) -> float | None:
    """Seconds until the victim's partitions are started elsewhere; None if never or none."""
    fault_ns = int(first(notes, "fault")["at_ns"])
    started = [e for e in folder.said("heard") if e["kind"] == "started"]
    owners = {e["partition"]: e["consumer"] for e in started if e["at_ns"] < fault_ns}
    orphans = {p for p, consumer in owners.items() if consumer == fault_scripts.VICTIM}
    after = [e for e in started if e["at_ns"] > fault_ns and e["partition"] in orphans]
    again = {e["partition"]: int(e["at_ns"]) for e in reversed(after)}
    if not orphans or set(again) != orphans:
        return None
    return (max(again.values()) - fault_ns) / 1e9


def answered_in(seconds: float, least: float = 0.0) -> Check:
    """Check for the time from the fault until the victim's partitions are started again, s."""

    def check(folder: RunFolder, notes: list[Entry]) -> list[str]:
        took = answered_after(folder, notes)
        if took is None:
            return ["the victim had no partitions, or not all were started again"]
        late = [f"answered after {took:.2f} s, not {seconds:g} s"] * (took > seconds)
        return [*late, *[f"answered after {took:.2f} s, before {least:g} s"] * (took < least)]

    return check


def nothing_decided(folder: RunFolder, notes: list[Entry]) -> list[str]:
    """Check that measurements counted as stale, and that the owners stayed until the end."""
    settings = folder.settings
    stale_ns = first(notes, "fault")["at_ns"] + 4 * settings.period_s * 1e9
    end_ns = settings.began_ns + settings.iterations * settings.iteration_s * 1e9
    is_stale = any(e["kind"] == "stale" for e in folder.said("fault"))
    decided = [e for e in folder.said("iteration") if stale_ns < e["at_ns"] < end_ns]
    return [
        *([] if is_stale else ["the controller did not notice"]),
        *(f"decided at {e['at_ns']} ns on old measurements" for e in decided),
    ]


def resumed_in(seconds: float) -> Check:
    """Check that no partition waits longer for its next record to be processed."""

    def check(folder: RunFolder, notes: list[Entry]) -> list[str]:
        return [
            f"partition {partition}: nothing was processed for {pause_s:.1f} s, not {seconds:g} s"
            for partition, pause_s in pauses(folder).items()
            if pause_s > seconds
        ]

    return check


def pauses(folder: RunFolder) -> dict[int, float]:
    """Longest time between two records that were taken up, s, of each partition with several."""
    records = folder.records
    read_ns = {
        p: records.read_ns[records.partition == p] for p in range(folder.settings.partitions)
    }
    return {
        partition: float(np.diff(np.sort(own)).max()) / 1e9
        for partition, own in read_ns.items()
        if len(own) > 1
    }


def first(notes: list[Entry], what: str) -> Entry:
    """The first note of a kind."""
    return next(note for note in notes if note["what"] == what)
