"""Kafka's assignors: JARs that tests fetch with Ivy when they need them, checked by hash.

Two versions of the group coordinator are needed, so `live.kafka.ivy_jars` fetches them.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from live.kafka import ivy_jars, pinned_jars
from live.kafka.ivy_jars import Ivy
from tools.console import SetupError, step
from tools.layout import Layout

LOCK = "kafka-jars.txt"


class NotDownloaded(SetupError):
    """The JARs are not there, and the network or the repository does not deliver them."""


def ensure(layout: Layout, java_home: Path, env: Mapping[str, str]) -> Path:
    """Return the folder of the JARs; fetch them unless they are there.

    java_home: Home of the Java that runs Ivy.
    Raises NotDownloaded if they cannot be fetched.
    Raises SetupError if the hash of one differs.
    """
    lock, folder = layout.requirements / LOCK, layout.cache / "kafka-jars"
    if pinned_jars.is_complete(folder, pinned_jars.pinned(lock)):
        return folder
    program = next((layout.spark / "jars").glob("ivy-*.jar"), None)
    if program is None:
        raise SetupError("PySpark's Ivy is not installed; run make setup")
    ivy = Ivy(java_home / "bin" / "java", program, layout.logs / "kafka-jars.log", env)
    with step("Kafka's assignors (12 MB)"):
        try:
            ivy_jars.fetch(ivy, lock, folder, "Kafka's JARs")
        except ivy_jars.NotDownloaded as error:
            raise NotDownloaded(str(error)) from error
        except pinned_jars.WrongJar as error:
            raise SetupError(str(error)) from error
    return folder
