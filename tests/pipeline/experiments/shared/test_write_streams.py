"""Rates of generated streams, as Spark's tasks make them."""

from __future__ import annotations

from importlib import import_module

import pytest

from pipeline.experiments.family_list import family_of
from pipeline.experiments.shared.write_streams import drawing
from pipeline.experiments.streams import stream
from pipeline.settings.load import resolve

pytestmark = [pytest.mark.unit, pytest.mark.slow]


@pytest.mark.parametrize("preset", ["smoke", "autoscaling-smoke", "live-smoke"])
def test_rates_are_made_of_rows_alone(preset: str) -> None:
    config = resolve(preset, None, [], [])
    source = import_module(family_of(config).streams)
    streams = list(source.streams(config, {}))[:2]
    (rows,) = stream.rows(streams).select(stream.MADE_OF).to_batches()
    batches = list(drawing(source.draws(config))([rows, rows.slice(0, 0)]))
    assert len(batches) == len(streams)
    for one, batch in zip(streams, batches, strict=True):
        assert batch == stream.measurements(one.made_of, source.draws(config)(one.made_of))
        assert batch.num_rows == one.n_iterations
        assert {len(rates) for rates in batch["rates"].to_pylist()} == {one.n_partitions}
