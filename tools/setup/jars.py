"""Delta Lake's JARs, fetched once by Spark's own resolver and checked against known hashes."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tools.console import CommandFailed, SetupError, logged, step, words
from tools.layout import Layout

LOCK = "jars.txt"

# Only needed for features not used here (Unity Catalog), or already part of Spark.
EXCLUDED = "io.unitycatalog:*,io.delta:delta-kernel*,org.*:*,com.*:*,jakarta*:*"


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


def pinned(layout: Layout, lock: str = LOCK) -> list[Jar]:
    """Read a list of JARs in ``requirements/``: coordinates and hash on each line."""
    lines = (layout.requirements / lock).read_text().splitlines()
    fields = [line.split() for line in lines if line.strip() and not line.startswith("#")]
    return [Jar(coordinates, digest.removeprefix("sha256:")) for coordinates, digest in fields]


def is_ready(layout: Layout) -> bool:
    """Whether exactly the pinned JARs are there; they were checked before they were moved there."""
    return {file.name for file in layout.jars.glob("*")} == {j.file_name for j in pinned(layout)}


def ensure(layout: Layout, env: Mapping[str, str]) -> None:
    """Fetch the JARs unless they are there; all of them appear in one step.

    Raises
    ------
    SetupError
        If they cannot be fetched, or their hashes differ.
    """
    if is_ready(layout):
        return
    layout.cache.mkdir(exist_ok=True)
    with (
        step("Delta Lake's JARs"),
        tempfile.TemporaryDirectory(prefix="ivy-", dir=layout.cache) as name,
    ):
        work = Path(name)
        _resolve(layout, env, work)
        checked = work / "checked"
        checked.mkdir()
        for jar in pinned(layout):
            take(jar, work / "jars", checked, LOCK)
        shutil.rmtree(layout.jars, ignore_errors=True)
        checked.rename(layout.jars)


def _resolve(layout: Layout, env: Mapping[str, str], work: Path) -> None:
    """Resolve the packages with `spark-submit`, for a program that does nothing."""
    program = work / "nothing.py"
    program.touch()
    command = words(
        layout.venv / "bin" / "spark-submit",
        *("--packages", ",".join(jar.coordinates for jar in pinned(layout))),
        *("--exclude-packages", EXCLUDED),
        *("--conf", f"spark.jars.ivy={work}"),
        program,
    )
    try:
        logged(command, env, layout.root, layout.logs / "setup.log")
    except CommandFailed as error:
        raise SetupError(
            f"cannot download Delta Lake's JARs: {error}; check the network, and set a proxy or a "
            "private certificate authority in JAVA_TOOL_OPTIONS"
        ) from error


def take(jar: Jar, source: Path, target: Path, lock: str) -> None:
    """Move a downloaded JAR to another folder, if its hash is the one of the lock.

    Raises
    ------
    SetupError
        If it was not downloaded, or its hash differs.
    """
    group, _, _ = jar.coordinates.split(":")
    found = source / f"{group}_{jar.file_name}"
    if not found.exists():
        raise SetupError(f"the resolver did not download {jar.coordinates}; see .state/logs")
    digest = hashlib.sha256(found.read_bytes()).hexdigest()
    if digest != jar.sha256:
        raise SetupError(
            f"{jar.coordinates} must have the sha256 {jar.sha256} of requirements/{lock} "
            f"(got {digest}); do not use the file of your Maven mirror"
        )
    found.rename(target / jar.file_name)
