"""The one Spark session of this process, with Delta Lake configured.

All settings that depend on the machine come from the environment, so the same code runs on
``local[*]``, on a cluster, and on a Spark Connect server
(`pipeline.warehouse.spark.remote_session`):

``GROUPSCALE_SPARK_MASTER``
    Master URL; default ``local[*]``.
``GROUPSCALE_SPARK_CONF``
    A JSON object of further Spark settings; they take precedence over the ones below.
``GROUPSCALE_JARS``
    Folder with the Delta JARs that set-up fetched.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from pipeline.base import paths
from pipeline.base.errors import InputError
from pipeline.base.process import signals
from pipeline.warehouse.spark import (
    given_settings,
    internals,
    jvm,
    machine_needs,
    remote_session,
    worker_sockets,
)

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


MASTER, CONF = "GROUPSCALE_SPARK_MASTER", given_settings.CONF

ENDS_WITHIN = 10.0
"""Seconds in which the JVM cancels jobs, if it responds at all."""

PYTHON = "spark.pyspark.python"
"""Spark's setting for the interpreter of its Python workers."""


_STARTED: dict[str, SparkSession] = {}
_OWN_ID: dict[str, str] = {}


def get(brief: bool = False, kernels: str = "") -> SparkSession:
    """Return this process's session, starting the JVM at the first call.

    brief: Whether a JVM that this call starts will have little work.
    kernels: Module whose function ``load`` its Python workers call before they are forked.
    Raises InputError if the Delta JARs are missing or ``GROUPSCALE_SPARK_CONF`` is not a JSON
        object.
    """
    place = remote_session.address()
    if place:
        return _STARTED.get("session") or _on_server(place)
    from pyspark.sql import SparkSession

    active = SparkSession.getActiveSession()
    if active is not None:
        _STARTED["session"] = active
        return active
    jvm.use_own_java()
    if is_local():
        machine_needs.check()
        # Spark looks up this machine's name otherwise, which need not resolve.
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    with suppress(OSError):
        # Start even if the JVM's log cannot be written.
        paths.make_private(paths.logs())
    chosen = settings(brief) | internals.worker_settings(kernels)
    if is_local() and worker_sockets.SETTING not in given_settings.given(os.environ):
        chosen[worker_sockets.SETTING] = worker_sockets.make()
    _choose_python(chosen)
    builder = SparkSession.builder.appName("groupscale")
    for key, value in chosen.items():
        builder = builder.config(key, value)
    return _own_signals(builder.getOrCreate)


def _on_server(place: str) -> SparkSession:
    _STARTED["session"] = remote_session.connect(
        place, given_settings.given(os.environ), _OWN_ID.get("session")
    )
    return _STARTED["session"]


def identify(*names: object, attempt: int) -> None:
    """Give this process's session on a Spark Connect server an id that follows from names.

    An attempt ends what the one before it left on the server: a killed process cannot.
    """
    place = remote_session.address()
    if place is None:
        return
    _OWN_ID["session"] = remote_session.session_id(*names, attempt)
    if attempt > 1:
        remote_session.close_left(place, remote_session.session_id(*names, attempt - 1))


def beside() -> SparkSession:
    """Another session, which shares neither settings nor views with that of this process."""
    place = remote_session.address()
    if place is None:
        return get().newSession()
    _STARTED["beside"] = remote_session.connect(place, given_settings.given(os.environ))
    return _STARTED["beside"]


def close_remote() -> None:
    """End this process's sessions on a Spark Connect server, which would keep them for hours."""
    if any(remote_session.is_remote(spark) for spark in _STARTED.values()):
        stop()


def cores(spark: SparkSession) -> int:
    """Number of tasks that run at a time."""
    if remote_session.is_remote(spark):
        return remote_session.cores(spark)
    return internals.context(spark).defaultParallelism


def check() -> None:
    """Raise `InputError` if no session can be configured: JARs, settings, or an address."""
    if remote_session.address():
        given_settings.given(os.environ)
    else:
        settings()


def _own_signals(start: Callable[[], SparkSession]) -> SparkSession:
    """Handle signals in this process only, so that its JVM does not end before a run is concluded.

    PySpark would handle Ctrl-C, and its handler would wait for the query that is to be cancelled.
    SIGTERM is often sent to all processes of a group (``timeout``, systemd).
    """
    before = signal.getsignal(signal.SIGINT)
    with (
        jvm.quiet_start(),
        signals.held(),
    ):  # a JVM that loses its parent while starting prints an error
        spark = _STARTED["session"] = start()
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, before)
    internals.ignore_sigterm(spark)
    return spark


