"""Settings of a Spark session, with Delta Lake configured.

All that depend on the machine come from the environment:

``GROUPSCALE_SPARK_MASTER``
    Master URL; default ``local[*]``.
``GROUPSCALE_SPARK_CONF``
    A JSON object of further Spark settings; they take precedence over the ones below.
``GROUPSCALE_JARS``
    Folder with the Delta JARs that set-up fetched.
"""

from __future__ import annotations

import os
from pathlib import Path

from pipeline.base import paths
from pipeline.base.errors import InputError
from pipeline.warehouse.spark import given_settings, jvm, worker_sockets

MASTER, CONF = "GROUPSCALE_SPARK_MASTER", given_settings.CONF


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
