"""Rows of seeds are kept for the same run, configuration and code alone."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from pipeline.base import paths
from pipeline.base.paths import Paths
from pipeline.experiments.autoscaling.kernels import kept_seeds
from pipeline.settings.load import resolve
from pipeline.warehouse.runs import context
from pipeline.warehouse.runs.context import RunContext

pytestmark = pytest.mark.unit

ROWS = pa.RecordBatch.from_pylist([{"number": 1, "max": 0.25}, {"number": 1, "max": None}])


def folder(warehouse: Path, *sets: str) -> Path:
    config = resolve("group-claims-2h", None, list(sets), [])
    ctx = RunContext("one", config, Paths(warehouse), "owner", context.now())
    return kept_seeds.of_run(None, ctx)  # type: ignore[arg-type]


def test_another_configuration_or_code_has_another_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = folder(tmp_path)
    assert own == folder(tmp_path)
    assert own.is_relative_to(Paths(tmp_path).state("one"))
    other = folder(tmp_path, "strategies=linear")
    monkeypatch.setattr(paths, "code_digest", lambda: "another")
    assert len({own, other, folder(tmp_path)}) == 3


def test_rows_are_made_once(tmp_path: Path) -> None:
    made: list[int] = []

    def make() -> pa.RecordBatch:
        made.append(1)
        return ROWS

    for number in (1, 1, 2, 1):
        assert kept_seeds.rows(tmp_path / "new", "x", number, make).equals(ROWS)
    assert len(made) == 2


def test_a_seed_that_failed_leaves_no_file(tmp_path: Path) -> None:
    def fail() -> pa.RecordBatch:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        kept_seeds.rows(tmp_path, "x", 1, fail)
    assert not list(tmp_path.iterdir())
