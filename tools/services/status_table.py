"""The table of services that `make up` and `make status` print."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

HEALTHY, STOPPED, UNREAD = "healthy", "stopped", "not read"
TITLES = ("service", "address", "state", "pid")


@dataclass(frozen=True)
class ServiceStatus:
    """One service as it is now, or a DAG that Airflow has not read."""

    service: str
    address: str
    state: str
    pid: int | None = None


def render(rows: Sequence[ServiceStatus]) -> str:
    """The rows below titles, in columns."""
    cells = [TITLES] + [(r.service, r.address, r.state, str(r.pid or "")) for r in rows]
    widths = [max(len(line[column]) for line in cells) for column in range(len(TITLES))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in cells
    )
