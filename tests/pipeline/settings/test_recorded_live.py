"""Live runs over recorded traces."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pipeline.base.errors import InputError
from pipeline.experiments.live.running import live_streams
from pipeline.settings.load import resolve
from pipeline.settings.presets import PRESETS
from pipeline.settings.run_config import RunConfig

pytestmark = pytest.mark.unit

ROWS: list[list[float | None]] = [
    [1000.0, 20_000.0],
    [3000.0, None],
    [5000.0, 40_000.0],
    [7000.0, 50_000.0],
]
SETTINGS = ["strategies=MWF,kd_2"]


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    """What `groupscale live record` writes with a period of 2 s."""
    file = tmp_path / "rates.csv"
    lines = [
        f"2026-01-01T00:00:{2 * i:02d}.000Z," + ",".join("" if r is None else f"{r:g}" for r in row)
        for i, row in enumerate(ROWS)
    ]
    file.write_text("\n".join(["timestamp,0,1", *lines]) + "\n")
    return file


def configured(trace: Path, *settings: str) -> RunConfig:
    return resolve("live-smoke", None, [*SETTINGS, *settings], [trace])


def refusal(trace: Path, *settings: str) -> str:
    with pytest.raises(InputError) as caught:
        configured(trace, *settings)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_the_trace_is_played_as_it_was_recorded(trace: Path) -> None:
    config = configured(trace)
    (experiment,) = config.live
    assert (experiment.partitions, experiment.iterations, experiment.replicates) == (2, 4, 1)
    assert (experiment.iteration_seconds, experiment.delta) == (2.0, None)
    ((stream, rates),) = live_streams.with_rates(experiment, config)
    assert stream.stream_id == live_streams.names(experiment)[0] == "trace-rates-r0001"
    assert (stream.source, stream.name, stream.partitions) == ("trace", "rates.csv", ("0", "1"))
    assert stream.digest == config.traces[0].digest
    assert stream.delta is stream.initial_rate is None
    # A partition that the trace lacks writes nothing.
    assert rates.tolist() == [[r or 0.0 for r in row] for row in ROWS]
    assert RunConfig.from_json(config.to_json()) == config


def test_it_can_be_resampled_shortened_and_scaled(trace: Path) -> None:
    config = configured(trace, "iteration_seconds=4")
    (experiment,) = config.live
    assert (experiment.iterations, experiment.iteration_seconds) == (2, 4.0)
    config = configured(trace, "iterations=3", "scale=0.5")
    (experiment,) = config.live
    ((_, rates),) = live_streams.with_rates(experiment, config)
    assert np.array_equal(rates[:, 0], [500.0, 1500.0, 2500.0])


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (["partitions=3"], "--set partitions=3: `partitions` does not apply to a recorded trace"),
        (["profile=ramp"], "--set profile=ramp: `profile` does not apply to a recorded trace"),
        (["delta=5"], "--set delta=5: `delta` does not apply to a recorded trace"),
        (["iterations=5"], "`iterations` must be at most those of the trace, 4 (got 5)"),
        (["iteration_seconds=0.1"], "`iteration_seconds` must be a number between 0.5 and 3600 s"),
        (["scale=0"], "`scale` must be a number between 1e-06 and 1e+06 (got 0)"),
        (["deltas=5"], "`deltas` does not apply to experiments on live"),
    ],
)
def test_what_does_not_fit_a_trace(trace: Path, settings: list[str], message: str) -> None:
    assert message in refusal(trace, *settings)


def test_faulty_traces(trace: Path) -> None:
    assert "No such file" in refusal(trace.with_name("none.csv")) or "none.csv" in refusal(
        trace.with_name("none.csv")
    )
    trace.write_text("timestamp,0,1\n2026-01-01T00:00:00Z,5,-1\n2026-01-01T00:00:02Z,5,1\n")
    assert "rates.csv" in refusal(trace)


@pytest.fixture
def total(tmp_path: Path) -> Path:
    """One total rate, in events/s."""
    file = tmp_path / "total.csv"
    file.write_text("timestamp,rate\n2026-01-01T00:00:00Z,40\n2026-01-01T00:00:02Z,80\n")
    return file


def test_a_total_rate_is_split_and_counts_records(total: Path) -> None:
    config = configured(total, "partitions=4", "split=skew", "record_bytes=500", "scale=2")
    (experiment,) = config.live
    assert (experiment.partitions, experiment.iterations) == (4, 2)
    ((stream, rates),) = live_streams.with_rates(experiment, config)
    assert (stream.topic_sizes, stream.partitions) == ([4], None)
    assert stream.digest == config.traces[0].digest
    assert rates.tolist() == [[10_000.0] * 4, [20_000.0] * 4]
    (experiment,) = configured(total, "partitions=3", "split=[1,1,2]").live
    ((_, rates),) = live_streams.with_rates(experiment, config)
    assert rates[0].tolist() == [20_000.0, 20_000.0, 40_000.0]
    assert RunConfig.from_json(config.to_json()) == config


def test_a_split_must_fit_its_file(trace: Path, total: Path) -> None:
    assert "`split` does not apply to a recorded trace with a rate per partition" in refusal(
        trace, "split=skew"
    )
    assert "`partitions` must be at least 3 for the split skew" in refusal(
        total, "partitions=2", "split=skew"
    )


def total_file(tmp_path: Path, name: str) -> Path:
    """A file of one total rate per second, in records/s."""
    file = tmp_path / f"{name}.csv"
    lines = [f"2026-01-01T00:00:{i:02d}.000Z,{100 + i}" for i in range(5)]
    file.write_text("\n".join(["timestamp,rate", *lines]) + "\n")
    return file


def test_each_experiment_of_profiles_plays_a_file_of_one_total_rate(tmp_path: Path) -> None:
    config = resolve("group-night", None, ["strategies=kd_2"], [total_file(tmp_path, "total")])
    preset = PRESETS["group-night"].experiments
    assert [one.name for one in config.live] == list(preset)
    assert {one.trace for one in config.live} == {config.traces[0].stream_id}
    assert {one.replicates for one in config.live} == {5}
    assert [one.partitions for one in config.live] == [one["partitions"] for one in preset.values()]
    assert {(one.profile, one.iterations) for one in config.live} == {("", 5)}
    drawn = list(live_streams.with_rates(config.live[0], config))
    assert len({stream.seed for stream, _ in drawn}) == len(drawn) == 5
    assert len({rates.tobytes() for _, rates in drawn}) == 1


def test_several_files_have_experiments_of_their_own(tmp_path: Path) -> None:
    files = [total_file(tmp_path, name) for name in ("a", "b")]
    config = resolve("group", None, ["strategies=kd_2"], files)
    names = [one.name for one in config.live]
    assert len(set(names)) == len(names) == 2 * len(PRESETS["group"].experiments)
