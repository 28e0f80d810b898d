"""Spark settings that Airflow's connection `groupscale_spark` may contain.

Users who can edit connections in Airflow must not be able to run code as the operator. Most Spark
settings load code or name files and hosts, and a foreign master receives the driver's settings and
sends it serialized objects. A connection may therefore only set sizes and times, on this machine or
on the cluster configured by the operator. A connection from the variable
`AIRFLOW_CONN_GROUPSCALE_SPARK` belongs to the operator and is not restricted.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping

from pipeline.base.errors import InputError
from pipeline.warehouse.spark import remote_session, session_settings

NAME = "groupscale_spark"
OPERATORS = f"AIRFLOW_CONN_{NAME.upper()}"

HARMLESS = frozenset(
    f"spark.{name}"
    for name in (
        "cores.max",
        "default.parallelism",
        "driver.cores",
        "driver.maxResultSize",
        "driver.memory",
        "driver.memoryOverhead",
        "dynamicAllocation.enabled",
        "dynamicAllocation.executorIdleTimeout",
        "dynamicAllocation.initialExecutors",
        "dynamicAllocation.maxExecutors",
        "dynamicAllocation.minExecutors",
        "dynamicAllocation.shuffleTracking.enabled",
        "executor.cores",
        "executor.heartbeatInterval",
        "executor.instances",
        "executor.memory",
        "executor.memoryOverhead",
        "executor.pyspark.memory",
        "kryoserializer.buffer",
        "kryoserializer.buffer.max",
        "locality.wait",
        "memory.fraction",
        "memory.storageFraction",
        "network.timeout",
        "rpc.askTimeout",
        "speculation",
        "sql.adaptive.enabled",
        "sql.autoBroadcastJoinThreshold",
        "sql.broadcastTimeout",
        "sql.execution.arrow.maxBytesPerBatch",
        "sql.execution.arrow.maxRecordsPerBatch",
        "sql.files.maxPartitionBytes",
        "sql.shuffle.partitions",
        "task.cpus",
        "task.maxFailures",
    )
)
"""Allowed settings: none names code, a file or a host."""

_MASTER = re.compile(r"local(\[(\*|[1-9]\d{0,2})\])?")
_VALUE = re.compile(r"-?[A-Za-z0-9.]{1,20}")


def chosen(host: str | None, extra: str | None, password: str | None = None) -> dict[str, str]:
    """Variables that the connection adds to the environment, which takes precedence.

    Its password is the token of a Spark Connect server.

    Raises InputError if a setting is not allowed; the message names the setting, never its value.
    """
    is_server = (host or "").startswith("sc://")
    place = remote_session.REMOTE if is_server else session_settings.MASTER
    variables = {place: host, session_settings.CONF: extra}
    if is_server:
        variables[remote_session.TOKEN] = password
    added = {name: v for name, v in variables.items() if v and name not in os.environ}
    if OPERATORS not in os.environ:
        _check_master(added.get(place, "local"))
        _check_settings(added.get(session_settings.CONF, "{}"))
    return added


def _check_master(host: str) -> None:
    if not _MASTER.fullmatch(host):
        raise InputError(
            f"connection `{NAME}`: host must be local, local[*] or local[NUMBER] (got "
            f"{host!r}); to use a cluster or a Spark Connect server, set the environment "
            f"variable `{session_settings.MASTER}` or `{remote_session.REMOTE}`"
        )


def _check_settings(extra: str) -> None:
    for name, value in _parsed(extra).items():
        if name not in HARMLESS:
            raise InputError(
                f"connection `{NAME}`: setting {name!r} is not allowed in a connection; set it "
                f"in the environment variable `{session_settings.CONF}`"
            )
        if not _VALUE.fullmatch(str(value)):
            raise InputError(
                f"connection `{NAME}`: setting {name!r} must be a number, a size, a time, true or "
                "false, such as 4, 2g or 120s"
            )


def _parsed(extra: str) -> Mapping[str, object]:
    try:
        content = json.loads(extra)
    except json.JSONDecodeError:
        content = None
    if not isinstance(content, dict):
        raise InputError(
            f"connection `{NAME}`: extra must be a JSON object of Spark settings, such as "
            '{"spark.driver.memory": "4g"}'
        )
    return content
