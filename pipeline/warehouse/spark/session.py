"""The one Spark session of this process.

Its settings are from `pipeline.warehouse.spark.session_settings`, so the same code runs on
``local[*]``, on a cluster, and on a Spark Connect server
(`pipeline.warehouse.spark.remote_session`).
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING

from pipeline.base import paths
from pipeline.base.process import signals
from pipeline.warehouse.spark import (
    given_settings,
    internals,
    jvm,
    machine_needs,
    remote_session,
    session_settings,
    worker_sockets,
)

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


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
    if session_settings.is_local():
        machine_needs.check()
        # Spark looks up this machine's name otherwise, which need not resolve.
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    with suppress(OSError):
        # Start even if the JVM's log cannot be written.
        paths.make_private(paths.logs())
    chosen = session_settings.settings(brief) | internals.worker_settings(kernels)
    is_given = worker_sockets.SETTING in given_settings.given(os.environ)
    if session_settings.is_local() and not is_given:
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
        session_settings.settings()


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
    if python or session_settings.is_local():
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
