"""Runs a DAG through Airflow in one process and shows the run, not Airflow."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

from pipeline.orchestration.dag_names import NIGHTLY, ON_DEMAND
from tools.console import say, words
from tools.layout import Layout

INTERRUPTED = 130
BENCHMARK = ON_DEMAND["assignment"]
AIRFLOW_SAYS = re.compile(r"(?:[\w.]+\.)?(\w*(?:Error|Exception|Exit)\w*: .+)")


def benchmark(
    layout: Layout, env: Mapping[str, str], conf: Mapping[str, object], dag: str = BENCHMARK
) -> int:
    """Run a DAG with ``conf`` as its parameters.

    Airflow's and Spark's own output goes to a log. The tasks write their progress to the terminal
    (``GROUPSCALE_PROGRESS_FD``) and the outcome of the run to a file (``GROUPSCALE_OUTCOME``).

    Returns: 0 published, 2 the input is wrong, 1 anything else.
    """
    log = layout.logs / "benchmark.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    say(f"Starting Airflow for the DAG {dag}")
    with tempfile.TemporaryDirectory() as folder:
        outcome = Path(folder) / "outcome.json"
        attended = {**env, "GROUPSCALE_OUTCOME": str(outcome)}
        if dag == NIGHTLY:
            # No alert is needed for a run in the foreground, and `airflow dags test` of 3.3.2 ends
            # with an error if a DAG has a deadline.
            attended["GROUPSCALE_DEADLINE_HOURS"] = "0"
        with _sigterm_as_ctrl_c():
            try:
                status = _airflow(layout, attended, conf, log, dag)
            except KeyboardInterrupt as error:
                say(f"\nStopped: {_left(outcome)} (log: {log})")
                return error.args[0] if error.args else INTERRUPTED
        return _conclude(status, outcome, log)


@contextmanager
def _sigterm_as_ctrl_c() -> Iterator[None]:
    """Make SIGTERM end Airflow too, which would continue the run by itself."""

    def stop(number: int, _: object) -> NoReturn:
        raise KeyboardInterrupt(128 + number)

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _left(outcome: Path) -> str:
    """State of a run that was stopped."""
    content = json.loads(outcome.read_text()) if outcome.exists() else {"status": None}
    if content["status"] == 0:
        return f"run {content['message']} is published"
    return "the run is not published"


def _airflow(
    layout: Layout, env: Mapping[str, str], conf: Mapping[str, object], log: Path, dag: str
) -> int:
    command = words(layout.python, "-m", "airflow", "dags", "test", dag)
    terminal = os.dup(1)
    try:
        with log.open("w") as output:
            airflow = subprocess.Popen(
                [*command, "--conf", json.dumps(conf)],
                env={**env, "GROUPSCALE_PROGRESS_FD": str(terminal)},
                pass_fds=(terminal,),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                cwd=layout.root,
            )
            try:
                return airflow.wait()
            except KeyboardInterrupt:
                airflow.kill()
                airflow.wait()  # no zombie is left to a caller that lives on
                raise
    finally:
        os.close(terminal)


def _conclude(status: int, outcome: Path, log: Path) -> int:
    """Print why the run failed, if it did."""
    if outcome.exists():
        content = json.loads(outcome.read_text())
        if content["status"] != 0:
            say(f"Error: {content['message']}\nAirflow's log: {log}")
        else:
            say("To open the pages of Airflow and MLflow: make airflow, make mlflow")
        return int(content["status"])
    say(f"Error: {_last_words(log)}\nAirflow's log: {log}")
    return 2 if "ParamValidationError" in log.read_text() else 1


def _last_words(log: Path) -> str:
    """Last error in Airflow's log, for runs that ended before any task could report the cause."""
    said = AIRFLOW_SAYS.findall(log.read_text())
    return said[-1] if said else "Airflow ended without an error message"
