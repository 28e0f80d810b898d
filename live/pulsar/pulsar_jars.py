"""Pulsar's JARs, and our classes for them.

They are fetched into the cache when a run first needs them, never by set-up. Our classes are
compiled then, with the compiler of the same Java.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import tempfile
import threading
from pathlib import Path
from typing import NamedTuple

from live.kafka import broker_jars, ivy_jars, pinned_jars
from live.kafka.ivy_jars import Ivy
from live.kafka.pinned_jars import WrongJar
from pipeline.base import paths, progress
from pipeline.base.errors import InputError
from pipeline.base.text.failure_cause import cause

LOCK = Path(__file__).resolve().parents[2] / "requirements" / "pulsar-jars.txt"
SOURCES = Path(__file__).with_name("java") / "groupscale"
FUNCTION, SAME_INSTANCE, EXTEND_WORKER = (
    SOURCES / f"{name}.java" for name in ("HoldingFunction", "SameInstance", "ExtendWorker")
)
RELEASE = "17"
"""Java that our classes are compiled for: the oldest one that runs Pulsar."""

_COMPILED_WITH = ("pulsar-functions-", "pulsar-client-", "protobuf-java-", "javassist-")
"""Beginnings of the names of JARs that our classes name: reading all 304 takes long."""

_SECONDS = 600.0
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
    compiler = compiler_of(java)
    with _PREPARING:
        jars = _jars(java)
        made = _classes(java, compiler, jars)
    return PulsarFiles(java, jars, made / "function.jar", made / "extension")


def check() -> None:
    """Check what is there before a run begins; fetches and compiles nothing.

    Raises InputError if there is no Java 17 with a compiler, or a JAR differs from its pin.
    """
    compiler_of(broker_jars.java_program("Pulsar"))
    _check_bytes(_folder())


def compiler_of(java: Path) -> Path:
    """The ``javac`` of a Java, else of the PATH. Raises InputError without one."""
    beside = java.resolve().parent / "javac"
    on_path = shutil.which("javac")
    if beside.is_file():
        return beside
    if on_path is None:
        raise InputError(
            f"Pulsar's functions need the compiler of a Java {RELEASE} or later (no javac next to "
            f"{java}, and none on the PATH); install a JDK, or set JAVA_HOME to one"
        )
    return Path(on_path)


def _jars(java: Path) -> Path:
    if not LOCK.is_file():
        raise InputError(f"no Pulsar JARs: {LOCK} does not exist; work in a checkout")
    folder = _folder()
    if not pinned_jars.is_complete(folder, pinned_jars.pinned(LOCK)):
        progress.note("fetching Pulsar's JARs (229 MB)")
        ivy = Ivy(java, broker_jars.ivy_program(), paths.logs() / "pulsar-jars.log")
        ivy_jars.fetch(ivy, LOCK, folder, "Pulsar's JARs")
    _check_bytes(folder)
    return folder


def _folder() -> Path:
    return paths.home() / ".cache" / "pulsar-jars"


def _check_bytes(folder: Path) -> None:
    """Check JARs that are there: they may have changed since they were fetched. Takes a second."""
    for jar in pinned_jars.pinned(LOCK):
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
    """Folder of our compiled classes, named by all that they depend on; it appears in one step."""
    digest = hashlib.sha256(LOCK.read_bytes())
    for source in (FUNCTION, SAME_INSTANCE, EXTEND_WORKER):
        digest.update(source.read_bytes())
    folder = paths.home() / ".cache" / "pulsar-classes" / digest.hexdigest()[:16]
    if folder.exists():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="javac-", dir=folder.parent) as name:
        work = Path(name) / "made"
        work.mkdir()
        _compile_all(java, compiler, jars, work)
        try:
            work.rename(folder)
        except OSError:
            if not folder.exists():  # Another process has compiled the same classes meanwhile.
                raise
    return folder


def _compile_all(java: Path, compiler: Path, jars: Path, work: Path) -> None:
    """Make ``function.jar``, and the worker's class with our comparison in ``extension``."""
    extension = work / "extension"
    named = ":".join(map(str, sorted(_named(jars))))
    options = (compiler, "--release", RELEASE, "-nowarn", "-cp", named)
    _run(*options, "-d", work / "function", FUNCTION)
    shutil.make_archive(str(work / "function"), "zip", work / "function")
    (work / "function.zip").rename(work / "function.jar")
    _run(*options, "-d", extension, SAME_INSTANCE, EXTEND_WORKER)
    _run(java, "-cp", f"{extension}:{jars}/*", "groupscale.ExtendWorker", extension)


def _named(jars: Path) -> list[Path]:
    return [jar for jar in jars.glob("*.jar") if jar.name.startswith(_COMPILED_WITH)]


def _run(*words: str | Path) -> None:
    """Run a program of the JDK. Raises InputError with the line that says why it failed."""
    try:
        done = subprocess.run(
            list(map(str, words)), capture_output=True, text=True, timeout=_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise InputError(f"cannot compile Pulsar's functions: {error}") from error
    if done.returncode != 0:
        reason = cause(done.stdout + done.stderr) or f"exit status {done.returncode}"
        raise InputError(f"cannot compile Pulsar's functions with {words[0]}: {reason}")
