"""Samples are the first reads of all records."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from pyarrow import parquet

from pipeline.base.paths import Paths
from pipeline.experiments.live.evidence import run_folder, sample_file
from pipeline.experiments.live.evidence.processed_records import first_reads, joined
from pipeline.experiments.live.evidence.run_folder import RunFolder
from pipeline.experiments.live.running import live_folders
from pipeline.settings.load import resolve
from pipeline.warehouse.runs.context import RunContext
from tests.pipeline.experiments.live import synthetic_folders

pytestmark = pytest.mark.slow

TIMES = ("due_ns", "read_ns", "done_ns")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    """A run in which some records were processed twice."""
    made = run_folder.read(synthetic_folders.make(tmp_path_factory.mktemp("samples") / "run"))
    some = made.records.at(np.arange(0, made.records.size, 7))
    again = some._replace(read_ns=some.read_ns + 5, epoch=some.epoch + 1)
    return made._replace(records=joined([again, made.records]))


def test_a_row_per_record(folder: RunFolder, tmp_path: Path) -> None:
    file = tmp_path / "new" / "MWF.parquet"
    sample_file.write(folder, file)
    rows, records = parquet.read_table(file), first_reads(folder.records)
    assert rows.schema.equals(sample_file.SCHEMA)
    assert rows.num_rows == records.size == folder.producer["sent"]
    for name in sample_file.SCHEMA.names:
        began = folder.settings.began_ns if name in TIMES else 0
        assert rows[name].to_pylist() == (getattr(records, name) - began).tolist()
    assert [path.name for path in file.parent.iterdir()] == ["MWF.parquet"]


def test_row_groups_are_small(
    folder: RunFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sample_file, "ROWS", 100)
    for _ in range(2):  # A file that is there is replaced.
        sample_file.write(folder, tmp_path / "MWF.parquet")
    file = parquet.ParquetFile(tmp_path / "MWF.parquet")
    groups = [file.metadata.row_group(i).num_rows for i in range(file.num_row_groups)]
    assert max(groups) == 100
    assert file.read().num_rows == sum(groups) == folder.producer["sent"]


def test_a_run_without_records_has_an_empty_file(folder: RunFolder, tmp_path: Path) -> None:
    sample_file.write(folder._replace(records=joined([])), tmp_path / "MWF.parquet")
    assert parquet.read_table(tmp_path / "MWF.parquet").num_rows == 0


def test_they_are_beside_the_report_by_stream_and_strategy(tmp_path: Path) -> None:
    config = resolve("live-smoke", None, [], [])
    ctx = RunContext("r1", config, Paths(tmp_path), "me", datetime.now(UTC))
    file = live_folders.of_run(ctx).sample_file("smoke", "s", "policy:a/b.npz")
    beside = ctx.paths.report("r1").parent
    assert file.relative_to(beside) == Path("samples/smoke/s/policy:a%2Fb.npz.parquet")
