"""What the reader should know about any trace, whatever the form of its file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from pipeline.base.text.durations import duration
from pipeline.inputs.traces import moments, times
from pipeline.inputs.traces.model import Times, Trace
from pipeline.inputs.traces.resample import median_step, silences

_LISTED = 3


def of(trace: Trace) -> Iterator[str]:
    """Notes on times without a zone, holes, names and rates, in sentences."""
    if trace.times is not None and trace.times.in_seconds:
        if times.repeated_hint(trace.times.first):
            yield "Times have no time zone; they count as UTC."
        yield from _holes(trace.times)
        yield from _holes_of_partitions(trace, trace.times)
    yield from _names(trace.partitions)
    absent = np.flatnonzero(np.isnan(trace.rates).all(axis=0)).tolist()
    if absent:
        listed = _listed([trace.partitions[place] for place in absent])
        yield f"No rate is recorded for {listed}."
    if not np.nansum(trace.rates):
        yield "All rates are 0."


def _holes(stamps: Times) -> Iterator[str]:
    """Stretches without data, with their lengths."""
    step = median_step(stamps)
    if step is None:
        return
    holes = np.flatnonzero(silences(stamps.at, step))
    if not len(holes):
        return
    text = moments.writer(stamps)
    lengths = np.diff(stamps.at)[holes] - step
    listed = "; ".join(
        f"{duration(float(lengths[k]))} after {text(float(stamps.at[holes[k]]))}"
        for k in range(min(_LISTED, len(holes)))
    )
    more = len(holes) - _LISTED
    rest = f" and {more:,} more" if more > 0 else ""
    span = float(stamps.at[-1]) + step
    yield (
        f"Data is missing for {listed}{rest}. That time is left out: "
        f"{duration(span - float(lengths.sum()))} of {duration(span)} are recorded."
    )


def _holes_of_partitions(trace: Trace, stamps: Times) -> Iterator[str]:
    """Partitions without a rate between others, while other partitions have one."""
    present = ~np.isnan(trace.rates)
    before = np.logical_or.accumulate(present, axis=0)
    after = np.logical_or.accumulate(present[::-1], axis=0)[::-1]
    absent = before & after & ~present
    columns = np.flatnonzero(absent.any(axis=0))
    if not len(columns):
        return
    first = int(columns[0])
    begin = int(np.flatnonzero(absent[:, first])[0])
    end = begin + int(np.argmax(present[begin:, first]))
    length = duration(float(stamps.at[end] - stamps.at[begin]))
    more = len(columns) - 1
    rest = f" (and in {more:,} more partition{'s' * (more > 1)})" if more else ""
    yield (
        f"Partition {trace.partitions[first]} has no rate for {length} from "
        f"{moments.writer(stamps)(float(stamps.at[begin]))}{rest}, and counts as without events "
        "then. If it had some, fill in its rates."
    )


def _names(partitions: Sequence[str]) -> Iterator[str]:
    """Topics that differ only in the case of their letters, or in blanks."""
    spelled: dict[str, set[str]] = {}
    for name in partitions:
        topic = name.rpartition("/")[0]
        spelled.setdefault("".join(topic.split()).casefold(), set()).add(topic)
    alike = [sorted(topics) for topics in spelled.values() if len(topics) > 1]
    if alike:
        yield (
            f"Topics {_listed(alike[0])} differ only in case or blanks. They count as different "
            "topics."
        )


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(names[:_LISTED])
    return shown + (f" and {len(names) - _LISTED:,} more" if len(names) > _LISTED else "")
