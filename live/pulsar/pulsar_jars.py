"""Pulsar's JARs, and our classes for them.

They are fetched into the cache when a run first needs them, never by set-up. Our classes are
compiled then, with the compiler of the same Java.
"""

from __future__ import annotations

import hashlib
import shutil
import threading
from pathlib import Path
from typing import NamedTuple

from live.kafka import broker_jars, ivy_jars, java_classes, pinned_jars
from live.kafka.ivy_jars import Ivy
from live.kafka.pinned_jars import Jar, WrongJar
from pipeline.base import paths, progress
from pipeline.base.errors import InputError

LOCK = Path(__file__).resolve().parents[2] / "requirements" / "pulsar-jars.txt"
SOURCES = Path(__file__).with_name("java") / "groupscale"
FUNCTION, IMAGE_RESIZER, SAME_INSTANCE, EXTEND_WORKER = (
    SOURCES / f"{name}.java"
    for name in ("HoldingFunction", "ImageResizer", "SameInstance", "ExtendWorker")
)
_COMPILED_WITH = ("pulsar-functions-", "pulsar-client-", "protobuf-java-", "javassist-")
"""Beginnings of the names of JARs that our classes name: reading all 304 takes long."""

PURPOSE = "Pulsar's functions"
"""What is compiled, in messages."""

_PREPARING = threading.Lock()


class PulsarFiles(NamedTuple):
    """What a Pulsar of a run's own is started from."""

    java: Path
    """The program that runs it."""
    jars: Path
    """Folder of its JARs."""
    function: Path
    """JAR of our function."""
    extension: Path
    """Folder of classes that take the place of the worker's own, for the extended executor."""


def ensure() -> PulsarFiles:
    """Pulsar's JARs and our classes; fetches and compiles what is not there.

    Raises InputError if there is no Java 17 with a compiler, or the JARs cannot be fetched, or one
    differs from its pin.
    """
    java = broker_jars.java_program("Pulsar")
    compiler = java_classes.compiler_of(java, PURPOSE)
    with _PREPARING:
        jars = _jars(java)
        made = _classes(java, compiler, jars)
    return PulsarFiles(java, jars, made / "function.jar", made / "extension")


def check() -> None:
    """Check what is there before a run begins; fetches and compiles nothing.

    Raises InputError if there is no Java 17 with a compiler, or a JAR differs from its pin.
    """
    java_classes.compiler_of(broker_jars.java_program("Pulsar"), PURPOSE)
    _check_bytes(_folder())


def _pins() -> list[Jar]:
    if not LOCK.is_file():
        raise InputError(f"no Pulsar JARs: {LOCK} does not exist; work in a checkout")
    return pinned_jars.pinned(LOCK)


def _jars(java: Path) -> Path:
    folder = _folder()
    if not pinned_jars.is_complete(folder, _pins()):
        progress.note("fetching Pulsar's JARs (229 MB)")
        ivy = Ivy(java, broker_jars.ivy_program(), paths.logs() / "pulsar-jars.log")
        ivy_jars.fetch(ivy, LOCK, folder, "Pulsar's JARs")
    _check_bytes(folder)
    return folder


def _folder() -> Path:
    return paths.home() / ".cache" / "pulsar-jars"


def _check_bytes(folder: Path) -> None:
    """Check JARs that are there: they may have changed since they were fetched. Takes a second."""
    for jar in _pins():
        file = folder / jar.file_name
        if not file.is_file():
            continue
        digest = hashlib.sha256(file.read_bytes()).hexdigest()
        if digest != jar.sha256:
            raise WrongJar(
                f"{file} must have the sha256 {jar.sha256} of requirements/{LOCK.name} (got "
                f"{digest}); delete this file, and the next run fetches Pulsar's JARs again"
            )


def _classes(java: Path, compiler: Path, jars: Path) -> Path:
    """Folder of our compiled classes."""
    sources = (LOCK, FUNCTION, IMAGE_RESIZER, SAME_INSTANCE, EXTEND_WORKER)
    return java_classes.compiled(
        "pulsar-classes", sources, lambda work: _compile_all(java, compiler, jars, work)
    )


def _compile_all(java: Path, compiler: Path, jars: Path, work: Path) -> None:
    """Make ``function.jar``, and the worker's class with our comparison in ``extension``."""
    extension = work / "extension"
    named = ":".join(map(str, sorted(_named(jars))))
    options = (compiler, "--release", java_classes.RELEASE, "-nowarn", "-cp", named)
    java_classes.run(PURPOSE, *options, "-d", work / "function", FUNCTION, IMAGE_RESIZER)
    shutil.make_archive(str(work / "function"), "zip", work / "function")
    (work / "function.zip").rename(work / "function.jar")
    java_classes.run(PURPOSE, *options, "-d", extension, SAME_INSTANCE, EXTEND_WORKER)
    words = (java, "-cp", f"{extension}:{jars}/*", "groupscale.ExtendWorker", extension)
    java_classes.run(PURPOSE, *words)


def _named(jars: Path) -> list[Path]:
    return [jar for jar in jars.glob("*.jar") if jar.name.startswith(_COMPILED_WITH)]
