"""The two workloads that autoscalers were published with, recognised by their rates.

M. Ezzeddine, F. Baude, F. Huet, *Tail-Latency Aware and Resource-Efficient Bin Pack Autoscaling for
Distributed Event Queues*, CLOSER 2024. The files are the authors' own and not part of Groupscale.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from algorithms.workloads.published_shapes import SHAPES

ADDRESS = "github.com/MazenEzzeddine/LeastLoadedKafkaautoscalingSimulatorV2 at commit 88a109d"
"""Where the authors publish both files."""


STEP_S = 1.0
"""Time between two samples of both, s."""


class PublishedWorkload(NamedTuple):
    """A total rate over time that a paper publishes figures for."""

    name: str
    """``W1`` or ``W2``, as the paper numbers them."""
    title: str
    """What it is."""
    steps: int
    """Number of samples, each `STEP_S` after the last one."""
    digest: str
    """`pipeline.inputs.traces.model.digest_of` the total rates: SHA-256 of the values in events/s
    as little-endian doubles. Times, header, byte order mark and format of the file do not matter.
    """
    shape: str
    """Profile of the generated rates that have its shape."""
    apart: float
    """Most that a rate of that shape differs by, events/s."""
    last_as_read: float | None = None
    """Last sample as the authors' reader takes it, if that differs: it drops the last character of
    every line, which at the end of a file without a final line break is a digit."""


W1 = PublishedWorkload(
    name="W1",
    title="10 minutes, 108,750 events",
    steps=600,
    digest="e6177eac53766bdf8b9d645064e3d6588e87ae1b334c44e9cf53f3fa1610e31e",
    shape="three_peaks",
    apart=3.5,
)
W2 = PublishedWorkload(
    name="W2",
    title="2 hours of taxi trips in New York, 1,312,207 events",
    steps=7207,
    digest="dc06d86f3ebe85854d9d299b248e01e1ea796f2e57579d83a70c31cd0d63343f",
    shape="taxi_days",
    apart=23.0,
    last_as_read=21.0,
)
WORKLOADS = (W1, W2)


class Partitioning(NamedTuple):
    """How the authors bring a total rate to partitions."""

    split: str
    """A name of `algorithms.workloads.partition_splits.SPLITS`."""
    partitions: int
    """Number of partitions."""
    as_read: bool = False
    """Whether the last sample is the one that the authors' reader takes."""

    @property
    def label(self) -> str:
        """Text that is unique to it."""
        return f"{self.split} {self.partitions}" + (", last sample cut" if self.as_read else "")


def recognised(digest: str) -> PublishedWorkload | None:
    """Return the published workload whose total rates have a digest, None if there is none.

    digest: Of the total rates, before any split; see `PublishedWorkload`. A trace of one partition
        has it as its own.
    """
    return next((workload for workload in WORKLOADS if workload.digest == digest), None)


def of_shape(profile: str, steps: int, step_s: float, peak: float) -> PublishedWorkload | None:
    """Return the published workload that a generated one has the shape of, None if there is none.

    peak: Highest rate, events/s.
    """
    for workload in WORKLOADS:
        generated = workload.shape, workload.steps, STEP_S, SHAPES[workload.shape].peak
        if (profile, steps, step_s, peak) == generated:
            return workload
    return None


def missing_text(available: Iterable[PublishedWorkload] = ()) -> str:
    """Say which published workloads a run lacks, and where to get them; empty if it has both.

    It can end an error message: it has no full stop.

    available: Those that were recognised.
    """
    names = {workload.name for workload in available}
    missing = [workload for workload in WORKLOADS if workload.name not in names]
    if not missing:
        return ""
    described = " and ".join(f"{each.name} ({each.title})" for each in missing)
    return (
        f"The published figures need workload {described}, which Groupscale may not distribute. "
        f"Download the authors' files from {ADDRESS} (Ezzeddine, Baude, Huet, CLOSER 2024) and "
        "name them as traces of one total rate; they are recognised by their rates, under any file "
        "name"
    )
