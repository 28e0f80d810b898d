"""Kafka's JARs and the Java that runs them.

``GROUPSCALE_BROKER_JARS``
    Folder of the JARs of Kafka 4.0 or later, instead of the pinned ones, which are fetched into the
    cache when they are first needed.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import threading
from contextlib import suppress
from pathlib import Path

from live.kafka import ivy_jars, pinned_jars
from live.kafka.ivy_jars import Ivy
from pipeline.base import paths, progress
from pipeline.base.errors import InputError

VARIABLE = "GROUPSCALE_BROKER_JARS"
LOCK = Path(__file__).resolve().parents[2] / "requirements" / "broker-jars.txt"
MIN_JAVA = 17
"""Oldest Java that runs brokers of Kafka 4, and Pulsar."""

_FETCHING = threading.Lock()

_VERSION = re.compile(r"java\.specification\.version = (?:1\.)?(\d+)")


def ensure_ahead(java: Path) -> None:
    """Start `ensure` in the background.

    Calls of `ensure` wait for it and report its errors. A process that ends breaks it off.
    """

    def fetch() -> None:
        with suppress(InputError):
            ensure(java)

    threading.Thread(target=fetch, name="broker-jars").start()


def ensure(java: Path) -> Path:
    """Folder of the brokers' JARs; fetches them unless they are there.

    Raises InputError if they are missing and cannot be fetched, or one differs from its pin.
    """
    own_folder = os.environ.get(VARIABLE)
    if own_folder:
        return _given(Path(own_folder))
    if not LOCK.is_file():
        raise InputError(
            f"no Kafka JARs: {LOCK} does not exist; work in a checkout of the repository, or set "
            f"{VARIABLE} to the folder of the JARs of Kafka 4.0 or later"
        )
    folder = paths.home() / ".cache" / "broker-jars"
    with _FETCHING:
        if not pinned_jars.is_complete(folder, pinned_jars.pinned(LOCK)):
            progress.note("fetching Kafka's JARs (44 MB)")
            ivy = Ivy(java, ivy_program(), paths.logs() / "broker-jars.log")
            ivy_jars.fetch(ivy, LOCK, folder, "Kafka's JARs")
    return folder


def java_program(server: str = "Kafka") -> Path:
    """The Java of ``JAVA_HOME``, of set-up or of the PATH, the first of them that there is.

    server: What it is for, in messages.
    Raises InputError if there is none, or it is older than `MIN_JAVA`.
    """
    home = os.environ.get("JAVA_HOME")
    brought = paths.home() / ".cache" / "java"
    on_path = shutil.which("java")
    if home:
        program = Path(home) / "bin" / "java"
    elif brought.exists() or not on_path:
        program = brought / "bin" / "java"
    else:
        program = Path(on_path)
    version = _java_version(program)
    remedy = f"run `make setup`, or set JAVA_HOME to a Java {MIN_JAVA} or later"
    if version is None:
        raise InputError(f"{server} needs Java, and {program} does not run; {remedy}")
    if version < MIN_JAVA:
        raise InputError(
            f"{server} needs Java {MIN_JAVA} or later (got {version}: {program}); {remedy}"
        )
    return program


def _given(folder: Path) -> Path:
    if not any(folder.glob("kafka_*.jar")):
        raise InputError(
            f"`{VARIABLE}` must be a folder with the JARs of Kafka 4.0 or later (no kafka_*.jar in "
            f"{folder})"
        )
    return folder.absolute()


def _java_version(program: Path) -> int | None:
    """Major version of a Java, None if it does not run."""
    command = [str(program), "-XshowSettings:properties", "-version"]
    try:
        output = subprocess.run(command, capture_output=True, text=True, timeout=60).stderr
    except (OSError, subprocess.TimeoutExpired):
        return None
    version = _VERSION.search(output)
    return int(version[1]) if version else None


def ivy_program() -> Path:
    """Ivy's JAR, in the installed PySpark, which is not imported."""
    package = importlib.util.find_spec("pyspark")
    places = package.submodule_search_locations if package is not None else None
    jars = [file for place in places or () for file in Path(place, "jars").glob("ivy-*.jar")]
    if not jars:
        raise InputError("PySpark's Ivy, which fetches JARs, is missing; run `make setup`")
    return jars[0]
