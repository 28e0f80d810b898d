"""Stage `compare_predictions`: figures from the broker beside those of simulators."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from live.live_settings import GIVEN
from pipeline.experiments.live.predictions import agreement, event_recoveries
from pipeline.experiments.live.running import live_streams
from pipeline.experiments.live.running.live_folders import LiveFolders
from pipeline.experiments.live.stages.live_rows import (
    Row,
    agreement_rows,
    course_rows,
    recovery_row,
)
from pipeline.settings.live_experiment import LiveExperiment

if TYPE_CHECKING:
    from pipeline.warehouse.runs.stage import Work


TABLES = ("live_agreement", "live_courses", "live_recoveries")


def run(work: Work, folders: LiveFolders) -> dict[str, list[Row]]:
    """Rows of `TABLES`, from the evidence."""
    rows: dict[str, list[Row]] = {table: [] for table in TABLES}
    for experiment in work.config.live:
        for each in _compared(folders, experiment):
            for table, own in zip(TABLES, each, strict=True):
                rows[table] += own
    return rows


def _compared(
    folders: LiveFolders, experiment: LiveExperiment
) -> Iterator[tuple[list[Row], list[Row], list[Row]]]:
    """Rows of `TABLES` of each strategy on each stream."""
    pairs = [
        (experiment.name, stream_id, strategy)
        for stream_id in live_streams.names(experiment)
        for strategy in experiment.strategies
    ]
    # One gap for all controllers: the broker is the same.
    gap_s = agreement.median_gap(folders.read(*pair) for pair in pairs)
    for pair in pairs:
        folder = folders.read(*pair)
        simulated = agreement.simulated_group(folder, pair[2])
        is_given = experiment.speeds == GIVEN
        agreements = agreement.agreements(folder, pair[2], gap_s, is_given, simulated)
        recoveries = event_recoveries.compared(folder, simulated)
        yield (
            agreement_rows(*pair, agreements),
            course_rows(*pair, simulated),
            [recovery_row(*pair, each) for each in recoveries],
        )
