"""Records of started services, in one small file per service."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from tools.console import SetupError
from tools.layout import Layout
from tools.services import credentials, state_files
from tools.services.processes import Leader
from tools.services.service_topology import SERVICES

SETTINGS = ("AIRFLOW_", "GROUPSCALE_", "MLFLOW_", "SPARK_", "PYSPARK_", "JAVA_", "PYTHONPATH")
"""Prefixes of variables that are settings of a service; a terminal's are not."""

OF_A_RUN = "GROUPSCALE_RUN_"


@dataclass(frozen=True)
class Record:
    """A service that was started."""

    service: str
    leader: Leader
    ports: Mapping[str, int]
    """All ports of the installation by variable, as of the start."""
    since: float = field(default_factory=time.time)
    """Time of the start, in seconds since 1970."""
    settings: Mapping[str, str] = field(default_factory=dict)
    """Digests of the values of its settings, by variable."""


def digests(env: Mapping[str, str]) -> dict[str, str]:
    """Digests of the variables that are settings of a service."""
    return {
        name: hashlib.sha256(value.encode("utf-8", "surrogateescape")).hexdigest()[:16]
        for name, value in sorted(env.items())
        if name.startswith(SETTINGS) and not name.startswith(OF_A_RUN)
    }


def changed(record: Record, env: Mapping[str, str]) -> list[str]:
    """Variables that differ from those of a service's start."""
    now = digests(env)
    names = {*now, *record.settings}
    return sorted(name for name in names if now.get(name) != record.settings.get(name))


def save(layout: Layout, record: Record) -> None:
    """Save a record; the file appears when complete, and only its owner can read it."""
    credentials.write(_file(layout, record.service), json.dumps(asdict(record)))


def load(layout: Layout) -> dict[str, Record]:
    """The records in order of starting. Raises SetupError, with file and log, if one is broken."""
    recorded = {}
    for service in SERVICES:
        file = _file(layout, service.name)
        if file.exists():
            recorded[service.name] = _read(layout, service.name, file)
    return recorded


def _read(layout: Layout, name: str, file: Path) -> Record:
    remedy = f"end {name} if it still runs (log: {layout.logs / name}.log), and remove the file"
    content = state_files.read(file, remedy)
    try:
        leader = Leader(**content.pop("leader"))
        return Record(leader=leader, **content)
    except (KeyError, TypeError):
        raise SetupError(f"{file} is no record of a service; {remedy}") from None


def remove(layout: Layout, name: str) -> None:
    """Remove the record of a service that has been stopped."""
    _file(layout, name).unlink(missing_ok=True)


def _file(layout: Layout, name: str) -> Path:
    return layout.services / "running" / f"{name}.json"
