"""Kafka's assignors and tools: JARs fetched with Ivy when tests need them, checked by hash.

Two versions of the group coordinator are needed, so `live.kafka.ivy_jars` fetches them.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from live.kafka import ivy_jars, pinned_jars
from live.kafka.ivy_jars import Ivy
from tools.console import SetupError, step
from tools.layout import Layout


class JarSet(NamedTuple):
    """JARs of one purpose."""

    name: str
    """Of their folder in the cache."""
    title: str
    """What progress calls them."""

    @property
    def lock(self) -> str:
        """File in ``requirements`` that pins them."""
        return f"{self.name}.txt"


ASSIGNORS = JarSet("kafka-jars", "Kafka's assignors (12 MB)")
TOOLS = JarSet("kafka-tools-jars", "Kafka's tools (1 MB)")
"""They need the brokers' JARs as well."""


class NotDownloaded(SetupError):
    """The JARs are not there, and the network or the repository does not deliver them."""


def ensure(
    layout: Layout, java_home: Path, env: Mapping[str, str], jars: JarSet = ASSIGNORS
) -> Path:
    """Return the folder of the JARs; fetch them unless they are there.

    java_home: Home of the Java that runs Ivy.
    Raises NotDownloaded if they cannot be fetched.
    Raises SetupError if the hash of one differs.
    """
    lock, folder = layout.requirements / jars.lock, layout.cache / jars.name
    if pinned_jars.is_complete(folder, pinned_jars.pinned(lock)):
        return folder
    program = next((layout.spark / "jars").glob("ivy-*.jar"), None)
    if program is None:
        raise SetupError("PySpark's Ivy is not installed; run make setup")
    ivy = Ivy(java_home / "bin" / "java", program, layout.logs / f"{jars.name}.log", env)
    with step(jars.title):
        try:
            ivy_jars.fetch(ivy, lock, folder, "Kafka's JARs")
        except ivy_jars.NotDownloaded as error:
            raise NotDownloaded(str(error)) from error
        except pinned_jars.WrongJar as error:
            raise SetupError(str(error)) from error
    return folder
