"""Private interfaces of PySpark and Delta: their purpose, and the versions they were tested with.

With any other version they are not used: runs work without them, but are slower or less tidy, and
the Spark Connect server does not start. See docs/benchmarks.md for the gains. `context` is public,
but only exists in the process of the JVM.
"""

from __future__ import annotations

import signal
import subprocess
from typing import TYPE_CHECKING

from pipeline.base import paths
from pipeline.base.errors import StageError
from pipeline.base.process import tried_versions

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

TRIED = {"pyspark": "4.1.", "delta-spark": "4.4."}
"""Prefixes of the versions that this module was tested with."""

JVM_ENDS_WITHIN = 1800.0
"""Seconds that set-up waits for the end of its JVM, which writes an archive of classes: about 10 s,
but minutes beside other work. Without the archive, later JVMs only start more slowly."""


def is_known(package: str) -> bool:
    """Whether the installed version of a package is one that was tested."""
    return tried_versions.is_tried(package, TRIED[package])


def worker_settings(kernels: str) -> dict[str, str]:
    """Settings for Python workers that are forked from a process with all kernels loaded.

    ``spark.python.daemon.module`` is undocumented. Without it each worker imports Numba and loads
    compiled code itself.

    kernels: Module of the kernels; empty for none.
    """
    if not is_known("pyspark"):
        return {}
    return {
        "spark.python.daemon.module": "pipeline.warehouse.spark.worker_daemon",
        f"spark.executorEnv.{paths.KERNELS}": kernels,
    }


def ignore_sigterm(spark: SparkSession) -> None:
    """Make the JVM ignore SIGTERM, which is often sent to all processes of a group.

    Without it the JVM may end before a run is concluded: the run is then recorded as failed by the
    next command.
    """
    if is_known("pyspark") and spark._jvm is not None:
        signals = spark._jvm.sun.misc
        signals.Signal.handle(signals.Signal("TERM"), signals.SignalHandler.SIG_IGN)


def forget_log(spark: SparkSession, place: str) -> None:
    """Make Delta read a log again after a commit was overwritten: a retry may see the lost one."""
    if not hasattr(spark, "_jvm"):  # the server commits alone, unless another JVM writes as well
        return
    if is_known("pyspark") and is_known("delta-spark") and spark._jvm is not None:
        path = spark._jvm.org.apache.hadoop.fs.Path(place)
        delta_log = spark._jvm.org.apache.spark.sql.delta.DeltaLog
        delta_log.invalidateCache(spark._jsparkSession, path)


def context(spark: SparkSession) -> SparkContext:
    """Spark's context, for cores, jobs and their progress; a Spark Connect server's has none."""
    return spark.sparkContext


def end_jvm(spark: SparkSession) -> None:
    """Stop Spark and its JVM, which then writes the archive of classes that speeds up starts."""
    from pyspark import SparkContext

    gateway = SparkContext._gateway if is_known("pyspark") else None
    spark.stop()
    if gateway is not None:
        gateway.shutdown()
        # The JVM ends when its input ends, as it would if this process had ended.
        gateway.proc.stdin.close()
        try:
            gateway.proc.wait(JVM_ENDS_WITHIN)
        except subprocess.TimeoutExpired:
            gateway.proc.kill()


def wait_for_jvm() -> int:
    """Wait for the end of this process's JVM and return its status; SIGTERM is passed on to it.

    PySpark offers no other way to notice that its JVM has ended.

    Raises StageError if the version of PySpark was not tested: a server whose end goes unnoticed
        stays down.
    """
    if not is_known("pyspark"):
        raise StageError(
            f"pyspark {tried_versions.installed('pyspark')}: the Spark Connect server was only "
            f"tried with {TRIED['pyspark']}*; install that, or run without a server"
        )
    from pyspark import SparkContext

    assert SparkContext._gateway is not None, "Spark was not started"
    process = SparkContext._gateway.proc
    signal.signal(signal.SIGTERM, lambda number, frame: process.terminate())
    status: int = process.wait()
    return status
