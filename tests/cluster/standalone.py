"""A Spark standalone cluster on the loopback address: a master and workers as processes."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyspark

HOME = Path(pyspark.__file__).parent
PATIENCE = 60.0
MASTER = "org.apache.spark.deploy.master.Master"
WORKER = "org.apache.spark.deploy.worker.Worker"


class Cluster:
    """A master and its workers; all of them end with the cluster."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._processes: list[subprocess.Popen[bytes]] = []
        self.workers: list[subprocess.Popen[bytes]] = []
        self.url = ""

    def start(self, workers: int) -> None:
        """Start everything, and wait until all workers are registered at the master."""
        self._start("master", MASTER, "--port", "0", "--webui-port", "0")
        self.url = self._wait_for("master", r"(spark://127\.0\.0\.1:\d+)")
        for number in range(1, workers + 1):
            options = ("--cores", "1", "--memory", "1500m", "--webui-port", "0")
            work = str(self._folder / f"work{number}")
            name = f"worker{number}"
            process = self._start(name, WORKER, *options, "--work-dir", work, self.url)
            self.workers.append(process)
            self._wait_for(name, r"(Successfully registered)")

    def kill_worker(self) -> None:
        """Kill a worker with its executor, without warning."""
        os.killpg(self.workers.pop().pid, signal.SIGKILL)

    def log(self, name: str) -> str:
        """Output of a process so far."""
        return (self._folder / f"{name}.log").read_text(errors="replace")

    def stop(self) -> None:
        """End all processes that are still alive."""
        for process in self._processes:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def _start(self, name: str, main: str, *options: str) -> subprocess.Popen[bytes]:
        command = [str(HOME / "bin" / "spark-class"), main, "--host", "127.0.0.1", *options]
        with (self._folder / f"{name}.log").open("wb") as output:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                cwd=self._folder,
                start_new_session=True,
                env=os.environ | {"SPARK_LOCAL_IP": "127.0.0.1", "SPARK_HOME": str(HOME)},
            )
        self._processes.append(process)
        return process

    def _wait_for(self, name: str, pattern: str) -> str:
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            match = re.search(pattern, self.log(name))
            if match:
                return match[1]
            time.sleep(0.1)
        raise AssertionError(f"{name} did not say {pattern} in {PATIENCE} s:\n{self.log(name)}")


@contextmanager
def cluster(folder: Path, workers: int) -> Iterator[Cluster]:
    """A running cluster, whose logs and scratch space are in a folder."""
    made = Cluster(folder)
    try:
        made.start(workers)
        yield made
    finally:
        made.stop()
