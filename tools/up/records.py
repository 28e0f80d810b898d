"""What has been started, in one small file per service."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from tools.layout import Layout
from tools.topology import SERVICES
from tools.up.processes import Leader


@dataclass(frozen=True)
class Record:
    """A service that was started.

    Attributes
    ----------
    ports
        All ports of the installation by variable, as they were then.
    since
        When, in seconds since 1970.
    """

    service: str
    leader: Leader
    ports: Mapping[str, int]
    since: float = field(default_factory=time.time)


def save(layout: Layout, record: Record) -> None:
    """Keep a record; the file appears when it is complete."""
    file = _file(layout, record.service)
    file.parent.mkdir(parents=True, exist_ok=True)
    draft = file.with_suffix(".draft")
    draft.write_text(json.dumps(asdict(record)))
    draft.replace(file)


def load(layout: Layout) -> dict[str, Record]:
    """Read the records, in the order in which services start."""
    found = {}
    for service in SERVICES:
        file = _file(layout, service.name)
        if file.exists():
            content = json.loads(file.read_text())
            leader = Leader(**content.pop("leader"))
            found[service.name] = Record(leader=leader, **content)
    return found


def remove(layout: Layout, name: str) -> None:
    """Forget a service that has been stopped."""
    _file(layout, name).unlink(missing_ok=True)


def _file(layout: Layout, name: str) -> Path:
    return layout.services / "running" / f"{name}.json"
