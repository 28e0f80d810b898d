"""Runs Kafka's own assignors on histories of groups, in a JVM."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from tools.layout import here
from tools.setup import java, kafka_jars

DRIVER = Path(__file__).with_name("Assignors.java")
SECONDS = 300.0

CLASSIC = ("range", "roundrobin", "sticky", "cooperative_sticky")
COORDINATED = ("kip848_range", "kip848_uniform")
OLD = ("kip848_uniform_4_0",)
VERSIONS = {name: "4.1.2" for name in (*CLASSIC, *COORDINATED)} | {name: "4.0.0" for name in OLD}
"""Version of Kafka by assignor; see requirements/kafka-jars.txt."""

Rounds = list[list[int]]
"""Owners after each round of one rebalance, -1 = withheld."""


class History(Protocol):
    """What the driver reads of a history."""

    @property
    def assignor(self) -> str:
        """Name of the assignor."""

    @property
    def sizes(self) -> Sequence[int]:
        """Partitions of each topic."""

    @property
    def owners(self) -> Sequence[int]:
        """Owners before the first rebalance, by topic and partition."""

    @property
    def reading(self) -> Sequence[Mapping[int, Sequence[int]]]:
        """Members of each generation with the topics that they read, by position."""


class NoCompiler(Exception):
    """The machine has no Java that can compile the driver."""


def answers(histories: Sequence[History]) -> list[list[Rounds]]:
    """Kafka's rounds of each rebalance of each history.

    Raises
    ------
    NoCompiler
        If no Java 17 or 21 with a compiler is found.
    tools.setup.kafka_jars.NotDownloaded
        If Kafka's JARs cannot be fetched.
    """
    home = java.find()
    if home is None or not (home / "bin" / "javac").exists():
        raise NoCompiler("Kafka's assignors need a JDK 17 or 21: none found")
    folder = kafka_jars.ensure(here(), home, dict(os.environ))
    by_version: dict[str, list[int]] = {}
    for i, history in enumerate(histories):
        by_version.setdefault(VERSIONS[history.assignor], []).append(i)
    result: list[list[Rounds]] = [[] for _ in histories]
    for version, places in by_version.items():
        jars = class_path(folder, version)
        asked = [histories[i] for i in places]
        for i, rounds in zip(places, _run(home, jars, asked), strict=True):
            result[i] = rounds
    return result


def class_path(folder: Path, version: str) -> list[Path]:
    """JARs of one version of Kafka, then those of which there is one version only."""
    files = sorted(folder.glob("*.jar"))
    of_version = [file for file in files if file.stem.endswith(f"-{version}")]
    artifacts = {_artifact(file) for file in of_version}
    return of_version + [file for file in files if _artifact(file) not in artifacts]


def _artifact(file: Path) -> str:
    return file.stem.rpartition("-")[0]


def _run(home: Path, jars: Sequence[Path], histories: Sequence[History]) -> list[list[Rounds]]:
    lines = []
    for history in histories:
        owners = map(str, history.owners)
        lines.append(" ".join(["history", history.assignor, _listed(history.sizes), *owners]))
        for reading in history.reading:
            members = [f"{member}:{_listed(topics)}" for member, topics in reading.items()]
            lines.append(" ".join(["members", *members]))
    path = os.pathsep.join(map(str, jars))
    command = [str(home / "bin" / "java"), "-Xmx256m", "-cp", path, str(DRIVER)]
    text = "\n".join(lines) + "\n"
    done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=SECONDS)
    assert done.returncode == 0, done.stderr
    output = iter(done.stdout.splitlines())
    result = [[_rounds(next(output)) for _ in history.reading] for history in histories]
    assert next(output, None) is None
    return result


def _listed(numbers: Sequence[int]) -> str:
    return ",".join(map(str, numbers))


def _rounds(line: str) -> Rounds:
    return [[int(owner) for owner in part.split(" ")] for part in line.split("|")]
