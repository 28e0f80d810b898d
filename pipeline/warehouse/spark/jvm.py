"""Options of the driver's JVM, chosen for runs of minutes rather than days.

Starting is most of a small run's time. Two things shorten it: classes come from an archive
that set-up has recorded (class data sharing), already parsed and verified; and the optimising
compiler, which on two cores competes with the run itself, is off for brief runs and starts forty
times later than by default for others. A missing archive, or one of another Java or other JARs,
only costs time.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from pipeline.base import paths
from pipeline.base.process import own_environment
from pipeline.warehouse.spark import machine_needs

RECORD = "GROUPSCALE_RECORD_CLASSES"
"""Environment variable: file to which the JVM writes an archive of its classes as it ends."""

LOG_SETTINGS = Path(__file__).with_name("log4j2.properties")

_BRIEF = ("-XX:TieredStopAtLevel=1",)
_LATE_OPTIMISATION = (
    "-XX:Tier4InvocationThreshold=200000",
    "-XX:Tier4MinInvocationThreshold=24000",
    "-XX:Tier4CompileThreshold=600000",
    "-XX:Tier4BackEdgeThreshold=1600000",
)


LARGE_PAGES = Path("/sys/kernel/mm/transparent_hugepage/enabled")
"""Where Linux says who gets large pages of memory; with ``[madvise]``, those who request them."""

NOISE = b"WARNING: Using incubator modules"
"""Java's warning about a module that Spark always loads; no option turns it off."""


@contextmanager
def quiet_start() -> Iterator[None]:
    """Forward what a JVM started here writes to standard error, apart from `NOISE`.

    A thread does that as long as the JVM lives. Output of other threads is forwarded as well.
    """
    shown = os.dup(2)
    read, write = os.pipe()
    threading.Thread(target=_forward, args=(read, shown), name="jvm-stderr", daemon=True).start()
    os.dup2(write, 2)
    os.close(write)
    try:
        yield
    finally:
        os.dup2(shown, 2)


def _forward(read: int, shown: int) -> None:
    with os.fdopen(read, "rb") as lines:
        for line in lines:
            # The terminal may be closed, and the JVM must not wait for a reader.
            with suppress(OSError):
                os.write(shown, line.partition(NOISE)[0])
    os.close(shown)


def use_own_java() -> None:
    """Set ``JAVA_HOME`` to set-up's Java, else check it. Raises InputError if not supported."""
    java = paths.home() / ".cache" / "java"
    home = os.environ.get(own_environment.JAVA)
    if java.exists():
        os.environ[own_environment.JAVA] = str(java)
    elif home:
        own_environment.check_java(home)


def archive() -> Path:
    """Where set-up keeps the archive of classes."""
    return paths.home() / ".cache" / "classes" / "spark.jsa"


def options(brief: bool) -> str:
    """All options as one string, quoted as Spark splits it."""
    chosen = [
        f"-Dlog4j2.configurationFile={LOG_SETTINGS.as_uri()}",
        f"-Dgroupscale.logs={paths.logs()}",
        # Java ignores TMPDIR.
        f"-Djava.io.tmpdir={machine_needs.temporary_folder()}",
        "-XX:+UseSerialGC",
        "-XX:-UsePerfData",
        # Starting allocates more than the default initial heap: a larger one saves collections.
        "-XX:NewSize=600m",
        # With only one compiler Java reserves 48 MB for code, which a run can fill: then calls fail
        # anywhere, and Spark waits forever.
        "-XX:ReservedCodeCacheSize=240m",
        *(_BRIEF if brief else _LATE_OPTIMISATION),
        *_pages(),
        *_classes(),
    ]
    return " ".join(f'"{option}"' for option in chosen)


def _pages() -> Sequence[str]:
    """The option for large pages of memory, unless Java would warn that Linux gives none.

    With them small queries took 9 % less processor time (Java 17, a virtual machine).
    """
    if LARGE_PAGES.is_file() and "[madvise]" in LARGE_PAGES.read_text():
        return ("-XX:+UseTransparentHugePages",)
    return ()


def _classes() -> Sequence[str]:
    recorded = os.environ.get(RECORD)
    if recorded:
        return (f"-XX:ArchiveClassesAtExit={recorded}", *_SILENT)
    if archive().is_file():
        return (f"-XX:SharedArchiveFile={archive()}", *_SILENT)
    return ()


_SILENT = ("-Xshare:auto", "-Xlog:cds=off", "-Xlog:cds+dynamic=off", "-Xlog:class+path=off")
