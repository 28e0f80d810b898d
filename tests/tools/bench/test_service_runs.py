"""Runs under `make up` are measured behind a first one, and one that fails is no measurement."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pipeline.base.process import process_table
from tools.bench import service_runs
from tools.console import SetupError
from tools.layout import Layout
from tools.services import records
from tools.services.processes import Leader
from tools.services.records import Record

pytestmark = pytest.mark.unit


class Answers:
    """Airflow's answers; the pipeline records its work when a run is triggered."""

    def __init__(self, state: str = "success") -> None:
        self.state, self.asked, self.looks = state, [], 0

    def ask(self, path: str, content: Any = None) -> Any:
        if content is not None:
            self.asked.append(content["conf"]["preset"])
            state = Path(content["conf"]["warehouse"]) / ".state" / content["conf"]["run_id"]
            state.mkdir(parents=True)
            lines = [json.dumps({"stage": name, "seconds": 1.5}) for name in ("score", "report")]
            (state / "timings.jsonl").write_text("\n".join(lines) + "\n")
            return {"dag_run_id": "manual__1+00:00"}
        if path.endswith("taskInstances?limit=1000"):
            return {"task_instances": [{"state": s} for s in ("success", "success", "skipped")]}
        self.looks += 1
        state = self.state if self.looks % 2 == 0 else "running"
        return {
            "state": state,
            "queued_at": "2026-01-01T00:00:00Z",
            "end_date": "2026-01-01T00:01:21Z",
        }


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service_runs, "LOOK_EVERY_SECONDS", 0.01)


@pytest.mark.usefixtures("quick")
def test_the_first_run_is_not_counted(layout: Layout) -> None:
    airflow = Answers()
    (row,) = service_runs.measure(layout, airflow, ["paper"])  # type: ignore[arg-type]
    assert airflow.asked == ["smoke", "paper"]
    assert (row.preset, row.seconds, row.tasks, row.work_seconds) == ("paper", 81.0, 2, 3.0)


@pytest.mark.usefixtures("quick")
def test_a_failed_run_is_no_measurement(layout: Layout) -> None:
    with pytest.raises(SetupError, match="preset smoke: the run failed"):
        list(service_runs.measure(layout, Answers("failed"), ["paper"]))  # type: ignore[arg-type]


def test_services_must_run(layout: Layout, tmp_path: Path) -> None:
    with pytest.raises(SetupError, match="run `make up` first"):
        service_runs.main(layout, tmp_path / "bench.json")


def test_memory_is_that_of_all_services(layout: Layout) -> None:
    assert service_runs.memory_mib(layout) == 0.0
    # A session of its own: that of the tests may have a leader that this machine does not show.
    with subprocess.Popen(
        [sys.executable, "-c", "print(flush=True); input()"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
    ) as own:
        assert own.stdout
        assert own.stdout.readline()
        started = process_table.everything()[own.pid].started
        records.save(
            layout, Record("mlflow", Leader(own.pid, started, process_table.boot(), "/"), {})
        )
        assert service_runs.memory_mib(layout) > 1