def _choose_python(chosen: Mapping[str, str]) -> None:
    """Set the interpreter, and so the packages, of the workers: this process's, or another one.

    PySpark only reads the variable, which may be that of another installation. A cluster's
    interpreter comes from the settings that name the cluster.
    """
    python = chosen.get(PYTHON)
    if python or is_local():
        os.environ["PYSPARK_PYTHON"] = python or sys.executable
    else:
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)


def warm_up(spark: SparkSession) -> None:
    """Load classes and start Python workers in the background, while a run begins.

    A query with the operations that all stages share does that: a window, a join, a shuffle, a
    sort and a kernel that does nothing.
    """

    def start() -> None:
        from pyspark.sql import Window
        from pyspark.sql import functions as F

        count = F.count("*").over(Window.orderBy("id")).cast("int")
        rows = spark.range(4).withColumn("task", count)
        joined = rows.join(F.broadcast(spark.range(4)), "id", "left")
        moved = joined.repartitionById(2, F.col("task") % 2).sortWithinPartitions("id")
        passed = moved.mapInArrow(lambda batches: batches, "id long, task int")
        # If the session ends or fails, the run itself reports why.
        with suppress(Exception):
            passed.groupBy("id").count().toArrow()

    threading.Thread(target=start, name="warm-up", daemon=True).start()


def cancel_jobs() -> None:
    """Cancel this process's Spark jobs, whose results are no longer needed."""
    for spark in list(_STARTED.values()):
        if remote_session.is_remote(spark):
            aside(partial(remote_session.cancel, spark), ENDS_WITHIN)
        else:
            aside(internals.context(spark).cancelAllJobs, ENDS_WITHIN)


def stop() -> None:
    """Stop this process's session, if it has one, and delete its files in the temporary folder."""
    for name in list(_STARTED):
        aside(_STARTED.pop(name).stop, ENDS_WITHIN)


def current() -> SparkSession | None:
    """The session of this process, once it has started and until `stop`."""
    return _STARTED.get("session")


def aside(what: Callable[[], None], seconds: float | None = None) -> None:
    """Call Spark in a separate thread and ignore errors.

    If an exception interrupts a call to Java, the thread's connection still has a pending answer:
    the next call in that thread would wait for it and take it for its own.

    seconds: Maximum waiting time: the JVM may hang.
    """

    def done() -> None:
        with suppress(Exception):
            what()

    thread = threading.Thread(target=done, name="aside", daemon=True)
    thread.start()
    thread.join(seconds)


@contextmanager
def for_few_rows(spark: SparkSession, few: bool = True) -> Iterator[None]:
    """Interpret queries instead of compiling each to Java, which does not pay off for few rows."""
    if not few:
        yield
        return
    before = {name: spark.conf.get(name, None) for name in _FOR_FEW_ROWS}
    _set(spark, _FOR_FEW_ROWS)
    try:
        yield
    finally:
        aside(lambda: _set(spark, before), ENDS_WITHIN)


_FOR_FEW_ROWS = {
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.adaptive.enabled": "false",
}


def _set(spark: SparkSession, chosen: Mapping[str, str | None]) -> None:
    for name, value in chosen.items():
        if value is None:
            spark.conf.unset(name)
        else:
            spark.conf.set(name, value)


def master() -> str:
    """Spark's master URL, from the environment."""
    return given_settings.given(os.environ).get("spark.master", os.environ.get(MASTER, "local[*]"))


def is_local() -> bool:
    """Whether Spark runs on this machine; wrong settings are reported when it starts."""
    try:
        return master().startswith("local")
    except InputError:
        return True


def settings(brief: bool = False) -> dict[str, str]:
    """Spark settings of a new session: defaults, then ``GROUPSCALE_SPARK_CONF``."""
    chosen = _delta() | _sizes() | _files() | _java(brief)
    chosen |= {"spark.master": master()}
    return chosen | (_local() if is_local() else _cluster()) | given_settings.given(os.environ)


