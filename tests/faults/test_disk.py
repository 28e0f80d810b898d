"""A disk that is full, and folders that cannot be written: earlier runs stay as they were."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from pipeline.base import paths
from pipeline.base.errors import StageError
from pipeline.engine import local
from pipeline.engine import steps as runner
from pipeline.experiments.family_list import stages_of
from pipeline.settings.run_config import RunConfig
from tests.e2e.conftest import settings
from tests.e2e.run_tables import statuses
from tests.faults.breaking import RUN, WHOLE, Process, assert_same_rows, copied, mounted
from tests.faults.conftest import Start

LARGE = (
    *("run", "--preset", "smoke"),
    *settings("partitions=300", "iterations=400", "deltas=5", "replicates=1", "algorithms=NF"),
)
"""Two megabytes, in few rows."""

ONE_LARGE_FILE = (
    *("run", "--preset", "smoke"),
    *settings("partitions=1000", "iterations=1000", "deltas=5", "replicates=1", "algorithms=NF"),
)


def error_of(process: Process) -> str:
    """Output of a failed run; never a Java stack trace."""
    assert process.end() == 1, process.said
    said = process.said
    assert "\tat " not in said
    assert said.count("Error: ") == 1
    return said[said.index("Error: ") :]


def is_untouched(warehouse: Path, whole: Path) -> None:
    """Whether the earlier run is published and has its rows, and no other run is published."""
    by_run = statuses(warehouse)
    assert by_run.pop(WHOLE) == "published"
    assert "published" not in by_run.values()
    assert_same_rows(warehouse, WHOLE, whole)


def test_disk_full_in_a_run(start: Start, whole: Path, tmp_path: Path) -> None:
    with mounted(tmp_path / "disk", "-t", "tmpfs", "-o", "size=2m", "tmpfs") as disk:
        place = copied(whole, disk / "warehouse")
        words = (*LARGE, "--warehouse", str(place), "--run-id", "large")
        # Logs go to the same disk.
        (disk / "home").mkdir()
        (disk / "home" / ".cache").symlink_to(paths.home() / ".cache")
        error = error_of(start(*words, GROUPSCALE_HOME=str(disk / "home")))
        assert f"no space left on {place} (" in error
        assert " free)" in error
        assert "--run-id large" in error
        is_untouched(place, whole)
        subprocess.run(["mount", "-o", "remount,size=50m", str(disk)], check=True)
        again = start(*words)
        assert again.end() == 0, again.said
        assert statuses(place) == {WHOLE: "published", "large": "published"}


def test_disk_full_in_every_stage(
    whole: Path, tmp_path: Path, tiny: RunConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process fills the disk as a stage begins; run again, the next stage meets that."""
    run_stage, steps = runner.run_stage, [stage.name for stage in stages_of(tiny)]
    with mounted(tmp_path / "disk", "-t", "tmpfs", "-o", "size=60m", "tmpfs") as disk:
        place, filler = copied(whole, disk / "warehouse"), disk / "filler"

        def filled(name: str, *_: object) -> None:
            if steps[:1] == [name]:
                filler.write_bytes(b"\0" * shutil.disk_usage(disk).free)
            run_stage(name, *_)  # type: ignore[arg-type]

        monkeypatch.setattr(runner, "run_stage", filled)
        while steps:
            with pytest.raises(StageError, match=r"no space left on .*\(.* free\)"):
                local.run_all(tiny, place, "again")
            filler.unlink()
            is_untouched(place, whole)
            del steps[0]
        local.run_all(tiny, place, "again")
        assert statuses(place) == {WHOLE: "published", "again": "published"}
        assert_same_rows(place, "again", whole)


def test_disk_full_beforehand(start: Start, whole: Path, tmp_path: Path) -> None:
    with mounted(tmp_path / "disk", "-t", "tmpfs", "-o", "size=2m", "tmpfs") as disk:
        place = copied(whole, disk / "warehouse")
        (disk / "filler").write_bytes(b"\0" * shutil.disk_usage(disk).free)
        process = start(*RUN, "--warehouse", str(place))
        assert process.end() == 2, process.said
        assert "(No space left on device); choose another" in process.said
        is_untouched(place, whole)


def test_files_that_may_not_grow(start: Start, whole: Path, tmp_path: Path) -> None:
    place = copied(whole, tmp_path / "warehouse")
    # More than libraries that the JVM unpacks for itself, less than a stream.
    error = error_of(start(*ONE_LARGE_FILE, "--warehouse", str(place), limit=4_000_000))
    assert "write_streams: " in error
    assert "(ulimit -f)" in error
    is_untouched(place, whole)


def test_read_only_warehouse(start: Start, whole: Path, tmp_path: Path) -> None:
    place = copied(whole, tmp_path / "warehouse")
    with mounted(place, "--bind", "-o", "ro", str(place)):
        process = start(*RUN, "--warehouse", str(place))
        assert process.end() == 2, process.said
        assert f"warehouse '{place}' (Read-only file system)" in process.said
        is_untouched(place, whole)


def test_table_that_cannot_be_written(start: Start, whole: Path, tmp_path: Path) -> None:
    place = copied(whole, tmp_path / "warehouse")
    table = place / "latency"
    with mounted(table, "--bind", "-o", "ro", str(table)):
        error = error_of(start(*RUN, "--warehouse", str(place), "--run-id", "refused"))
        assert "simulate_latency: " in error
        assert "cannot write to" in error
        assert str(table) in error
        is_untouched(place, whole)
        assert statuses(place)["refused"] == "failed"


def test_without_the_permission_to_write(start: Start, whole: Path, tmp_path: Path) -> None:
    place = copied(whole, tmp_path / "warehouse")
    place.chmod(0o555)
    process = start(*RUN, "--warehouse", str(place), like_others=True)
    assert process.end() == 2, process.said
    assert "(Permission denied)" in process.said
    is_untouched(place, whole)
