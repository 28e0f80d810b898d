"""Figures from the broker are compared by the evidence in folders alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from pipeline.base.errors import StageError
from pipeline.experiments.live.running import live_streams
from pipeline.experiments.live.running.live_folders import LiveFolders
from pipeline.experiments.live.stages import compare_predictions, measure_groups
from pipeline.settings.load import resolve
from pipeline.warehouse.runs.stage import Work
from tests.pipeline.experiments.live import synthetic_folders

pytestmark = pytest.mark.slow

NO_SPARK: Any = None


def test_every_strategy_on_every_stream_is_compared(tmp_path: Path) -> None:
    config = resolve("live-smoke", None, [], [])
    folders = LiveFolders("r1", "v", tmp_path / "live", tmp_path / "samples")
    (experiment,) = config.live
    pairs = [(s, name) for s in live_streams.names(experiment) for name in experiment.strategies]
    for stream_id, strategy in pairs:
        place = folders.of_strategy(experiment.name, stream_id, strategy)
        settings = synthetic_folders.settings_for(place, partitions=8, iterations=6)
        synthetic_folders.make(place, strategy, settings=settings)
    work = Work(NO_SPARK, config, config.units())
    tables = compare_predictions.run(work, folders)
    rows = tables["live_agreement"]
    assert tables["live_recoveries"] == []
    assert list(dict.fromkeys((row["stream_id"], row["strategy"]) for row in rows)) == pairs
    assert tables["live_courses"] == []  # Algorithms are predicted without a simulated group.
    with pytest.raises(StageError, match="run the stage measure_groups again"):
        compare_predictions.run(work, LiveFolders("r1", "v", tmp_path / "none", tmp_path))


def test_streams_of_an_experiment_have_their_rates_in_order() -> None:
    (experiment,) = resolve("live-smoke", None, [], []).live
    streams = pd.DataFrame(
        {"stream_id": name, "experiment": experiment.name, "replicate": 1, "seed": seed}
        for seed, name in ((8, "b"), (7, "a"))
    )
    streams.loc[len(streams)] = ["c", "another", 1, 9]
    measurements = pd.DataFrame(
        {
            "experiment": experiment.name,
            "stream_id": name,
            "iteration": iteration,
            "rates": np.array([iteration, factor]),
        }
        for name, factor in (("a", 1.0), ("b", 2.0))
        for iteration in (2, 1)
    )
    first, second = measure_groups.streams_of(experiment, streams, measurements)
    assert (first["stream_id"], first["seed"], first["rates"].tolist()) == (
        *("a", 7),
        [[1.0, 1.0], [2.0, 1.0]],
    )
    assert second["rates"].tolist() == [[1.0, 2.0], [2.0, 2.0]]
