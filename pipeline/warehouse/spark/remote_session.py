"""Sessions of a Spark Connect server, whose JVM and Python workers are warm for all processes.

``GROUPSCALE_SPARK_REMOTE``
    Address of the server, ``sc://HOST:PORT``. Without it each process starts a JVM of its own.
``SPARK_CONNECT_AUTHENTICATE_TOKEN``
    The server's token, as PySpark and the server itself name it.

The server has the settings of `pipeline.warehouse.spark.session_settings`; a session only sets
those of Spark SQL.
"""

from __future__ import annotations

import logging
import os
import threading
import uuid
import warnings
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from pipeline.base.errors import InputError
from pipeline.base.progress import Work

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

log = logging.getLogger(__name__)

REMOTE, TOKEN = "GROUPSCALE_SPARK_REMOTE", "SPARK_CONNECT_AUTHENTICATE_TOKEN"
USER = "groupscale"
"""User of all sessions. With the session's id it identifies a session on the server."""

MAX_RETRIES, MAX_BACKOFF_MS = 8, 10_000
"""Of a call that does not reach the server: 45 s in total. PySpark would wait ten minutes."""

PARALLELISM = "spark.default.parallelism"
MOST_CORES = 10_000

_TOKEN_IN_ADDRESS = ";token="
"""Addresses are in error messages and logs."""

_step = threading.local()
_work: dict[str, Work] = {}
_parts: dict[str, int] = {}


def address() -> str | None:
    """Spark Connect's address in the environment, None without. Raises InputError if invalid."""
    url = os.environ.get(REMOTE)
    if not url:
        return None
    if _TOKEN_IN_ADDRESS in url:
        raise InputError(f"`{REMOTE}` must not contain the token; set `{TOKEN}`")
    if urlsplit(url).scheme != "sc" or not urlsplit(url).hostname:
        raise InputError(f"`{REMOTE}` must be sc://HOST:PORT (got {url!r})")
    return url


def is_here(place: str) -> bool:
    """Whether the server at an address runs on this machine."""
    return urlsplit(place).hostname in ("127.0.0.1", "::1", "localhost")


def session_id(*names: object) -> str:
    """Id of a session, the same whenever the names are: a version 4 UUID, as Spark requires."""
    number = uuid.uuid5(uuid.NAMESPACE_URL, "/".join(str(name) for name in names)).int
    return str(uuid.UUID(int=number, version=4))


def connect(place: str, settings: Mapping[str, str], own_id: str | None = None) -> SparkSession:
    """Open a session on the server at an address.

    settings: Spark settings; those that a session cannot change are logged and left to the server.
    own_id: Id of the session; None for a random one.
    """
    from pyspark.sql.connect.client.retries import DefaultPolicy
    from pyspark.sql.connect.session import SparkSession as RemoteSession

    # It would write each message to standard error as well, where Airflow takes it for an error.
    logging.getLogger("pyspark.sql.connect.logging").handlers.clear()
    # PySpark's functions return expressions for the server once this is set, which its own
    # `builder.remote` does as well; that one cannot reach a server without TLS by name.
    os.environ["SPARK_CONNECT_MODE_ENABLED"] = "1"
    spark: Any = RemoteSession.builder.channelBuilder(_channel(place, own_id)).create()
    policy = DefaultPolicy(max_retries=MAX_RETRIES, max_backoff=MAX_BACKOFF_MS)
    spark.client.set_retry_policies([policy])
    fixed = [name for name in settings if not spark.conf.isModifiable(name)]
    for name in settings.keys() - fixed:
        spark.conf.set(name, settings[name])
    if fixed:
        log.info("settings of the Spark Connect server stay as they are: %s", ", ".join(fixed))
    spark.registerProgressHandler(_heard)
    # Tasks are numbered over all streams on purpose; Spark itself writes this to its log only.
    warnings.filterwarnings("ignore", "WARN WindowExpression: No Partition Defined")
    opened: SparkSession = spark
    return opened


def _channel(place: str, own_id: str | None) -> Any:
    """A connection to the server; its token goes along unencrypted unless TLS is asked for.

    PySpark requires TLS for a token unless the host is called localhost. The project's servers
    listen on the loopback address or in a network of containers.
    """
    from pyspark.sql.connect.client.core import DefaultChannelBuilder

    class Channel(DefaultChannelBuilder):
        # The documentation of `toChannel` says that subclasses should call `_insecure_channel`,
        # which applies the options of the connection.
        def toChannel(self) -> Any:
            return super().toChannel() if self.use_ssl else self._insecure_channel(self.endpoint)

        def metadata(self) -> Iterable[tuple[str, str]]:
            bearer = [] if self.use_ssl else [("authorization", f"Bearer {self.token}")]
            return [*super().metadata(), *(bearer if self.token else [])]

    channel = Channel(place)
    channel.set(Channel.PARAM_USER_ID, USER)
    if own_id:
        channel.set(Channel.PARAM_SESSION_ID, own_id)
    return channel


def is_remote(spark: SparkSession) -> bool:
    """Whether a session belongs to a Spark Connect server."""
    return "connect" in type(spark).__module__


def cancel(spark: SparkSession) -> None:
    """Cancel the queries of a session."""
    spark.interruptAll()


def close_left(place: str, own_id: str) -> None:
    """End the queries of a session that a killed process may have left, and close it.

    It needs no session object, which PySpark would take for the active one of this process.
    """
    from pyspark.sql.connect.client.core import SparkConnectClient

    policy = {"max_retries": MAX_RETRIES, "max_backoff": MAX_BACKOFF_MS}
    left = SparkConnectClient(_channel(place, own_id), retry_policy=policy)
    try:
        left.interrupt_all()
        left.release_session()
    except Exception as error:
        log.debug("session %s is closed already, or its server has ended: %r", own_id, error)
    finally:
        left.close()


def cores(spark: SparkSession) -> int:
    """Number of tasks that the server runs at a time.

    Only a server with local tasks has a setting for it. A cluster's cores show in how Spark divides
    rows without a source.
    """
    setting = spark.conf.get(PARALLELISM, None)
    if setting:
        return int(setting)
    from pyspark.sql import functions as F

    return spark.range(MOST_CORES).select(F.spark_partition_id()).distinct().count()


def mark(step: str) -> None:
    """Count the queries that this thread runs from now on as progress of a step."""
    _step.name = step


def progress_of(step: str) -> Work | None:
    """Progress of the query that a step is running."""
    return _work.get(step)


def _heard(stages: Any, inflight_tasks: int, operation_id: str | None, done: bool) -> None:
    """Note a query's progress; PySpark calls this in the thread that runs the query."""
    step = getattr(_step, "name", None)
    if step is None:
        return
    total = sum(stage.num_tasks for stage in stages or ())
    if done or not total:
        _work.pop(step, None)
        return
    part = _parts.setdefault(str(operation_id), len(_parts))
    _work[step] = Work(part, sum(stage.num_completed_tasks for stage in stages), total)
