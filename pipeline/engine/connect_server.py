"""The Spark Connect server of an installation: ``python -m pipeline.engine.connect_server``.

One JVM with the settings of `pipeline.warehouse.spark.session_settings`, and Python workers with
the kernels of all families. This process starts it again if it is killed or runs out of memory.
Clients need its token, which it reads from ``SPARK_CONNECT_AUTHENTICATE_TOKEN``:

``GROUPSCALE_CONNECT_HOST``, ``GROUPSCALE_CONNECT_PORT``
    Where it listens; by default 127.0.0.1 and 15002.
``GROUPSCALE_SPARK_MASTER``, ``GROUPSCALE_SPARK_CONF``
    Where its tasks run, and further settings, as for a session without a server.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from types import FrameType

from pipeline.base import paths
from pipeline.base.errors import InputError
from pipeline.engine import memory
from pipeline.experiments.family_list import FAMILIES
from pipeline.warehouse.spark import internals, jvm, remote_session, session_settings

HOST, PORT = "GROUPSCALE_CONNECT_HOST", "GROUPSCALE_CONNECT_PORT"
SCRATCH = "SPARK_LOCAL_DIRS"

SESSION_TIMEOUT = "6h"
"""Idle time after which the server closes a session; tasks close their own. A task may work for
hours without Spark."""

LASTING_SECONDS = 60.0
"""A server that ends earlier is not started again: it would end again."""


def settings() -> dict[str, str]:
    """Spark settings of the server, those of Spark Connect included."""
    kernels = ",".join(family.kernels for family in FAMILIES)
    chosen = session_settings.settings()
    cores = memory.cores_of(chosen["spark.master"])
    java = "spark.driver.extraJavaOptions"
    return {
        "spark.app.name": "groupscale",
        # Sessions cannot see it otherwise.
        **({remote_session.PARALLELISM: str(cores)} if cores else {}),
        **chosen,
        **internals.worker_settings(kernels),
        # After such an error a JVM may hang.
        java: f"{chosen[java]} -XX:+ExitOnOutOfMemoryError",
        "spark.connect.grpc.binding.address": os.environ.get(HOST, "127.0.0.1"),
        "spark.connect.grpc.binding.port": os.environ.get(PORT, "15002"),
        "spark.connect.session.manager.defaultSessionTimeout": SESSION_TIMEOUT,
        # Errors with all their causes, which say what to do (`pipeline.warehouse.storage.faults`).
        "spark.sql.connect.serverStacktrace.enabled": "true",
    }


def main() -> int:
    """Run the server until it is stopped; return its exit status.

    Raises InputError if the server has no token: anyone on this machine could run code in it.
    """
    if not os.environ.get(remote_session.TOKEN):
        raise InputError(f"`{remote_session.TOKEN}` must be set to the server's secret token")
    os.environ.pop(remote_session.REMOTE, None)
    paths.set_defaults()
    paths.make_private(paths.logs())
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    jvm.use_own_java()
    command = [sys.executable, "-m", "pipeline.engine.connect_driver", str(_written(settings()))]
    scratch = None if SCRATCH in os.environ else paths.state() / "services" / "spark-scratch"
    return keep_running(command, scratch)


def keep_running(command: Sequence[str], scratch: Path | None) -> int:
    """Run a command, and run it again when it ends; return its status if it ends early.

    SIGTERM ends the command, and this function with it.

    scratch: Folder for Spark's temporary files, emptied before each start: a killed JVM leaves its
        own. None if the environment names one.
    """
    running: list[subprocess.Popen[bytes]] = []
    stopped = False

    def stop(number: int, frame: FrameType | None) -> None:
        nonlocal stopped
        stopped = True
        for process in running:
            process.terminate()

    signal.signal(signal.SIGTERM, stop)
    while True:
        env = dict(os.environ)
        if scratch:
            shutil.rmtree(scratch, ignore_errors=True)
            env[SCRATCH] = str(paths.make_private(scratch))
        began = time.monotonic()
        running[:] = [subprocess.Popen(command, env=env)]
        if stopped:
            running[0].terminate()
        status = running[0].wait()
        if stopped or time.monotonic() - began < LASTING_SECONDS:
            return status
        print(f"Spark ended unexpectedly (status {status}): starting it again", file=sys.stderr)


def _written(chosen: dict[str, str]) -> Path:
    """A private file of settings, which may hold keys of an object store."""
    file = paths.state() / "services" / "spark-connect.properties"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.unlink(missing_ok=True)
    with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as output:
        # Backslashes and colons have a meaning in the format; names have neither.
        output.writelines(f"{name}={_escaped(value)}\n" for name, value in chosen.items())
    return file


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace("\n", "\\n")


if __name__ == "__main__":
    sys.exit(main())
