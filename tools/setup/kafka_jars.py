"""Kafka's assignors: JARs that tests fetch with Ivy when they need them, checked by hash.

Two versions of the group coordinator are needed, and `spark-submit`, which fetches Delta's JARs,
takes one version of a package at most. So this calls Ivy itself, which PySpark brings.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from xml.sax.saxutils import quoteattr

from tools.console import CommandFailed, SetupError, logged, step, words
from tools.layout import Layout
from tools.setup import jars

LOCK = "kafka-jars.txt"

# A host that does not answer must not stall the tests.
TIMEOUTS = (
    "-Dsun.net.client.defaultConnectTimeout=15000",
    "-Dsun.net.client.defaultReadTimeout=60000",
)

MODULE = """\
<ivy-module version="2.0">
  <info organisation="groupscale" module="kafka"/>
  <configurations><conf name="default"/></configurations>
  <dependencies>
{dependencies}
    <conflict org="*" module="*" matcher="glob" manager="all"/>
  </dependencies>
</ivy-module>
"""


class NotDownloaded(SetupError):
    """The JARs are not there, and the network or the repository does not deliver them."""


def ensure(layout: Layout, java_home: Path, env: Mapping[str, str]) -> Path:
    """Return the folder of the JARs; fetch them unless they are there.

    Parameters
    ----------
    layout : Layout
        The repository.
    java_home : Path
        Home of the Java that runs Ivy.
    env : mapping of str to str
        Environment variables for it.

    Raises
    ------
    NotDownloaded
        If they cannot be fetched.
    SetupError
        If the hash of one differs.
    """
    pins = jars.pinned(layout, LOCK)
    folder = layout.cache / "kafka-jars"
    if {file.name for file in folder.glob("*")} == {jar.file_name for jar in pins}:
        return folder
    layout.cache.mkdir(exist_ok=True)
    with (
        step("Kafka's assignors (12 MB)"),
        tempfile.TemporaryDirectory(prefix="ivy-", dir=layout.cache) as name,
    ):
        work = Path(name)
        _fetch(layout, java_home, env, pins, work)
        checked = work / "checked"
        checked.mkdir()
        for jar in pins:
            jars.take(jar, work / "jars", checked, LOCK)
        shutil.rmtree(folder, ignore_errors=True)
        checked.rename(folder)
    return folder


def class_path(folder: Path, version: str) -> list[Path]:
    """JARs of one version of Kafka, then those of which there is one version only."""
    files = sorted(folder.glob("*.jar"))
    of_version = [file for file in files if file.stem.endswith(f"-{version}")]
    known = {_artifact(file) for file in of_version}
    return of_version + [file for file in files if _artifact(file) not in known]


def _artifact(file: Path) -> str:
    return file.stem.rpartition("-")[0]


def _fetch(
    layout: Layout, java_home: Path, env: Mapping[str, str], pins: list[jars.Jar], work: Path
) -> None:
    ivy = next((layout.spark / "jars").glob("ivy-*.jar"), None)
    if ivy is None:
        raise SetupError("PySpark's Ivy is not installed; run make setup")
    module = work / "ivy.xml"
    module.write_text(MODULE.format(dependencies="\n".join(map(_dependency, pins))))
    command = words(
        java_home / "bin" / "java",
        *TIMEOUTS,
        f"-Divy.default.ivy.user.dir={work}",
        *("-jar", ivy, "-ivy", module, "-cache", work / "cache"),
        *("-retrieve", work / "jars" / "[organisation]_[artifact]-[revision].[ext]"),
        *("-types", "jar", "bundle"),
    )
    try:
        logged(command, env, layout.root, layout.logs / "kafka-jars.log")
    except CommandFailed as error:
        raise NotDownloaded(f"cannot download Kafka's JARs: {error}; check the network") from error


def _dependency(jar: jars.Jar) -> str:
    values = dict(zip(("org", "name", "rev"), jar.coordinates.split(":"), strict=True))
    pin = " ".join(f"{key}={quoteattr(value)}" for key, value in values.items())
    return f'    <dependency {pin} conf="default->master" transitive="false"/>'
