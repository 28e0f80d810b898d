"""Our own Java classes, compiled when they are first needed."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

from pipeline.base import paths
from pipeline.base.errors import InputError
from pipeline.base.text.failure_cause import cause

RELEASE = "17"
"""Java that our classes are compiled for: the oldest one that runs Kafka and Pulsar."""

_SECONDS = 600.0


def compiler_of(java: Path, purpose: str) -> Path:
    """The ``javac`` of a Java, else of the PATH.

    purpose: What is compiled, a plural, in messages.
    Raises InputError without one.
    """
    beside = java.resolve().parent / "javac"
    on_path = shutil.which("javac")
    if beside.is_file():
        return beside
    if on_path is None:
        raise InputError(
            f"{purpose} need the compiler of a Java {RELEASE} or later (no javac next to "
            f"{java}, and none on the PATH); install a JDK, or set JAVA_HOME to one"
        )
    return Path(on_path)


def compiled(kind: str, sources: Iterable[Path], make: Callable[[Path], None]) -> Path:
    """Folder in the cache with what was made of sources, named by their bytes.

    make: Fills a new folder; called unless there is one already. It appears in one step.
    """
    digest = hashlib.sha256()
    for source in sources:
        digest.update(source.read_bytes())
    folder = paths.home() / ".cache" / kind / digest.hexdigest()[:16]
    if folder.exists():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="javac-", dir=folder.parent) as name:
        work = Path(name) / "made"
        work.mkdir()
        make(work)
        try:
            work.rename(folder)
        except OSError:
            if not folder.exists():  # Another process has compiled the same classes meanwhile.
                raise
    return folder


def run(purpose: str, *words: str | Path) -> None:
    """Run a program of the JDK.

    purpose: What is compiled, in messages.
    Raises InputError with the line that says why it failed.
    """
    try:
        done = subprocess.run(
            list(map(str, words)), capture_output=True, text=True, timeout=_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise InputError(f"cannot compile {purpose}: {error}") from error
    if done.returncode != 0:
        reason = cause(done.stdout + done.stderr) or f"exit status {done.returncode}"
        raise InputError(f"cannot compile {purpose} with {words[0]}: {reason}")
