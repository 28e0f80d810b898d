"""The workload of a consumer group: rates by topic and partition, with a clock and a unit."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from algorithms.core.arrays import Floats
from algorithms.workloads import step_parts
from pipeline.inputs.traces.hot_partitions import Peak
from pipeline.inputs.traces.partition_layout import Topic
from pipeline.inputs.traces.recorded_group import RecordedGroup

EVENTS, BYTES = "events/s", "bytes/s"
"""Units of rates."""


class SplitChoice(NamedTuple):
    """How a total rate is split over partitions."""

    how: str = "equal"
    """One of `partition_splits.SPLITS`."""
    weights: tuple[float, ...] | None = None
    """For ``weights``: one per partition."""


EQUAL = SplitChoice()
"""The same share for each partition."""


class Workload(NamedTuple):
    """What a simulated group gets."""

    name: str
    """Name of the file, without its folder, or of the profile."""
    rates: Floats
    """Rates in `unit`, finite and at least 0: a row per step, a column per partition, sorted by
    topic and number."""
    step_s: float
    """Length of a step, s."""
    digest: str | None
    """SHA-256 of the rates as recorded, before they are resampled and split, hexadecimal: a
    recording has the same digest with any step and any partitions. None for a profile."""
    fastest: tuple[Peak, ...] = ()
    """Fastest partitions of a recording; none where a total rate is split."""
    form: str = ""
    """Format of a recording that was converted, in words; else empty."""
    topics: tuple[Topic, ...] = ()
    """Topics of the partitions, in order; empty for a single one without a name."""
    started_at: datetime | None = None
    """Start of the first step, UTC; None for profiles and recordings without a clock."""
    unit: str = EVENTS
    """`EVENTS` or `BYTES`."""
    notes: tuple[str, ...] = ()
    """What the reader should know about how the rates were made, in sentences."""
    averaged_s: float | None = None
    """Length of the times that rates are means of, s, of which steps can be parts: how rates vary
    within is not known. None where it is a step."""
    group: RecordedGroup | None = None
    """The group that a recording shows besides its rates."""

    @property
    def sizes(self) -> tuple[int, ...]:
        """Partitions of each topic."""
        return tuple(topic.partitions for topic in self.topics) or (self.rates.shape[1],)

    @property
    def labels(self) -> tuple[str, ...]:
        """Name of each partition: ``topic/number``, or the number where topics have no name."""
        topics = self.topics or (Topic("", self.rates.shape[1]),)
        return tuple(label for topic in topics for label in topic.labels)

    @property
    def counted(self) -> str:
        """What the rates count: ``events`` or ``bytes``."""
        return self.unit.removesuffix("/s")


def cut(workload: Workload, arrivals: str) -> Workload:
    """The workload with steps cut that are longer than a decision, unless events come in bursts.

    workload: A workload in steps of any length.
    arrivals: ``uniform`` or ``burst``: when events arrive within a step.
    """
    if arrivals == "burst":
        return workload
    rates, step_s = step_parts.refined(workload.rates, workload.step_s)
    averaged_s = workload.step_s if workload.averaged_s is None else workload.averaged_s
    return workload._replace(rates=rates, step_s=step_s, averaged_s=averaged_s)
