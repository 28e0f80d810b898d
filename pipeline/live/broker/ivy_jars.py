"""JARs that are pinned by SHA-256, and fetched with the Ivy that PySpark brings.

Set-up uses this module as well, before any package is installed: it needs the standard library
alone. `spark-submit`, the other way to fetch JARs, takes one version of a package at most and
leaves out Scala, which Kafka needs.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import quoteattr

from pipeline.errors import InputError
from pipeline.text.failure_cause import cause

LIMIT_SECONDS = 1800.0
"""Timeout of a download."""

# A host that does not answer must not stall the caller.
TIMEOUTS = (
    "-Dsun.net.client.defaultConnectTimeout=15000",
    "-Dsun.net.client.defaultReadTimeout=60000",
)

REMEDY = (
    "check the network, and set a proxy or a private certificate authority in JAVA_TOOL_OPTIONS"
)

MODULE = """\
<ivy-module version="2.0">
  <info organisation="groupscale" module="jars"/>
  <configurations><conf name="default"/></configurations>
  <dependencies>
{dependencies}
    <conflict org="*" module="*" matcher="glob" manager="all"/>
  </dependencies>
</ivy-module>
"""


class NotDownloaded(InputError):
    """The JARs are not there, and the network or the repository does not deliver them."""


class WrongJar(InputError):
    """A JAR was not delivered, or its bytes are not the pinned ones."""


@dataclass(frozen=True)
class Jar:
    """A JAR by its Maven coordinates and the SHA-256 of its bytes."""

    coordinates: str
    sha256: str

    @property
    def file_name(self) -> str:
        """Artifact and version, as in ``delta-storage-4.4.0.jar``."""
        _, artifact, version = self.coordinates.split(":")
        return f"{artifact}-{version}.jar"


@dataclass(frozen=True)
class Ivy:
    """How Ivy is called.

    Attributes
    ----------
    java
        The program that runs it.
    program
        Ivy's own JAR.
    log
        File to which its output is appended.
    env
        Environment variables; None for those of this process.
    """

    java: Path
    program: Path
    log: Path
    env: Mapping[str, str] | None = None


def pinned(lock: Path) -> list[Jar]:
    """Read a list of JARs: coordinates and hash on each line, comments begin with ``#``."""
    lines = lock.read_text(encoding="utf-8").splitlines()
    fields = [line.split() for line in lines if line.strip() and not line.startswith("#")]
    return [Jar(coordinates, digest.removeprefix("sha256:")) for coordinates, digest in fields]


def is_complete(folder: Path, pins: Sequence[Jar]) -> bool:
    """Whether a folder holds exactly these JARs; they were checked before they came there."""
    return {file.name for file in folder.glob("*")} == {jar.file_name for jar in pins}


def fetch(ivy: Ivy, lock: Path, folder: Path, title: str) -> None:
    """Download the JARs of a lock file; the folder appears in one step, or not at all.

    Parameters
    ----------
    folder
        Folder to put in place; an old one is replaced.
    title
        What messages call the JARs, such as ``Kafka's JARs``.

    Raises
    ------
    NotDownloaded
        If Ivy cannot download them.
    WrongJar
        If one is missing or its hash differs.
    """
    pins = pinned(lock)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="ivy-", dir=folder.parent) as name:
        work = Path(name)
        _download(ivy, pins, work, title)
        put(pins, work / "jars", folder, lock.name)


def put(pins: Sequence[Jar], source: Path, folder: Path, lock: str) -> None:
    """Check downloaded JARs and put them in place, all in one step.

    Parameters
    ----------
    source
        Where they are now, with the organisation before their names; emptied.
    folder
        Where they go; replaced.
    lock
        Name of the lock file, for messages.

    Raises
    ------
    WrongJar
        If one is missing or its hash differs.
    """
    checked = source.with_name("checked")
    checked.mkdir()
    for jar in pins:
        _take(jar, source, checked, lock)
    shutil.rmtree(folder, ignore_errors=True)
    try:
        checked.rename(folder)
    except OSError:
        # Another process has put the same JARs in place meanwhile.
        if not is_complete(folder, pins):
            raise


def _take(jar: Jar, source: Path, target: Path, lock: str) -> None:
    """Move a downloaded JAR to another folder, if its hash is the one of the lock."""
    group, _, _ = jar.coordinates.split(":")
    file = source / f"{group}_{jar.file_name}"
    if not file.exists():
        raise WrongJar(f"the resolver did not download {jar.coordinates}; see .state/logs")
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    if digest != jar.sha256:
        raise WrongJar(
            f"{jar.coordinates} must have the sha256 {jar.sha256} of requirements/{lock} "
            f"(got {digest}); do not use the file of your Maven mirror"
        )
    file.rename(target / jar.file_name)


def _download(ivy: Ivy, pins: Sequence[Jar], work: Path, title: str) -> None:
    module = work / "ivy.xml"
    module.write_text(MODULE.format(dependencies="\n".join(map(_dependency, pins))))
    command = [
        *(str(ivy.java), *TIMEOUTS, f"-Divy.default.ivy.user.dir={work}"),
        *("-jar", str(ivy.program), "-ivy", str(module), "-cache", str(work / "cache")),
        *("-retrieve", str(work / "jars" / "[organisation]_[artifact]-[revision].[ext]")),
        # Libraries with native code are bundles.
        *("-types", "jar", "bundle"),
    ]
    problem = _run(command, ivy, work)
    if problem is not None:
        raise NotDownloaded(f"cannot download {title}: {problem} (log: {ivy.log}); {REMEDY}")


def _run(command: Sequence[str], ivy: Ivy, work: Path) -> str | None:
    """Run Ivy; return the line that says why it failed, None if it succeeded."""
    ivy.log.parent.mkdir(parents=True, exist_ok=True)
    output = work / "output"
    try:
        with output.open("wb") as file:
            status = subprocess.run(
                command,
                env=ivy.env,
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=file,
                timeout=LIMIT_SECONDS,
            ).returncode
    except subprocess.TimeoutExpired:
        return f"not finished after {LIMIT_SECONDS:.0f} s"
    except OSError as error:
        return str(error)
    text = output.read_text(encoding="utf-8", errors="replace")
    with ivy.log.open("a", encoding="utf-8") as log:
        log.write(f"$ {' '.join(command)}\n{text}")
    return (cause(text) or f"exit status {status}") if status != 0 else None


def _dependency(jar: Jar) -> str:
    values = dict(zip(("org", "name", "rev"), jar.coordinates.split(":"), strict=True))
    pin = " ".join(f"{key}={quoteattr(value)}" for key, value in values.items())
    return f'    <dependency {pin} conf="default->master" transitive="false"/>'
