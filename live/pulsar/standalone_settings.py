"""Files and options of a Pulsar standalone: broker, bookie and functions worker in one process."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from live.kafka.reserved_ports import HOST
from live.pulsar import pulsar_login

HEAP_MIB, DIRECT_MIB = 384, 700
"""Most heap and direct memory. Pulsar takes some 400 MiB in all, 84 of heap after a collection."""

_OPENED = (
    *("sun.net", "java.lang", "java.util.zip", "java.nio"),
    *("jdk.internal.loader", "jdk.internal.platform", "jdk.internal.misc"),
)

JAVA_OPTIONS = (
    *(f"--add-opens=java.base/{name}=ALL-UNNAMED" for name in _OPENED),
    "--add-opens=java.management/sun.management=ALL-UNNAMED",
    "--add-opens=jdk.management/com.sun.management.internal=ALL-UNNAMED",
    f"-Xmx{HEAP_MIB}m",
    f"-XX:MaxDirectMemorySize={DIRECT_MIB}m",
    "-XX:+UseSerialGC",
    "-XX:TieredStopAtLevel=1",
    "-XX:+ExitOnOutOfMemoryError",
    "-XX:-UsePerfData",
    "-Djava.awt.headless=true",
    "-Dio.netty.tryReflectionSetAccessible=true",
    "-Dpulsar.allocator.pooled=true",
    # Without these the bookie looks for a ZooKeeper.
    "-Dbookkeeper.metadata.bookie.drivers="
    "org.apache.pulsar.metadata.bookkeeper.PulsarMetadataBookieDriver",
    "-Dbookkeeper.metadata.client.drivers="
    "org.apache.pulsar.metadata.bookkeeper.PulsarMetadataClientDriver",
)

MAIN = "org.apache.pulsar.PulsarStandaloneStarter"


class PulsarPorts(NamedTuple):
    """Ports on the loopback address."""

    http: int
    broker: int
    bookie: int
    """In its name alone: it has no socket."""


def standalone_conf(folder: Path, ports: PulsarPorts) -> str:
    """Text of ``standalone.conf`` for a folder that has the files of `pulsar_login`."""
    settings: Mapping[str, object] = {
        "clusterName": "standalone",
        "metadataStoreUrl": "",
        "configurationMetadataStoreUrl": "",
        "webServicePort": ports.http,
        "brokerServicePort": ports.broker,
        "bindAddress": HOST,
        "advertisedAddress": HOST,
        "allowLoopback": "true",
        "managedLedgerDefaultEnsembleSize": 1,
        "managedLedgerDefaultWriteQuorum": 1,
        "managedLedgerDefaultAckQuorum": 1,
        "managedLedgerCacheSizeMB": 32,
        # By default the folder in which the process was started.
        "STORAGE_PATH": folder / "packages",
        "functionsWorkerEnabled": "true",
        "webSocketServiceEnabled": "false",
        "systemTopicEnabled": "true",
        "topicLevelPoliciesEnabled": "true",
        "loadBalancerEnabled": "false",
        "allowAutoTopicCreationType": "non-partitioned",
        "journalSyncData": "false",
        "brokerDeleteInactiveTopicsEnabled": "false",
        # The bookie has no login. It serves its own process alone, without a socket.
        "enableLocalTransport": "true",
        "disableServerSocketBind": "true",
        **pulsar_login.settings(folder),
    }
    return "".join(f"{key}={value}\n" for key, value in settings.items())


def worker_yaml(folder: Path, ports: PulsarPorts, jar: Path) -> str:
    """Text of ``functions_worker.yml``: functions run as threads. Each period must be there.

    jar: The one that functions may be of.
    """
    settings: Mapping[str, object] = {
        "workerId": "standalone",
        "workerHostname": HOST,
        "workerPort": ports.http,
        "pulsarFunctionsCluster": "standalone",
        "pulsarServiceUrl": f"pulsar://{HOST}:{ports.broker}",
        "pulsarWebServiceUrl": f"http://{HOST}:{ports.http}",
        "pulsarFunctionsNamespace": "public/functions",
        "functionMetadataTopicName": "metadata",
        "clusterCoordinationTopicName": "coordinate",
        "functionAssignmentTopicName": "assignments",
        "numFunctionPackageReplicas": 1,
        # Without it, copies of functions go to the current folder.
        "downloadDirectory": folder / "functions",
        "additionalEnabledFunctionsUrlPatterns": json.dumps([re.escape(jar.absolute().as_uri())]),
        "functionRuntimeFactoryClassName": (
            "org.apache.pulsar.functions.runtime.thread.ThreadRuntimeFactory"
        ),
        "functionRuntimeFactoryConfigs": '{threadGroupName: "functions"}',
        "schedulerClassName": ("org.apache.pulsar.functions.worker.scheduler.RoundRobinScheduler"),
        "topicCompactionFrequencySec": 1800,
        "metricsSamplingPeriodSec": 60,
        "initialBrokerReconnectMaxRetries": 60,
        "assignmentWriteMaxRetries": 60,
        "failureCheckFreqMs": 30_000,
        "rescheduleTimeoutMs": 60_000,
        "instanceLivenessCheckFreqMs": 30_000,
        "rebalanceCheckFreqSec": -1,
        "workerListProbeIntervalSec": 60,
    }
    return "".join(f"{key}: {value}\n" for key, value in settings.items())


def arguments(folder: Path, ports: PulsarPorts) -> list[str]:
    """Arguments of `MAIN` for a folder with both files."""
    return [
        *("--config", str(folder / "standalone.conf")),
        *("--metadata-dir", str(folder / "metadata")),
        *("--bookkeeper-dir", str(folder / "bookie")),
        *("--bookkeeper-port", str(ports.bookie), "--num-bookies", "1"),
        *("-nss", "--functions-worker-conf", str(folder / "functions_worker.yml")),
    ]
