"""Kafka's own command-line tools, for requests that no Python client knows."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

from live.kafka import broker_jars, ivy_jars, pinned_jars
from live.kafka.ivy_jars import Ivy
from pipeline.base import paths, progress
from pipeline.base.errors import StageError
from pipeline.base.text.failure_cause import cause

LOCK = broker_jars.LOCK.with_name("kafka-tools-jars.txt")

CALL_SECONDS = 300.0
"""Time limit of a call; on an idle machine one takes 2 s."""

_OPTIONS = ("-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")


class ToolFailed(StageError):
    """A tool did not do what it was asked for."""


def ensure(java: Path) -> Path:
    """Folder of the tools' JARs; fetches them unless they are there.

    Raises InputError if they cannot be fetched, or one differs from its pin.
    """
    folder = paths.home() / ".cache" / "kafka-tools-jars"
    if not pinned_jars.is_complete(folder, pinned_jars.pinned(LOCK)):
        progress.note("fetching Kafka's tools (1 MB)")
        ivy = Ivy(java, broker_jars.ivy_program(), paths.logs() / "kafka-tools-jars.log")
        ivy_jars.fetch(ivy, LOCK, folder, "Kafka's tools")
    return folder


def call(java: Path, jars: Path, tool: str, words: Sequence[str]) -> str:
    """Run a tool; returns its output.

    jars: The brokers' JARs.
    Raises ToolFailed with the line that says why, if it fails or takes too long.
    """
    path = os.pathsep.join((f"{ensure(java)}/*", f"{jars}/*"))
    command = [str(java), *_OPTIONS, "-cp", path, tool, *words]
    name = tool.rpartition(".")[2]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=CALL_SECONDS)
    except subprocess.TimeoutExpired:
        raise ToolFailed(f"Kafka's {name} does not end within {CALL_SECONDS:.0f} s") from None
    if done.returncode != 0:
        said = done.stdout + done.stderr
        raise ToolFailed(f"Kafka's {name} failed: {cause(said) or said.strip()[-200:]}")
    return done.stdout
