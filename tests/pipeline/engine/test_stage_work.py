"""The engine gives a stage what it reads, and writes what it returns."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyspark
import pytest

from pipeline.base.errors import StageError
from pipeline.base.paths import Paths
from pipeline.engine import stage_work
from pipeline.settings.load import resolve
from pipeline.warehouse.runs.context import RunContext, now
from pipeline.warehouse.runs.stage import Frame, Made, Rows, Stage, Work
from pipeline.warehouse.storage import tables

pytestmark = pytest.mark.unit

SPARK: Any = SimpleNamespace()


class Kept:
    """A frame that is computed once."""

    def __init__(self) -> None:
        self.is_kept = False

    def persist(self) -> Kept:
        self.is_kept = True
        return self

    def unpersist(self) -> None:
        self.is_kept = False


@pytest.fixture(autouse=True)
def _threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Threads inherit nothing from a session that is none."""
    monkeypatch.setattr(pyspark, "inheritable_thread_target", lambda spark: lambda work: work)


@pytest.fixture
def ctx(tmp_path: Path) -> RunContext:
    return RunContext("r1", resolve("smoke", None, [], []), Paths(tmp_path), "me", now())


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Rows and units by table, of a warehouse in which the run has rows in `pareto` alone."""
    stored: dict[str, Any] = {}

    def write(spark: Any, rows: Any, table: str, paths: Paths, run_id: str, units: Any) -> None:
        stored[table] = (rows, units)

    def of_rows(spark: Any, rows: Any, table: str) -> Any:
        return SimpleNamespace(coalesce=lambda n: rows)

    monkeypatch.setattr(tables, "write", write)
    monkeypatch.setattr(tables, "of_rows", of_rows)
    monkeypatch.setattr(tables, "has_rows", lambda spark, table, paths, run_id: table == "pareto")
    return stored


def run(ctx: RunContext, monkeypatch: pytest.MonkeyPatch, function: Any, **said: Any) -> None:
    """Run a stage with this function."""
    monkeypatch.setattr(Stage, "run", property(lambda stage: function))
    units = said.pop("units", None)
    stage_work.run(SPARK, ctx, Stage("s", "a stage", "module", **said), units)


def test_rows_are_of_the_run(
    ctx: RunContext, written: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    units = ctx.config.units()[:1]
    seen: list[Work] = []

    def function(work: Work) -> Any:
        seen.append(work)
        return ({"x": x} for x in (1, 2))

    run(ctx, monkeypatch, function, writes=("scores",), units=units)
    assert written == {"scores": ([{"run_id": "r1", "x": 1}, {"run_id": "r1", "x": 2}], units)}
    assert seen[0].units == units
    assert seen[0].experiments == {units[0].experiment}


def test_a_stage_of_the_whole_run_works_on_all_units(
    ctx: RunContext, written: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def function(work: Work) -> Any:
        return {"scores": [{"units": len(work.units)}], "bounds": [{"units": 0}]}

    run(ctx, monkeypatch, function, writes=("bounds", "scores"))
    assert written["scores"] == ([{"run_id": "r1", "units": len(ctx.config.units())}], None)
    assert set(written) == {"bounds", "scores"}


def test_no_rows_are_written_where_there_are_none_to_replace(
    ctx: RunContext, written: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def function(work: Work) -> Any:
        return {"scores": [], "pareto": []}

    run(ctx, monkeypatch, function, writes=("scores", "pareto"))
    assert written == {"pareto": ([], None)}


def test_inputs_have_the_names_of_parameters(
    ctx: RunContext, written: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def read(spark: Any, of: RunContext, item: Any, units: Any) -> Any:
        asked.append((item, units))
        return f"rows of {item.name}"

    def function(work: Work, streams: str, scores: str, folders: str) -> Any:
        return [{"texts": (streams, scores, folders)}]

    monkeypatch.setattr(stage_work.stage_inputs, "read", read)
    reads = (Frame("streams"), Rows("scores"), Made("folders", "module:function"))
    run(ctx, monkeypatch, function, reads=reads, writes=("latency",), units=[])
    assert asked == [(item, []) for item in reads]
    ((row,), _) = written["latency"]
    assert row["texts"] == ("rows of streams", "rows of scores", "rows of folders")


def test_other_tables_than_declared_are_refused(
    ctx: RunContext, written: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(StageError, match=r"returns \['scores'\], writes \['bounds', 'scores'\]"):
        run(ctx, monkeypatch, lambda work: {"scores": []}, writes=("scores", "bounds"))
    assert not written


def test_a_stage_without_tables_writes_none(
    ctx: RunContext, written: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    run(ctx, monkeypatch, lambda work: None)
    assert not written


@pytest.mark.parametrize("fails", [False, True])
def test_a_kept_frame_lives_until_all_tables_are_written(
    ctx: RunContext, monkeypatch: pytest.MonkeyPatch, fails: bool
) -> None:
    frame: Any = Kept()
    seen: list[tuple[str, bool]] = []

    def function(work: Work) -> Any:
        work.keep(frame)
        if fails:
            raise StageError("lost")
        return {"scores": [{}], "bounds": [{}]}

    def write(spark: Any, rows: Any, table: str, *_: Any) -> None:
        seen.append((table, frame.is_kept))

    monkeypatch.setattr(tables, "of_rows", lambda *_: SimpleNamespace(coalesce=lambda n: [1]))
    monkeypatch.setattr(tables, "write", write)
    writes = ("scores", "bounds")
    if fails:
        with pytest.raises(StageError, match="lost"):
            run(ctx, monkeypatch, function, writes=writes)
    else:
        run(ctx, monkeypatch, function, writes=writes)
        # In turn, in the order in which the stage names them.
        assert seen == [(table, True) for table in writes]
    assert not frame.is_kept
