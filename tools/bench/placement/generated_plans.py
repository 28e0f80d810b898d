"""Plans of Kafka's own ``kafka-reassign-partitions --generate``, by its classes in a JVM."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from algorithms.placement import BrokerLists
from live.kafka import broker_jars
from tools.console import SetupError
from tools.layout import Layout
from tools.setup import java, kafka_jars

PROGRAM = Path(__file__).with_name("Generate.java")


class NoCompiler(SetupError):
    """The machine has no Java that can compile the program."""


class GeneratedPlans:
    """Asks the program for plans. Kafka draws them at random, and offers no seed."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def plan(
        self, partitions: Sequence[tuple[str, int]], before: BrokerLists, brokers: Sequence[int]
    ) -> BrokerLists:
        """Brokers of each partition, named by topic and number, after a plan."""
        cells = [
            f"{topic}:{number}:{_joined(row)}"
            for (topic, number), row in zip(partitions, before, strict=True)
        ]
        assert self._process.stdin is not None  # both are pipes
        assert self._process.stdout is not None
        self._process.stdin.write(f"{' '.join([_joined(brokers), *cells])}\n")
        self._process.stdin.flush()
        rows = self._process.stdout.readline().strip().rstrip(";").split(";")
        return tuple(tuple(int(word) for word in row.split(",")) for row in rows)


@contextmanager
def started(layout: Layout) -> Iterator[GeneratedPlans]:
    """Run the program.

    Raises NoCompiler without a JDK.
    Raises SetupError or InputError if JARs cannot be fetched, or differ from their pins.
    """
    home = java.find()
    if home is None or not (home / "bin" / "javac").exists():
        raise NoCompiler("Kafka's own plans need a JDK 17 or 21: none found")
    path = class_path(layout, home)
    command = [str(home / "bin" / "java"), "-Xmx256m", "-cp", path, str(PROGRAM)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            yield GeneratedPlans(process)
        finally:
            process.terminate()


def class_path(layout: Layout, home: Path) -> str:
    """Class path of Kafka's tools; fetches their JARs unless they are there."""
    folders = (
        kafka_jars.ensure(layout, home, dict(os.environ), kafka_jars.TOOLS),
        broker_jars.ensure(home / "bin" / "java"),
    )
    return os.pathsep.join(f"{folder}/*" for folder in folders)


def _joined(numbers: Sequence[int]) -> str:
    return ",".join(map(str, numbers))
