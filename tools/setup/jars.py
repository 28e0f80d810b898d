"""Delta Lake's JARs, fetched once by Spark's own resolver and checked against known hashes."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path

from live.kafka import pinned_jars
from live.kafka.ivy_jars import REMEDY
from live.kafka.pinned_jars import Jar, WrongJar
from tools.console import CommandFailed, SetupError, logged, step, words
from tools.layout import Layout

LOCK = "jars.txt"
BROKER = "broker-jars.txt"
"""JARs of the brokers of live runs, which fetch them when they first need them."""

# Only needed for features not used here (Unity Catalog), or already part of Spark.
EXCLUDED = "io.unitycatalog:*,io.delta:delta-kernel*,org.*:*,com.*:*,jakarta*:*"


def pinned(layout: Layout, lock: str = LOCK) -> list[Jar]:
    """Read a list of JARs in ``requirements/``: coordinates and hash on each line."""
    return pinned_jars.pinned(layout.requirements / lock)


def is_ready(layout: Layout) -> bool:
    """Whether exactly the pinned JARs are there; they were checked before they were moved there."""
    return pinned_jars.is_complete(layout.jars, pinned(layout))


def ensure(layout: Layout, env: Mapping[str, str]) -> None:
    """Fetch missing JARs, all in one step. Raises SetupError if it fails, or hashes differ."""
    if is_ready(layout):
        return
    layout.cache.mkdir(exist_ok=True)
    with (
        step("Delta Lake's JARs"),
        tempfile.TemporaryDirectory(prefix="ivy-", dir=layout.cache) as name,
    ):
        work = Path(name)
        _resolve(layout, env, work)
        try:
            pinned_jars.put(pinned(layout), work / "jars", layout.jars, LOCK)
        except WrongJar as error:
            raise SetupError(str(error)) from error


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
        raise SetupError(f"cannot download Delta Lake's JARs: {error}; {REMEDY}") from error