def _local() -> dict[str, str]:
    return {
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        # Without it the ports of driver and blocks read serialized objects from any user of this
        # machine. Spark makes the secret itself, in the JVM's memory.
        "spark.authenticate": "true",
        worker_sockets.SETTING: worker_sockets.parent(),
        # On the JVM's own class path their classes can come from the archive of
        # `pipeline.warehouse.spark.jvm`.
        "spark.driver.extraClassPath": os.pathsep.join(str(jar) for jar in delta_jars()),
        # By default both use an interface of Hadoop that starts a process per name of a file:
        # seven hundred in a small run, a tenth of its CPU time. See docs/decisions.md.
        "spark.delta.logStore.file.impl": "io.delta.storage.LocalLogStore",
        "spark.sql.streaming.checkpointFileManagerClass": f"{_CHECKPOINTING}."
        "FileSystemBasedCheckpointFileManager",
    }


_CHECKPOINTING = "org.apache.spark.sql.execution.streaming.checkpointing"


def _cluster() -> dict[str, str]:
    return {
        "spark.jars": ",".join(str(jar) for jar in delta_jars()),
        # The default is Java's folder for temporary files. On YARN it is deep inside a container's
        # folder and its path is too long for a socket: no Python worker would start.
        worker_sockets.SETTING: "/tmp",
    }


def _delta() -> dict[str, str]:
    return {
        "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        # Our tables have few files: reading a log with 50 tasks costs seconds.
        "spark.databricks.delta.snapshotPartitions": "1",
        # With each commit Delta writes a checksum file of the table's state. To include all files,
        # it would run extra jobs to list them.
        "spark.databricks.delta.allFilesInCrc.enabled": "false",
        # Rows are replaced by whole slices of a table; with conditions on other columns, Delta
        # would look for them in three jobs instead of one.
        "spark.databricks.delta.replaceWhere.dataColumns.enabled": "false",
        # The removal of unused files lists folders with ten thousand tasks otherwise.
        "spark.sql.sources.parallelPartitionDiscovery.parallelism": "16",
    }


def _sizes() -> dict[str, str]:
    return {
        "spark.ui.enabled": "false",
        # If the page were open to a browser, any other page could kill jobs by a link to it.
        "spark.ui.killEnabled": "false",
        "spark.ui.showConsoleProgress": "false",
        # The UI, for which each query is described, is off: keep descriptions short.
        "spark.sql.ui.explainMode": "simple",
        # Where each column expression was written, for Spark's error messages: costs a search of
        # the stack and of two missing packages per call, a fifth of a validation.
        "spark.python.sql.dataFrameDebugging.enabled": "false",
        "spark.sql.session.timeZone": "UTC",
        # Nothing is kept there, but by default Spark creates it in the current folder.
        "spark.sql.warehouse.dir": str(paths.state() / "spark"),
        "spark.sql.shuffle.partitions": "8",
        "spark.sql.execution.arrow.pyspark.enabled": "true",
        "spark.python.worker.reuse": "true",
        # Over TCP, JVM and worker can deadlock when both send megabytes at a time: a full window
        # makes the kernel drop segments, and acknowledgements with them.
        "spark.python.unix.domain.socket.enabled": "true",
        # Blocks of packed rows are large: a batch of ten thousand of them would be gigabytes.
        "spark.sql.execution.arrow.maxBytesPerBatch": "64m",
        # Batches of stored arrays are large too: with 10,000 consumer ids each, the default 4,096
        # rows are 160 MB, and up to three times that while the reader grows its buffer, on each
        # core.
        "spark.sql.parquet.columnarReaderBatchSize": "512",
        # A task that writes few slices of a table does not have to sort its rows by slice first.
        "spark.sql.maxConcurrentOutputFileWriters": "16",
        "spark.driver.memory": "2g",
        "spark.sql.parquet.compression.codec": "zstd",
        # Pages are written with checksums, which are not checked by default.
        "spark.hadoop.parquet.page.verify-checksum.enabled": "true",
    }


def _files() -> dict[str, str]:
    # Hadoop sets the modes of its files by its own setting, which defaults to 022.
    mask = os.umask(0o077)
    os.umask(mask)
    return {"spark.hadoop.fs.permissions.umask-mode": f"{mask:03o}"}


def _java(brief: bool) -> dict[str, str]:
    return {"spark.driver.extraJavaOptions": jvm.options(brief)}


def delta_jars() -> tuple[Path, ...]:
    """JARs of Delta Lake, from ``GROUPSCALE_JARS`` or the folder that set-up uses."""
    folder = Path(os.environ.get("GROUPSCALE_JARS", paths.home() / ".cache" / "jars"))
    jars = tuple(sorted(folder.glob("*.jar")))
    if not jars:
        raise InputError(f"no Delta JARs in {folder}; run `make setup`, or set GROUPSCALE_JARS")
    return jars
