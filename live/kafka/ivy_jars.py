"""Fetches pinned JARs with the Ivy that PySpark brings; standard library alone, as set-up needs.

`spark-submit`, the other way to fetch JARs, takes one version of a package at most and
leaves out Scala, which Kafka needs.
"""

from __future__ import annotations

import subprocess
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO
from xml.sax.saxutils import quoteattr

from live.kafka.pinned_jars import Jar, pinned, put
from pipeline.base.errors import InputError
from pipeline.base.text.failure_cause import cause

LIMIT_SECONDS = 1800.0
"""Timeout of a download."""

TICK_SECONDS = 0.1
"""Time between two looks whether a download is finished."""

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


SETTINGS = """\
<ivysettings>
  <property name="ivy.checksums" value=""/>
  <settings defaultResolver="central"/>
  <resolvers><ibiblio name="central" m2compatible="true" usepoms="false"/></resolvers>
</ivysettings>
"""
# Descriptions of 45 packages take 35 s, and pinned JARs need none. Their hashes are checked here.


class NotDownloaded(InputError):
    """The JARs are not there, and the network or the repository does not deliver them."""


@dataclass(frozen=True)
class Ivy:
    """How Ivy is called."""

    java: Path
    """The program that runs it."""
    program: Path
    """Ivy's own JAR."""
    log: Path
    """File to which its output is appended."""
    env: Mapping[str, str] | None = None
    """Environment variables; None for those of this process."""


def fetch(ivy: Ivy, lock: Path, folder: Path, title: str) -> None:
    """Download the JARs of a lock file; the folder appears in one step, or not at all.

    folder: Folder to put in place; an old one is replaced.
    title: What messages call the JARs, such as ``Kafka's JARs``.
    Raises NotDownloaded if Ivy cannot download them.
    Raises WrongJar if one is missing or its hash differs.
    """
    pins = pinned(lock)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="ivy-", dir=folder.parent) as name:
        work = Path(name)
        _download(ivy, pins, work, title)
        put(pins, work / "jars", folder, lock.name)


def _download(ivy: Ivy, pins: Sequence[Jar], work: Path, title: str) -> None:
    module, settings = work / "ivy.xml", work / "ivysettings.xml"
    module.write_text(MODULE.format(dependencies="\n".join(map(_dependency, pins))))
    settings.write_text(SETTINGS)
    command = [
        *(str(ivy.java), *TIMEOUTS, f"-Divy.default.ivy.user.dir={work}"),
        *("-jar", str(ivy.program), "-settings", str(settings), "-ivy", str(module)),
        *("-cache", str(work / "cache")),
        *("-retrieve", str(work / "jars" / "[organisation]_[artifact]-[revision].[ext]")),
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
            status = _status(command, ivy.env, file)
    except subprocess.TimeoutExpired as error:
        return f"not finished after {error.timeout:.0f} s"
    except OSError as error:
        return str(error)
    text = output.read_text(encoding="utf-8", errors="replace")
    with ivy.log.open("a", encoding="utf-8") as log:
        log.write(f"$ {' '.join(command)}\n{text}")
    return (cause(text) or f"exit status {status}") if status != 0 else None


def _status(command: Sequence[str], env: Mapping[str, str] | None, output: IO[bytes]) -> int:
    """Exit status of a command, which is killed at its limit, and if this process is to end."""
    began = time.monotonic()
    with subprocess.Popen(
        command, env=env, stdin=subprocess.DEVNULL, stdout=output, stderr=output
    ) as process:
        try:
            while process.poll() is None:
                passed = time.monotonic() - began
                if passed > LIMIT_SECONDS or not threading.main_thread().is_alive():
                    raise subprocess.TimeoutExpired(command, passed)
                time.sleep(TICK_SECONDS)
        except BaseException:
            process.kill()
            raise
    return process.returncode


def _dependency(jar: Jar) -> str:
    values = dict(zip(("org", "name", "rev"), jar.coordinates.split(":"), strict=True))
    pin = " ".join(f"{key}={quoteattr(value)}" for key, value in values.items())
    return f'    <dependency {pin} conf="default->default" transitive="false"/>'
