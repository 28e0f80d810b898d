"""A Kafka cluster of one or three nodes on this machine, which ends with this process."""

from __future__ import annotations

import secrets
import shutil
import time
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Self

from pipeline.errors import InputError, StageError
from pipeline.live import child_processes
from pipeline.live.broker import admin_client, broker_jars, broker_settings
from pipeline.live.broker.broker_settings import NodePorts
from pipeline.live.broker.reserved_ports import HOST, reserved
from pipeline.live.child_processes import Child

SIZES = (1, 3)
"""Supported numbers of nodes: fewer than three survive no failure."""

START_SECONDS = 90.0
"""Time limit of a start; after a kill -9 on a busy machine one took 14 s."""

STOP_SECONDS = 15.0
"""Time for an orderly end. The last of three nodes has no quorum left to say goodbye to."""

FORMAT_SECONDS = 60.0

LOG_SETTINGS = Path(__file__).with_name("broker_log4j2.properties")


class BrokerFailed(StageError):
    """A node did not start, or did not answer in time; the message names its log."""


class Cluster:
    """Nodes that are brokers and controllers at once, on ports that the system has chosen.

    A context manager: starts on entry, stops on exit. The ports stay the same, and reserved, until
    it is stopped. When this process ends in any other way, the system kills the nodes.

    Parameters
    ----------
    folder
        New folder of data and logs.
    nodes
        1 or 3.
    changes
        Settings of the brokers that replace the usual ones.

    Attributes
    ----------
    nodes
        Number of nodes; they are called 1, 2, ….
    folder
        Folder of data and logs.

    Raises
    ------
    InputError
        If the number is not supported, or JARs or Java are missing.
    """

    def __init__(
        self, folder: Path, nodes: int = 1, changes: Mapping[str, str] | None = None
    ) -> None:
        if nodes not in SIZES:
            raise InputError(f"`nodes` must be 1 or 3 (got {nodes})")
        self.nodes = nodes
        self.folder = folder.absolute()
        self._changes = dict(changes or {})
        self._java = broker_jars.java_program()
        self._jars = broker_jars.ensure(self._java)
        self._ports: list[NodePorts] = []
        self._running: dict[int, Child] = {}
        self._reservations = ExitStack()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    @property
    def bootstrap(self) -> str:
        """Addresses of the brokers, ``host:port,…``."""
        return ",".join(self._address(node) for node in self._all())

    @property
    def version(self) -> str:
        """Version of Kafka, as its JAR's name has it."""
        names = (file.stem for file in self._jars.glob("*kafka_*.jar"))
        return next((name.rpartition("-")[2] for name in names), "unknown")

    def start(self, seconds: float = START_SECONDS) -> None:
        """Format and start all nodes, and wait until each of them answers and knows the others.

        Raises
        ------
        BrokerFailed
            If one does not start in time; all are stopped then.
        InputError
            If the folder is in use.
        """
        try:
            self._prepare()
            self._format()
            for node in self._all():
                self._launch(node)
            until = time.monotonic() + seconds
            for node in self._all():
                self._wait(node, set(self._all()), until)
        except BaseException:
            self.stop(grace=0)
            raise

    def stop(self, grace: float = STOP_SECONDS) -> None:
        """End all nodes in order, kill those that take longer than ``grace`` seconds."""
        try:
            child_processes.stop(self._running.values(), grace)
        finally:
            self._running.clear()
            self._reservations.close()

    def kill(self, node: int) -> None:
        """End a node at once, as ``kill -9`` or a power cut of its machine does."""
        child_processes.kill([self._running.pop(node)])

    def stop_node(self, node: int, grace: float = STOP_SECONDS) -> None:
        """End a node in order."""
        child_processes.stop([self._running.pop(node)], grace)

    def start_node(self, node: int, seconds: float = START_SECONDS) -> None:
        """Start a node that was stopped or killed, with its data, and wait until it answers.

        Raises
        ------
        BrokerFailed
            If it does not start in time.
        """
        self._running.pop(node, None)
        self._launch(node)
        self._wait(node, {node}, time.monotonic() + seconds)

    def restart(self, node: int, seconds: float = START_SECONDS) -> None:
        """Stop a node in order, then start it again."""
        self.stop_node(node)
        self.start_node(node, seconds)

    def pid(self, node: int) -> int:
        """Process id of a node that runs."""
        return self._running[node].pid

    def log(self, node: int, kind: str = "log") -> Path:
        """Log file of a node; its kind may be ``output``, of the process, or ``format`` as well."""
        return self.folder / "logs" / f"node-{node}.{kind}"

    def failures(self) -> dict[int, str]:
        """Nodes that have ended by themselves, each with its reason and the name of its log."""
        ended = [node for node, child in self._running.items() if child.status() is not None]
        return {node: f"node {node} has ended{self._why(node)}" for node in ended}

    def discard_data(self) -> None:
        """Delete the records of a cluster that is stopped; its logs stay."""
        for node in self._all():
            shutil.rmtree(self._place(node), ignore_errors=True)

    def _all(self) -> Iterable[int]:
        return range(1, self.nodes + 1)

    def _address(self, node: int) -> str:
        return f"{HOST}:{self._ports[node - 1].broker}"

    def _place(self, node: int) -> Path:
        return self.folder / f"node-{node}"

    def _properties(self, node: int) -> Path:
        return self._place(node) / "server.properties"

    def _prepare(self) -> None:
        """Reserve ports and write the settings of all nodes."""
        numbers = self._reservations.enter_context(reserved(2 * self.nodes))
        pairs = zip(numbers[::2], numbers[1::2], strict=True)
        self._ports = [NodePorts(*pair) for pair in pairs]
        for node in self._all():
            place = self._place(node)
            try:
                place.mkdir(parents=True)
            except FileExistsError:
                raise InputError(f"{place} exists already; a cluster needs a new folder") from None
            text = broker_settings.server_properties(
                node, self._ports, place / "data", self._changes
            )
            self._properties(node).write_text(text, encoding="ascii")

    def _format(self) -> None:
        """Write the identity of each node into its data folder; all at the same time."""
        # Java would take an id that begins with a hyphen for an option.
        cluster = next(i for i in iter(lambda: secrets.token_urlsafe(16), "") if i[0] != "-")
        words = ("kafka.tools.StorageTool", "format", "-t", cluster, "-c")
        children = {
            node: self._java_child(node, self.log(node, "format"), *words, self._properties(node))
            for node in self._all()
        }
        until = time.monotonic() + FORMAT_SECONDS
        try:
            for node, child in children.items():
                status = child.status_within(until - time.monotonic())
                if status != 0:
                    raise BrokerFailed(f"cannot format node {node}: {child.why()}")
        finally:
            child_processes.kill(children.values())

    def _launch(self, node: int) -> None:
        output = self.log(node, "output")
        self._running[node] = self._java_child(node, output, "kafka.Kafka", self._properties(node))

    def _java_child(self, node: int, output: Path, *words: str | Path) -> Child:
        command = [
            self._java,
            *broker_settings.JAVA_OPTIONS,
            f"-XX:ErrorFile={output}",
            f"-Dlog4j2.configurationFile={LOG_SETTINGS}",
            f"-Dgroupscale.log={self.log(node)}",
            *("-cp", f"{self._jars}/*"),
            *words,
        ]
        return child_processes.start(command, f"node {node}", output)

    def _wait(self, node: int, known: set[int], until: float) -> None:
        """Wait until a node answers and knows some others, or to a moment of the monotonic clock."""
        child = self._running[node]
        client = admin_client.connect(self._address(node))

        def answers() -> bool:
            view = admin_client.look(client, 1.0)
            return view is not None and known <= view.brokers

        seconds = until - time.monotonic()
        if not admin_client.waited_for(lambda: child.status() is not None or answers(), seconds):
            raise BrokerFailed(f"node {node} does not answer in time{self._why(node)}")
        if child.status() is not None:
            raise BrokerFailed(f"node {node} did not start{self._why(node)}")

    def _why(self, node: int) -> str:
        """The last useful line of a node's logs, and the log's name, as the end of a message."""
        for log in (self.log(node), self.log(node, "output")):
            line = child_processes.last_cause(log)
            if line:
                return f": {line} (log: {log})"
        status = self._running[node].status()
        return f" (log: {self.log(node)})" if status is None else f": exit status {status}"
