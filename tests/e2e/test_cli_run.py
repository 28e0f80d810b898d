"""The command line from end to end: a recorded trace, and what it says."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from tests import guides
from tests.e2e.conftest import Start, settings
from tests.e2e.run_tables import rows, statuses

pytestmark = [pytest.mark.e2e, pytest.mark.spark, pytest.mark.slow]

# Two partitions; the second leaves and comes back, the first outgrows a consumer.
SPEEDS = [{"a": 60, "b": 30}, {"a": 80}, {"a": 120, "b": 30}, {"a": 40, "b": 70}]


def test_a_trace_with_departures_and_an_outgrown_partition(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Spark's workers import it as well.
    (tmp_path / "packing.py").write_text(guides.python("own-algorithm.md"))
    monkeypatch.setenv("GROUPSCALE_ALGORITHM_PATH", str(tmp_path))
    trace = tmp_path / "load.json"
    trace.write_text(json.dumps([{"topic": speeds} for speeds in SPEEDS]))
    # With one iteration, no Rscore has a bound.
    short = tmp_path / "one.csv"
    short.write_text("iteration,a,b,c\n1,60,50,140\n")
    run = start(
        *("run", "--trace", str(trace), "--trace", str(short)),
        *settings("algorithms=MWF,BFD,SR_inf,kd_2,packing:assign"),
        *settings("bound_iterations=4", "bound_algorithms=BFD"),
        *("--warehouse", str(tmp_path / "warehouse"), "--run-id", "mine"),
    )
    said, _ = run.communicate(timeout=1800)
    assert run.returncode == 0, said
    assert "Run mine is published" in said
    assert "CBS %" not in said
    (listed,) = re.findall(r"groupscale (report mine --tables .+)", said)
    tables, _ = start(*shlex.split(listed)).communicate(timeout=120)
    assert "MWF" in tables
    assert "packing:assign" in tables
    assert statuses(tmp_path / "warehouse") == {"mine": "published"}

    streams = rows(tmp_path / "warehouse", "streams", "mine").set_index("n_iterations").stream_id
    assignments = rows(tmp_path / "warehouse", "assignments", "mine")
    assignments = assignments[assignments.stream_id == streams[len(SPEEDS)]]
    mwf = assignments[assignments.algorithm == "MWF"]
    assert mwf.n_consumers.tolist() == [1, 1, 2, 2]
    assert [len({c for c in held if c == c}) for held in mwf.consumers] == [1, 1, 2, 2]
    # Neither the return of b nor its departure is a migration; nothing else moves.
    assert mwf.n_migrations.tolist() == [0, 0, 0, 0]
    own = assignments[assignments.algorithm == "packing:assign"]
    assert own.n_consumers.tolist() == [1, 1, 2, 2]
    (versions,) = rows(tmp_path / "warehouse", "runs", "mine").versions
    assert len(json.loads(versions)["module packing"]) == 16
    static = assignments[assignments.algorithm == "kd_2"]
    assert static.n_consumers.tolist() == [2, 1, 2, 2]

    bounds = rows(tmp_path / "warehouse", "bounds", "mine")
    (row,) = bounds[bounds.stream_id == streams[1]].to_dict("records")
    assert (row["kind"], row["iteration"], row["lower"], row["upper"]) == ("consumers", 1, 3, 3)

    page = (tmp_path / "warehouse" / "reports" / "mine" / "report.html").read_text()
    assert "<svg" in page
    assert '<section id="bounds">' in page
    assert str(tmp_path) not in page
    assert str(tmp_path) not in (rows_text(tmp_path / "warehouse"))


def rows_text(warehouse: Path) -> str:
    """Everything that table `runs` says of the run, as one text."""
    return rows(warehouse, "runs", "mine").to_csv()


def test_a_time_limit_of_zero_is_refused_before_anything_is_written(
    start: Start, tmp_path: Path
) -> None:
    place = tmp_path / "warehouse"
    asked = settings("bound_iterations=2", "bound_seconds=0")
    process = start("run", "--preset", "smoke", *asked, "--warehouse", str(place))
    said, _ = process.communicate(timeout=120)
    assert process.returncode == 2, said
    message = " ".join(said.split())
    assert "`bound_seconds`" in message
    assert not place.exists()
