"""JARs that are pinned by SHA-256, of Kafka and of Delta Lake.

Set-up uses this module before any package is installed: it needs the standard library alone.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pipeline.base.errors import InputError


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


def pinned(lock: Path) -> list[Jar]:
    """Read a list of JARs: coordinates and hash on each line, comments begin with ``#``."""
    lines = lock.read_text(encoding="utf-8").splitlines()
    fields = [line.split() for line in lines if line.strip() and not line.startswith("#")]
    return [Jar(coordinates, digest.removeprefix("sha256:")) for coordinates, digest in fields]


def is_complete(folder: Path, pins: Sequence[Jar]) -> bool:
    """Whether a folder holds exactly these JARs; they were checked before they came there."""
    return {file.name for file in folder.glob("*")} == {jar.file_name for jar in pins}


def put(pins: Sequence[Jar], source: Path, folder: Path, lock: str) -> None:
    """Check downloaded JARs and put them in place, all in one step.

    source: Where they are now, with the organisation before their names; emptied.
    folder: Where they go; replaced.
    lock: Name of the lock file, for messages.
    Raises WrongJar if one is missing or its hash differs.
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
