"""Stage `compare_predictions`: figures from the broker beside those of simulators."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from live.live_settings import GIVEN
from pipeline.experiments.live.predictions import agreement
from pipeline.experiments.live.running import live_streams
from pipeline.experiments.live.running.live_folders import LiveFolders
from pipeline.experiments.live.stages.live_rows import Row, agreement_rows
from pipeline.settings.live_experiment import LiveExperiment

if TYPE_CHECKING:
    from pipeline.warehouse.runs.stage import Work


def run(work: Work, folders: LiveFolders) -> Iterator[Row]:
    """Rows of `live_agreement`, from the evidence."""
    for experiment in work.config.live:
        yield from _compared(folders, experiment)


def _compared(folders: LiveFolders, experiment: LiveExperiment) -> Iterator[Row]:
    pairs = [
        (experiment.name, stream_id, strategy)
        for stream_id in live_streams.names(experiment)
        for strategy in experiment.strategies
    ]
    # One gap for all controllers: the broker is the same.
    gap_s = agreement.median_gap(folders.read(*pair) for pair in pairs)
    for pair in pairs:
        agreements = agreement.agreements(
            folders.read(*pair), pair[2], gap_s, experiment.speeds == GIVEN
        )
        yield from agreement_rows(*pair, agreements)
