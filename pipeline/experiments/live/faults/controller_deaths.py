"""What must be seen after controllers were killed: plans are completed, and reading goes on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from live.protocol.plan_report import NOBODY
from pipeline.experiments.live.evidence.run_folder import Entry, RunFolder
from pipeline.experiments.live.faults.halt_point import MOMENTS

TURN_NS = 10**9
"""A record that is due this long before the end of a span is processed in it."""


def wrong_after(folder: RunFolder, deaths: Sequence[Entry], seconds: float) -> list[str]:
    """What was not as expected after controllers were killed, one line each.

    deaths: Notes of the script, each with the time and the ``moment`` of a death.
    seconds: Time in which a successor must complete a plan, and in which every partition is read
        from.
    """
    missed = MOMENTS.keys() - {death["moment"] for death in deaths}
    return [
        *(f"no controller was killed at: {text}" for m, text in MOMENTS.items() if m in missed),
        *(
            f"killed at {death['moment']!r}: {line}"
            for death in deaths
            for line in _wrong(folder, int(death["at_ns"]), seconds)
        ),
    ]


def _wrong(folder: RunFolder, death_ns: int, seconds: float) -> list[str]:
    alone_ns = min((e["at_ns"] for e in folder.entries if e["at_ns"] > death_ns), default=death_ns)
    alone = at_rest(folder, death_ns) & unread(folder, death_ns, alone_ns)
    stopped = unread(folder, death_ns, death_ns + round(seconds * 1e9))
    return [
        *_late(completed_after(folder, death_ns), death_ns, seconds),
        *(f"partition {p} was not read from without a controller" for p in sorted(alone)),
        *(f"partition {p} was not read from for {seconds:g} s" for p in sorted(stopped)),
    ]


def _late(completed_ns: int | None, death_ns: int, seconds: float) -> list[str]:
    if completed_ns is None:
        return ["no plan was completed"]
    took_s = (completed_ns - death_ns) / 1e9
    return [f"a plan was completed after {took_s:.2f} s, not {seconds:g} s"] * (took_s > seconds)


def completed_after(folder: RunFolder, death_ns: int) -> int | None:
    """When all consumers had acknowledged the owners wanted in the iteration of a death, or later.

    Only what they say after the death counts, since the successor asks all of them again. None if
    they never did.
    """
    settings = folder.settings
    iteration = settings.iteration_at(death_ns, settings.began_ns)
    targets: Sequence[int] = ()
    owners: dict[int, int] = {}
    for entry in folder.entries:
        if entry["what"] == "iteration" and entry["iteration"] >= iteration:
            targets = entry["wanted"]
        if entry["at_ns"] > death_ns and _is_started(entry):
            owners[entry["partition"]] = entry["consumer"]
        owned = [p for p, consumer in enumerate(targets) if consumer != NOBODY]
        if owned and all(owners.get(p) == targets[p] for p in owned):
            return int(entry["at_ns"])
    return None


def at_rest(folder: RunFolder, at_ns: int) -> set[int]:
    """Partitions that were started where they were wanted at a time."""
    before = [entry for entry in folder.entries if entry["at_ns"] < at_ns]
    plans: Iterable[Sequence[int]] = (e["wanted"] for e in before if e["what"] == "iteration")
    *_, targets = ((), *plans)
    owners = {e["partition"]: e["consumer"] for e in before if _is_started(e)}
    return {p for p, consumer in enumerate(targets) if owners.get(p) == consumer}


def unread(folder: RunFolder, since_ns: int, until_ns: int) -> set[int]:
    """Partitions with a record due in a span of time of which no record was processed in it."""
    records = folder.records
    is_due = (records.due_ns >= since_ns) & (records.due_ns <= until_ns - TURN_NS)
    is_read = (records.read_ns >= since_ns) & (records.read_ns <= until_ns)
    due, read = np.unique(records.partition[is_due]), np.unique(records.partition[is_read])
    return set(np.setdiff1d(due, read).tolist())


def _is_started(entry: Entry) -> bool:
    return bool(entry["what"] == "heard" and entry["kind"] == "started")
