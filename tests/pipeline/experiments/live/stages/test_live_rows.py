"""Rows of the tables of live runs from what a run has left behind."""

from __future__ import annotations

from pathlib import Path

import pytest

import schemas
from pipeline.base.errors import StageError
from pipeline.experiments.live.evidence import run_folder
from pipeline.experiments.live.evidence.run_folder import RunFolder
from pipeline.experiments.live.predictions.agreement import agreements
from pipeline.experiments.live.stages.live_rows import TABLES, agreement_rows, check_sound, rows_of
from pipeline.settings.live_experiment import LiveExperiment
from tests.pipeline.experiments.live import synthetic_folders

pytestmark = pytest.mark.slow

STREAM = {"stream_id": "e-d25-uniform-r0001", "replicate": 1}


@pytest.fixture(scope="module")
def experiment() -> LiveExperiment:
    return LiveExperiment(
        name="e", partitions=6, iterations=8, iteration_seconds=4.0, strategies=("MWF",)
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    place: Path = tmp_path_factory.mktemp("rows") / "run"
    settings = synthetic_folders.settings_for(place, partitions=6, iterations=8)
    return run_folder.read(synthetic_folders.make(place, settings=settings))


def test_rows_have_the_columns_of_their_tables(
    folder: RunFolder, experiment: LiveExperiment
) -> None:
    rows = rows_of(folder, experiment, STREAM, "MWF")
    assert tuple(rows) == TABLES
    quantities = agreements(folder, "MWF", 0.05, True)
    rows["live_agreement"] = agreement_rows("e", STREAM["stream_id"], "MWF", quantities)
    for table, listed in rows.items():
        columns = {column.name for column in schemas.TABLES[table].columns} - {"run_id"}
        assert listed
        for row in listed:
            assert set(row) == columns, table


def test_rows_of_the_tables_fit_together(folder: RunFolder, experiment: LiveExperiment) -> None:
    rows = rows_of(folder, experiment, STREAM, "MWF")
    (run,), (latency,) = rows["live_runs"], rows["live_latency"]
    assert run["sent"] == run["read"] == folder.producer["sent"]
    assert run["plans"] == len(rows["live_plans"])
    assert run["moves"] == sum(row["moves"] for row in rows["live_plans"])
    assert run["moves"] == sum(row["owner_changes"] for row in rows["live_integrity"])
    assert latency["n_positive"] == sum(latency["histogram"])
    assert latency["mean_consumers"] == run["mean_consumers"]
    by_quantity = {
        row["quantity"]: row
        for row in agreement_rows(
            "e", STREAM["stream_id"], "MWF", agreements(folder, "MWF", 0.05, True)
        )
    }
    assert by_quantity["consumers"]["measured"] == run["mean_consumers"]
    for name in ("p50", "p90", "p99"):
        assert by_quantity[name]["measured"] == pytest.approx(latency[name])


def test_a_late_producer_ends_the_run(tmp_path: Path) -> None:
    settings = synthetic_folders.settings_for(tmp_path, iterations=20, iteration_s=0.5)
    late = {3: 101.0}
    place = synthetic_folders.make(tmp_path / "one", settings=settings, late_ms=late)
    check_sound(run_folder.read(place), "MWF")
    place = synthetic_folders.make(tmp_path / "two", settings=settings, late_ms=late | {4: 200.0})
    with pytest.raises(StageError, match="MWF: the producer was more than 100 ms late in 2 of 20"):
        check_sound(run_folder.read(place), "MWF")


def test_the_overhead_is_what_the_monitor_measured_last(tmp_path: Path) -> None:
    place = synthetic_folders.make(tmp_path / "run")
    assert run_folder.read(place).overhead is None
    lines = ['{"what":"waiting","logs":1}', '{"what":"measured","factor":1.5}']
    (place / "monitor.jsonl").write_text("\n".join([*lines, lines[1].replace("5", "03"), ""]))
    assert run_folder.read(place).overhead == 1.03
