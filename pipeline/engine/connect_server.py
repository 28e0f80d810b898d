"""The Spark Connect server of an installation: ``python -m pipeline.engine.connect_server``.

One JVM with the settings of `pipeline.spark.session`, and Python workers with the kernels of all
families. Clients need its token, which it reads from ``SPARK_CONNECT_AUTHENTICATE_TOKEN``:

``GROUPSCALE_CONNECT_HOST``, ``GROUPSCALE_CONNECT_PORT``
    Where it listens; by default 127.0.0.1 and 15002.
``GROUPSCALE_SPARK_MASTER``, ``GROUPSCALE_SPARK_CONF``
    Where its tasks run, and further settings, as for a session without a server.
"""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from pathlib import Path

from pipeline import paths
from pipeline.errors import InputError
from pipeline.process import machine
from pipeline.spark import internals, remote_session, session
from pipeline.stages import FAMILIES

HOST, PORT = "GROUPSCALE_CONNECT_HOST", "GROUPSCALE_CONNECT_PORT"
PROGRAM = "org.apache.spark.sql.connect.service.SparkConnectServer"

SESSION_TIMEOUT = "6h"
"""Idle time after which the server closes a session; tasks close their own."""


def settings() -> dict[str, str]:
    """Spark settings of the server, those of Spark Connect included."""
    kernels = ",".join(family.kernels for family in FAMILIES)
    return {
        "spark.app.name": "groupscale",
        # Sessions cannot see it otherwise.
        "spark.default.parallelism": str(machine.all_cores()),
        **session.settings(),
        **internals.worker_settings(kernels),
        "spark.connect.grpc.binding.address": os.environ.get(HOST, "127.0.0.1"),
        "spark.connect.grpc.binding.port": os.environ.get(PORT, "15002"),
        "spark.connect.session.manager.defaultSessionTimeout": SESSION_TIMEOUT,
        # Errors with all their causes, which say what to do (`pipeline.storage.faults`).
        "spark.sql.connect.serverStacktrace.enabled": "true",
    }


def main() -> None:
    """Replace this process by the server.

    Raises
    ------
    InputError
        If the server has no token: anyone on this machine could run code in it.
    """
    if not os.environ.get(remote_session.TOKEN):
        raise InputError(f"`{remote_session.TOKEN}` must be set to the server's secret token")
    os.environ.pop(remote_session.REMOTE, None)
    paths.set_defaults()
    paths.make_private(paths.logs())
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    spark = find_spec("pyspark")
    home = Path(str(spark and spark.origin)).parent
    os.environ["SPARK_HOME"] = str(home)
    brought = paths.home() / ".cache" / "java"
    if brought.exists():
        os.environ.setdefault("JAVA_HOME", str(brought))
    command = [str(home / "bin" / "spark-submit"), "--class", PROGRAM]
    command += ["--properties-file", str(_written(settings())), "spark-internal"]
    os.execv(command[0], command)


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
    main()
