"""Measures runs of the DAG `benchmark` under `make up`, with all services.

Start `make up` first. Times are from queueing a run to its end, as Airflow reports them; memory is
that of all services and their tasks together. A first run of preset smoke is not counted: it warms
Spark's server. Tables are in a temporary folder; MLflow keeps the runs.
"""

from __future__ import annotations

import json
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from pipeline.base.process import process_table
from tools.bench import resource_use, results_file
from tools.console import SetupError, say
from tools.layout import Layout
from tools.services import airflow_rest, health, processes, records
from tools.services.airflow_rest import Airflow

PRESETS = ("smoke", "paper", "nightly")
RUNS = "dags/benchmark/dagRuns"
LOOK_EVERY_SECONDS = 2.0


class ServiceRun(NamedTuple):
    """One run."""

    preset: str
    """Preset of the run."""
    seconds: float
    """From queueing the run to its end."""
    peak_mib: float
    """Largest memory of all services together, MiB."""
    tasks: int
    """Tasks that the run had, each unit of a mapped one."""
    work_seconds: float
    """Time that stages and checks took, without Airflow's share of their tasks."""


def main(layout: Layout, file: Path, presets: Sequence[str] | None = None) -> None:
    """Measure, print and write `services` to a file.

    presets: Names in `PRESETS`; None: all of them.
    Raises SetupError if the services do not run, or a run fails.
    """
    try:
        airflow = airflow_rest.logged_in(layout)
    except (KeyError, OSError) as error:
        raise SetupError(f"no response from Airflow ({error}); run `make up` first") from error
    rows = list(measure(layout, airflow, presets or PRESETS))
    for row in rows:
        print(f"{row.preset:8}  {row.seconds:8.1f} s  {row.peak_mib:8,.0f} MiB  {row.tasks} tasks")
    results_file.update(file, {"services": [row._asdict() for row in rows]})
    print(f"\n{file}")


def measure(layout: Layout, airflow: Airflow, presets: Sequence[str]) -> Iterator[ServiceRun]:
    """Run some presets, one after the other, behind a first run of smoke that is not counted."""
    with tempfile.TemporaryDirectory(prefix="groupscale-bench-") as folder:
        for number, preset in enumerate((PRESETS[0], *presets)):
            say(f"bench: DAG benchmark, preset {preset}{'' if number else ' (warm-up)'}")
            row = _run(layout, airflow, preset, Path(folder) / "warehouse", f"bench-{number}")
            if number:
                yield row


def _run(layout: Layout, airflow: Airflow, preset: str, warehouse: Path, run_id: str) -> ServiceRun:
    conf = {"preset": preset, "run_id": run_id, "warehouse": str(warehouse)}
    queued = airflow.ask(RUNS, {"logical_date": None, "conf": conf})
    page = f"{RUNS}/{quote(queued['dag_run_id'])}"
    with _Memory(layout) as memory:
        while (run := airflow.ask(page))["state"] in ("queued", "running"):
            time.sleep(LOOK_EVERY_SECONDS)
    if run["state"] != "success":
        raise SetupError(f"preset {preset}: the run failed; see {layout.logs / 'airflow'}")
    tasks = airflow.ask(f"{page}/taskInstances?limit=1000")["task_instances"]
    return ServiceRun(
        preset,
        round(health.moment(run["end_date"]) - health.moment(run["queued_at"]), 1),
        round(memory.peak_mib),
        sum(task["state"] == "success" for task in tasks),
        round(_work(warehouse, run_id), 1),
    )


def _work(warehouse: Path, run_id: str) -> float:
    """Seconds that the stages and checks of a run took, as they recorded them."""
    lines = (warehouse / ".state" / run_id / "timings.jsonl").read_text().splitlines()
    return sum(float(json.loads(line)["seconds"]) for line in lines)


class _Memory:
    """Watches the memory of all services until the block ends."""

    def __init__(self, layout: Layout) -> None:
        self.peak_mib = 0.0
        self._layout, self._ended = layout, threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> _Memory:
        self._thread.start()
        return self

    def __exit__(self, *_: Any) -> None:
        self._ended.set()
        self._thread.join()

    def _watch(self) -> None:
        pause = resource_use.EVERY_SECONDS
        while not self._ended.wait(pause):
            began = time.monotonic()
            self.peak_mib = max(self.peak_mib, memory_mib(self._layout))
            pause = resource_use.pause_after(time.monotonic() - began)


def memory_mib(layout: Layout) -> float:
    """Proportional set size of all services and what they started, MiB."""
    seen = process_table.everything()
    pids = {
        process.pid
        for record in records.load(layout).values()
        for process in processes.family(record.leader, seen)
    }
    return resource_use.sum_mib(pids)
