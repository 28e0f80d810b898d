"""Stage `compare_predictions`: figures from the broker beside those of simulators."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from live.live_settings import GIVEN
from pipeline.experiments.live.predictions import agreement, event_recoveries
from pipeline.experiments.live.running import live_streams
from pipeline.experiments.live.running.live_folders import LiveFolders
from pipeline.experiments.live.stages.live_rows import Row, agreement_rows, recovery_row
from pipeline.settings.live_experiment import LiveExperiment

if TYPE_CHECKING:
    from pipeline.warehouse.runs.stage import Work


def run(work: Work, folders: LiveFolders) -> dict[str, list[Row]]:
    """Rows of `live_agreement` and `live_recoveries`, from the evidence."""
    every = work.config.live
    return {
        "live_agreement": [row for one in every for row in _compared(folders, one)],
        "live_recoveries": [row for one in every for row in _recovered(folders, one)],
    }


def _compared(folders: LiveFolders, experiment: LiveExperiment) -> Iterator[Row]:
    pairs = _pairs(experiment)
    # One gap for all controllers: the broker is the same.
    gap_s = agreement.median_gap(folders.read(*pair) for pair in pairs)
    for pair in pairs:
        agreements = agreement.agreements(
            folders.read(*pair), pair[2], gap_s, experiment.speeds == GIVEN
        )
        yield from agreement_rows(*pair, agreements)


def _recovered(folders: LiveFolders, experiment: LiveExperiment) -> Iterator[Row]:
    if not experiment.group_events:
        return
    for pair in _pairs(experiment):
        for each in event_recoveries.compared(folders.read(*pair), pair[2]):
            yield recovery_row(*pair, each)


def _pairs(experiment: LiveExperiment) -> list[tuple[str, str, str]]:
    """Experiment, stream and strategy of each run."""
    return [
        (experiment.name, stream_id, strategy)
        for stream_id in live_streams.names(experiment)
        for strategy in experiment.strategies
    ]
