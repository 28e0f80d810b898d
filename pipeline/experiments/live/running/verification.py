"""Integrity of a live run once more, from its evidence alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from pipeline.base.errors import InputError
from pipeline.experiments.live.evidence.partition_integrity import integrity
from pipeline.experiments.live.running import live_folders, live_streams
from pipeline.experiments.live.running.live_folders import LiveFolders
from pipeline.warehouse.runs.context import RunContext
from schemas.tables.live.live_rules import EXCUSES_REPEATS


class Verified(NamedTuple):
    """Records of one strategy on one stream, over all partitions."""

    stream_id: str
    strategy: str
    """`stream_id`, `strategy`: what ran."""
    sent: int
    read: int
    lost: int
    twice: int
    out_of_order: int
    overlapping_epochs: int
    """`sent`, `read`, `lost`, `twice`, `out_of_order`, `overlapping_epochs`: as in table
    `live_integrity`, added up."""
    faults: int
    """Faults in the controller's journal."""
    excuses: int
    """Those of them after which a record may be processed twice."""

    @property
    def is_whole(self) -> bool:
        """Whether nothing is wrong that faults do not explain."""
        if self.lost:
            return False
        return self.excuses > 0 or not (self.twice or self.out_of_order or self.overlapping_epochs)


def verify(ctx: RunContext) -> Iterator[Verified]:
    """Count again for each strategy on each stream of a run.

    Raises InputError if the run is not a live run.
    Raises StageError if evidence is missing or damaged; names the folder.
    """
    if not ctx.config.live:
        raise InputError(f"`RUN_ID`: run {ctx.run_id} is not a live run")
    folders = live_folders.of_run(ctx)
    for experiment in ctx.config.live:
        for stream_id in live_streams.names(experiment):
            for strategy in experiment.strategies:
                yield _verified(folders, experiment.name, stream_id, strategy)


def _verified(folders: LiveFolders, experiment: str, stream_id: str, strategy: str) -> Verified:
    folder = folders.read(experiment, stream_id, strategy)
    rows, faults = integrity(folder), folder.said("fault")
    return Verified(
        stream_id,
        strategy,
        sent=sum(row.sent for row in rows),
        read=sum(row.read for row in rows),
        lost=sum(row.lost for row in rows),
        twice=sum(row.twice for row in rows),
        out_of_order=sum(row.out_of_order for row in rows),
        overlapping_epochs=sum(row.overlapping_epochs for row in rows),
        faults=len(faults),
        excuses=sum(fault["kind"] in EXCUSES_REPEATS for fault in faults),
    )
