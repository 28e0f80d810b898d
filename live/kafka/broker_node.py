"""One node of a cluster: its folder, its logs and the Java processes that work on them."""

from __future__ import annotations

import shutil
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from live.kafka import admin_client, broker_login, broker_settings
from live.kafka.broker_settings import NodePorts
from live.kafka.reserved_ports import HOST
from live.processes import child_processes
from live.processes.child_processes import Child
from pipeline.base.errors import InputError, StageError

LOG_SETTINGS = Path(__file__).with_name("broker_log4j2.properties")


class BrokerFailed(StageError):
    """A node did not start, or did not answer in time; the message names its log."""


class BrokerNode:
    """A broker, a controller, or both at once, as its settings say.

    number: From 1.
    heap_mib: Size of its heap, MiB.
    address: Where clients find it, ``host:port``; empty until its settings are written.
    child: Its process, until `end` or `kill`; None without one.
    data: Folder of its logs of records.
    """

    def __init__(
        self, number: int, folder: Path, java: Path, jars: Path, heap_mib: int = 512
    ) -> None:
        self.number = number
        self.address = ""
        self.child: Child | None = None
        self._folder, self._java, self._jars = folder, java, jars
        self._heap_mib = heap_mib
        self._login: Mapping[str, str] = {}
        self._place = folder / f"node-{number}"
        self._properties = self._place / "server.properties"
        self.data = self._place / "data"

    def log(self, kind: str = "log") -> Path:
        """Its log file; kinds are ``log``, ``output`` of the process, and ``format``."""
        return self._folder / "logs" / f"node-{self.number}.{kind}"

    def configure(
        self, ports: Sequence[NodePorts], changes: Mapping[str, str], login: Mapping[str, str]
    ) -> None:
        """Write its settings into a new folder, which its owner alone can enter.

        ports: Ports of all nodes, in their order.
        login: Settings of its clients; empty without a login.
        Raises InputError if there is a folder already.
        """
        try:
            self._place.mkdir(mode=0o700, parents=True)
        except FileExistsError:
            message = f"{self._place} exists already; a cluster needs a new folder"
            raise InputError(message) from None
        text = broker_settings.server_properties(self.number, ports, self.data, changes)
        broker_login.write_private(self._properties, text)
        self._login = login
        self.address = f"{HOST}:{ports[self.number - 1].broker}"

    def format(self, cluster_id: str) -> Child:
        """Start to write its identity into its data folder; returns the process that does it."""
        words = ("kafka.tools.StorageTool", "format", "-t", cluster_id, "-c", self._properties)
        return self._start(self.log("format"), *words)

    def launch(self) -> None:
        """Start its process, with the data of the one before."""
        self.child = self._start(self.log("output"), "kafka.Kafka", self._properties)

    def wait(self, others: set[int], until: float) -> None:
        """Wait until it answers and knows other nodes.

        until: Time of the monotonic clock.
        Raises BrokerFailed if it ends, or does not answer in time.
        """
        client = admin_client.connect(self.address, self._login)

        def answers() -> bool:
            view = admin_client.look(client, 1.0)
            return view is not None and others <= view.brokers

        left = until - time.monotonic()
        if not admin_client.waited_for(lambda: self.has_ended() or answers(), left):
            raise BrokerFailed(f"node {self.number} does not answer in time{self.why()}")
        if self.has_ended():
            raise BrokerFailed(f"node {self.number} did not start{self.why()}")

    def has_ended(self) -> bool:
        """Whether its process has ended by itself."""
        return self.child is not None and self.child.status() is not None

    def why(self) -> str:
        """The last useful line of its logs, and the log's name, as the end of a message."""
        for log in (self.log(), self.log("output")):
            line = child_processes.last_cause(log)
            if line:
                return f": {line} (log: {log})"
        return f" (log: {self.log()})"

    def discard_data(self) -> None:
        """Delete its settings and records; its logs stay."""
        shutil.rmtree(self._place, ignore_errors=True)

    def _start(self, output: Path, *words: str | Path) -> Child:
        command = [
            self._java,
            f"-Xmx{self._heap_mib}m",
            *broker_settings.JAVA_OPTIONS,
            f"-XX:ErrorFile={output}",
            f"-Dlog4j2.configurationFile={LOG_SETTINGS.as_uri()}",
            f"-Dgroupscale.log={self.log()}",
            *("-cp", f"{self._jars}/*"),
            *words,
        ]
        return child_processes.start(command, f"node {self.number}", output)
