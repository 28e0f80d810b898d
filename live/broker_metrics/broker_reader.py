"""A Java program that reads the MBeans of running brokers; Python cannot speak their protocol."""

from __future__ import annotations

import secrets
import subprocess
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

from live.broker_metrics.declared_metrics import READS
from live.broker_metrics.scraped_values import BrokerValues, Scrape
from live.kafka import broker_jars, broker_login, java_classes
from live.kafka.reserved_ports import reserved
from live.processes import child_processes
from pipeline.base.errors import InputError, StageError

SOURCE = Path(__file__).with_name("java") / "groupscale" / "BrokerReader.java"
PERIOD_S = 5.0
"""Time between scrapes, as in the paper."""

USER = "groupscale"
PASSWORD_FILE, ACCESS_FILE = "jmx.password", "jmx.access"

_PURPOSE = "brokers' metrics"
_OPTIONS = ("-Xmx64m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData")
_END_S = 5.0


class RunningNode(NamedTuple):
    """A broker whose metrics are read."""

    number: int
    pid: int


def reader_classes(java: Path) -> Path:
    """Folder of the compiled program. Raises InputError without a compiler."""
    compiler = java_classes.compiler_of(java, _PURPOSE)
    options = (compiler, "--release", java_classes.RELEASE, "--add-modules", "jdk.attach")
    return java_classes.compiled(
        "broker-reader",
        [SOURCE],
        lambda work: java_classes.run(_PURPOSE, *options, "-d", work, SOURCE),
    )


class BrokerReader:
    """Scrapes of brokers, by a program that ends with this process. See `reading`."""

    def __init__(self, process: subprocess.Popen[str], log: Path, stack: ExitStack) -> None:
        self._process, self._log, self._stack = process, log, stack

    @property
    def pid(self) -> int:
        """Process id of the program."""
        return self._process.pid

    def add(self, nodes: Sequence[RunningNode]) -> None:
        """Read these brokers too, or under a new process id. Raises InputError without ports."""
        ports = self._stack.enter_context(reserved(len(nodes), "JMX"))
        self._say(broker_orders(nodes, ports))

    def forget(self, numbers: Iterable[int]) -> None:
        """Read these brokers no longer."""
        self._say([f"forget\t{number}" for number in numbers])

    def scrape(self) -> Scrape:
        """The next scrape that begins from now on; waits for it.

        Those that were printed and not asked for are passed over.
        Raises StageError if the program has ended.
        """
        asked_ns = time.monotonic_ns()
        while True:
            lines = list(iter(self._line, "."))
            rows = [line.split("\t") for line in lines]
            if all(int(row[0]) >= asked_ns for row in rows):
                return scrape_of(rows)

    def _line(self) -> str:
        assert self._process.stdout is not None  # a pipe
        line = self._process.stdout.readline()
        if not line.endswith("\n"):
            reason = child_processes.last_cause(self._log) or "no reason in its log"
            raise StageError(f"the reader of metrics has ended: {reason} (log: {self._log})")
        return line.rstrip("\n")

    def _say(self, lines: Iterable[str]) -> None:
        assert self._process.stdin is not None  # a pipe
        self._process.stdin.write("".join(f"{line}\n" for line in lines))
        self._process.stdin.flush()


@contextmanager
def reading(
    nodes: Sequence[RunningNode], folder: Path, period_s: float = PERIOD_S
) -> Iterator[BrokerReader]:
    """Open a JMX port in each broker, and read all of them again and again.

    Ports are on the loopback address, with a password made for this reader, in files for their
    owner alone; they stay open until the brokers end.

    nodes: Brokers of this user that run, with Java 17 or later.
    folder: New folder of the password and the program's log.
    Raises InputError if the folder is in use, or there is no JDK or no port.
    """
    java = broker_jars.java_program("Kafka")
    classes = reader_classes(java)
    password, access = _secrets(folder)
    with ExitStack() as stack:
        ports = stack.enter_context(reserved(len(nodes), "JMX"))
        log = folder / "reader.log"
        command = [
            *map(str, (java, *_OPTIONS, "-cp", classes)),
            *("--add-modules", "jdk.attach", "groupscale.BrokerReader"),
            *(str(password), str(access)),
        ]
        with log.open("wb") as errors:
            process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            )
        stack.callback(_end, process)
        reader = BrokerReader(process, log, stack)
        reader._say([*broker_orders(nodes, ports), *read_orders(period_s)])
        yield reader


def scrape_of(rows: Iterable[Sequence[str]]) -> Scrape:
    """A scrape from the words of its lines: time, broker, and values or why there are none."""
    brokers, failures = dict[int, BrokerValues](), dict[int, str]()
    for at_ns, broker, *values in rows:
        if values[0] == "!":
            failures[int(broker)] = values[1]
        else:
            brokers[int(broker)] = BrokerValues(int(at_ns), tuple(map(float, values)))
    return Scrape(brokers, failures)


def broker_orders(nodes: Iterable[RunningNode], ports: Iterable[int]) -> list[str]:
    """Lines that tell the program which brokers to read."""
    pairs = zip(nodes, ports, strict=True)
    return [f"broker\t{node.number}\t{node.pid}\t{port}" for node, port in pairs]


def read_orders(period_s: float) -> list[str]:
    """Lines that tell the program what to read, and to begin."""
    reads = [f"read\t{read.pattern}\t{read.attribute}" for read in READS]
    return [*reads, f"go\t{round(1000 * period_s)}"]


def _secrets(folder: Path) -> tuple[Path, Path]:
    """Files with the name of the only user, its password, and that it may only read."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    password, access = folder.absolute() / PASSWORD_FILE, folder.absolute() / ACCESS_FILE
    try:
        broker_login.write_private(password, f"{USER} {secrets.token_urlsafe(32)}\n")
        broker_login.write_private(access, f"{USER} readonly\n")
    except FileExistsError as error:
        message = f"{error.filename} exists already; a reader of metrics needs a new folder"
        raise InputError(message) from None
    return password, access


def _end(process: subprocess.Popen[str]) -> None:
    """The program ends with its input; it is killed if it does not."""
    assert process.stdin is not None  # a pipe
    process.stdin.close()
    until = time.monotonic() + _END_S
    try:
        process.wait(until - time.monotonic())
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    assert process.stdout is not None  # a pipe
    process.stdout.close()
