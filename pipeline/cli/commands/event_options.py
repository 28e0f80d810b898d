"""Options on events, whose help names their kinds as these are declared."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

import typer

from algorithms.simulation.incident_kinds import KINDS
from live.asking.group_incidents import CARRIED_OUT
from pipeline.experiments.autoscaling.recommendation.survived_events import SURVIVABLE


def _listed(kinds: Iterable[str]) -> str:
    *others, last = kinds
    return f"{', '.join(others)} or {last}"


Event = Annotated[
    list[str] | None,
    typer.Option(
        metavar="KIND@TIME",
        help=f"What happens to the group: {_listed(KINDS)}, such as outage@12:00:15m. Repeatable. "
        "See docs/bad-hour.md.",
    ),
]
LiveEvent = Annotated[
    list[str] | None,
    typer.Option(
        metavar="KIND@TIME",
        help=f"What happens to groups that ask: {_listed(CARRIED_OUT)}, such as outage@30s:10s. "
        "Repeatable. See docs/live.md.",
    ),
]
Survive = Annotated[
    str | None,
    typer.Option(
        metavar="EVENTS",
        help=f"Events at the busiest hour that the group must get over, each {_listed(SURVIVABLE)},"
        " within the objective or within a time, such as restart,crash,outage=15m:30m.",
    ),
]
