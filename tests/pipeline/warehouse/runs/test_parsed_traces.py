"""Traces in the run's folder: parsed once, the same for each process that reads them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pipeline.base.errors import StageError
from pipeline.base.paths import Paths
from pipeline.inputs.traces import format_list
from pipeline.settings.load import resolve
from pipeline.warehouse.runs import context, parsed_traces
from pipeline.warehouse.runs.context import RunContext, now

pytestmark = pytest.mark.unit

NO_SPARK: Any = None

FILES = {
    # A partition that is absent, irregular times, two topics.
    "topics.csv": "timestamp,topic,partition,rate\n"
    "2026-01-01T00:00:00Z,b,0,0.1\n2026-01-01T00:00:00Z,a,3,1e-9\n"
    "2026-01-01T00:00:30Z,b,0,7\n2026-01-01T00:01:15Z,a,3,2\n",
    "no-clock.csv": "iteration,x,y\n1,0.1,\n2,,1e-9\n3,7,2\n",
    # The same rates under other names.
    "again.csv": "iteration,v,w\n1,0.1,\n2,,1e-9\n3,7,2\n",
}
TOTAL = "timestamp,rate\n0,11.5\n1,24\n2,0\n"


def begun(folder: Path, preset: str | None, files: dict[str, str]) -> RunContext:
    paths = [folder / name for name in files]
    for path, text in zip(paths, files.values(), strict=True):
        path.write_text(text)
    config = resolve(preset, None, [], paths)
    return RunContext("r", config, Paths(folder / "warehouse"), "me", now())


@pytest.mark.parametrize(
    ("preset", "files"),
    [(None, FILES), ("autoscaling", {"total.csv": TOTAL, "no-clock.csv": FILES["no-clock.csv"]})],
)
def test_stages_of_all_processes_read_what_was_configured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, preset: str | None, files: dict[str, str]
) -> None:
    parsed: list[str] = []
    read = format_list.read
    monkeypatch.setattr(
        format_list, "read", lambda path, *said: (parsed.append(path.name), read(path, *said))[1]
    )
    ctx = begun(tmp_path, preset, files)
    first = ctx.config.recorded
    for file in tmp_path.glob("*.csv"):
        file.unlink()
    parsed_traces.store(ctx)
    ctx.save()
    later = context.load(ctx.paths.warehouse, "r")
    stored = parsed_traces.of_run(NO_SPARK, later)
    assert list(stored) == list(first) == [source.stream_id for source in later.config.traces]
    for stream_id, trace in stored.items():
        mine = first[stream_id]
        assert trace.rates.tobytes() == mine.rates.tobytes()
        assert trace.rates.flags.c_contiguous
        for name in ("name", "partitions", "digest", "is_total", "unit", "started_at"):
            assert getattr(trace, name) == getattr(mine, name), name
    assert sorted(parsed) == sorted(files)


def test_memory_is_free_once_traces_are_stored(tmp_path: Path) -> None:
    ctx = begun(tmp_path, None, FILES)
    assert all("trace" in source.__dict__ for source in ctx.config.traces)
    parsed_traces.store(ctx)
    assert not any("trace" in source.__dict__ for source in ctx.config.traces)


def test_a_run_that_begins_again_has_its_own_traces(tmp_path: Path) -> None:
    parsed_traces.store(begun(tmp_path, None, FILES))
    ctx = begun(tmp_path, None, {"no-clock.csv": FILES["no-clock.csv"]})
    parsed_traces.store(ctx)
    (file,) = (ctx.paths.state("r") / "traces").iterdir()
    assert file.name == f"1-{ctx.config.traces[0].digest}.parquet"
    parsed_traces.store(RunContext("r", resolve("smoke", None, [], []), ctx.paths, "me", now()))
    assert not file.parent.exists()


def test_a_damaged_file_is_told(tmp_path: Path) -> None:
    ctx = begun(tmp_path, None, {"no-clock.csv": FILES["no-clock.csv"]})
    other = begun(tmp_path, None, {"total.csv": "iteration,x,y\n1,5,6\n2,7,8\n"})
    parsed_traces.store(other)
    (file,) = (ctx.paths.state("r") / "traces").iterdir()
    expected = file.with_name(f"1-{ctx.config.traces[0].digest}.parquet")
    with pytest.raises(StageError, match=r"parquet: .*start the run again"):
        parsed_traces.of_run(NO_SPARK, ctx)
    file.rename(expected)
    with pytest.raises(StageError, match=f"{expected}: damaged; start the run again"):
        parsed_traces.of_run(NO_SPARK, ctx)
    whole = expected.read_bytes()
    for content in (b"", whole[: len(whole) // 2]):
        expected.write_bytes(content)
        with pytest.raises(StageError, match="start the run again"):
            parsed_traces.of_run(NO_SPARK, ctx)


def test_rates_are_bit_for_bit(tmp_path: Path) -> None:
    rates = np.random.default_rng(1).uniform(0, 1e9, (50, 7))
    lines = [f"{k},{','.join(map(repr, row.tolist()))}" for k, row in enumerate(rates)]
    text = "\n".join(["iteration,a,b,c,d,e,f,g", *lines]) + "\n"
    ctx = begun(tmp_path, None, {"t.csv": text})
    parsed_traces.store(ctx)
    (trace,) = parsed_traces.of_run(NO_SPARK, ctx).values()
    assert np.array_equal(trace.rates, rates)
