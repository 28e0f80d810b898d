"""Options that several commands share."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from pipeline.base import paths
from pipeline.base.errors import InputError
from pipeline.base.text.printable import printable

Warehouse = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR",
        help="Folder of tables and reports \\[default: $GROUPSCALE_WAREHOUSE, or warehouse]",
    ),
]
Debug = Annotated[bool, typer.Option("--debug", help="Print the traceback of an error.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]
JsonFormat = Annotated[bool, typer.Option("--json", help="As --format json.")]
TableFormat = Annotated[
    str | None,
    typer.Option("--format", metavar="FORMAT", help="table or json \\[default: table]"),
]
NewRunId = Annotated[
    str | None,
    typer.Option(metavar="ID", help="Id of the run \\[default: a new id]"),
]
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="As for `groupscale run`. Repeatable."),
]
ImportPath = Annotated[
    list[Path] | None,
    typer.Option(
        metavar="DIR",
        help="Folder of your own algorithms' modules, such as . for the current one. Repeatable.",
    ),
]
Workload = Annotated[
    str,
    typer.Argument(
        metavar="WORKLOAD",
        help="File of recorded rates, or a profile: steady, ramp, steps, diurnal, bursts, "
        "flash_crowd.",
    ),
]
Partitions = Annotated[
    int | None,
    typer.Option(
        metavar="P",
        help="Partitions that one total rate is split over \\[default: 9 for a profile]",
    ),
]
Split = Annotated[
    str | None,
    typer.Option(
        metavar="SPLIT",
        help="equal, skew (two hot partitions), or a weight per partition such as 4,2,1 "
        "\\[default: equal]",
    ),
]
Values = Annotated[
    str | None,
    typer.Option(
        metavar="KIND",
        help="What the numbers are in a file that does not say so: rates or offsets \\[default: "
        "recognized]",
    ),
]
Timestamps = Annotated[
    str | None,
    typer.Option(
        metavar="UNIT",
        help="Unit of timestamps that are numbers: s, ms, us or ns \\[default: recognized]",
    ),
]
Commits = Annotated[
    str | None,
    typer.Option(
        metavar="WHEN",
        help="When members commit, which is what a scaler sees: auto (by the client, every 5 s), "
        "batch (after each batch), or the seconds between commits \\[default: auto]",
    ),
]
SharedLimit = Annotated[
    str | None,
    typer.Option(
        metavar="RATE",
        help="Events/s that all replicas serve together, at most, such as a database behind them "
        "\\[default: none]",
    ),
]
OutageLength = Annotated[
    str | None,
    typer.Option(
        metavar="TIME",
        help="How long the group stands still at its busiest hour, in one of the events that the "
        "answer lists \\[default: 15m]",
    ),
]
Retention = Annotated[
    str | None,
    typer.Option(
        metavar="TIME", help="How long brokers keep events \\[default: 7d, as Kafka does]"
    ),
]


def summary(command: Callable[..., None]) -> str:
    """First paragraph of a command's help, for lists, which cut others after 45 characters."""
    return " ".join((inspect.getdoc(command) or "").partition("\n\n")[0].split())


def format_of(style: str | None, as_json: bool) -> str | None:
    """What ``--format`` and ``--json`` ask for. Raises InputError if they contradict each other."""
    if not as_json:
        return style
    if style not in (None, "json"):
        raise InputError(f"--json contradicts --format {printable(str(style))}; leave out one")
    return "json"


def places(warehouse: Path | None) -> paths.Paths:
    """Paths in the given warehouse, else in the default one."""
    return paths.Paths(warehouse if warehouse is not None else paths.warehouse())
