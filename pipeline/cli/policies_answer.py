"""Figures of a simulated application as tables for people, or as JSON for programs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from algorithms.simulation import ApplicationResult
from pipeline.base.text.fitted_table import Column, Fitted, dropped_line, fitted
from pipeline.base.text.json_values import plain
from pipeline.base.text.printable import printable
from pipeline.experiments.applications.results import application_rows
from pipeline.inputs.applications.application_file import ApplicationFile
from pipeline.inputs.applications.policy_names import Policy
from pipeline.reporting.sections import numbers

if TYPE_CHECKING:
    from algorithms.simulation.application_result import PathResponses

Runs = Sequence[tuple[Policy, ApplicationResult]]

_SCALED = (
    Column("instances\nmean", 1),
    Column("\nfewest", 3),
    Column("\nmost", 2),
    Column("\nchanges", 4),
)
ANSWERED = (
    Column("mean, s", 1),
    Column("p50, s", 6),
    Column("p90, s", 5),
    Column("p99, s", 3),
    Column("max, s", 4),
    Column("peak, s", 2),
    Column("above, %", 0),
)
"""Columns of response times."""

_PIPE = 100_000
"""Characters of a line of a pipe or a file, which have room for every name."""


def write(name: str, file: ApplicationFile, runs: Runs) -> None:
    """Print the tables to standard output.

    name: Of the file.
    """
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False, markup=False, emoji=False)
    tables = list(_tables(file, runs, console.width if console.is_terminal else None))
    if not console.is_terminal:
        console.width = _PIPE
    console.print(Text(printable(_heading(name, file))))
    for title, table in tables:
        console.print(Text(f"\n{title}" if title else ""))
        console.print(table.table)
    console.print(Text(f"\n{_notes(file)}"))
    if dropped := dropped_line([head for _, table in tables for head in table.dropped]):
        console.print(Text(dropped))


def _tables(file: ApplicationFile, runs: Runs, width: int | None) -> Iterator[tuple[str, Fitted]]:
    """Instances, then a table for each path, the longest one first; with their titles."""
    yield "", _scaled(file, runs, width)
    application = file.application.checked
    paths = sorted(range(len(application.paths)), key=lambda i: i != application.longest)
    for index in paths:
        events = numbers.count(runs[0][1].paths[index].events)
        path = application_rows.path_text(application.paths[index])
        rows = [(policy.label, _responses(result.paths[index])) for policy, result in runs]
        title = f"response times of {events} events: {path}"
        yield title, fitted("policy", ANSWERED, rows, width)


def _notes(file: ApplicationFile) -> str:
    return (
        "Instances: of all functions together. Changes: of the instances of a function. Peak: "
        "greatest mean of the events completed in 30 s. Above: share of the events with a response "
        f"time over {file.settings.r_max:g} s (r_max)."
    )


def _heading(name: str, file: ApplicationFile) -> str:
    application, settings = file.application.checked, file.settings
    rates = [piece.rate for source in application.sources for piece in source.pieces]
    many = len(application.functions)
    return (
        f"{name}: {many} function{'s' * (many != 1)}, "
        f"{numbers.duration(application.seconds)}, sources of {min(rates):g} to {max(rates):g} "
        f"events/s; a decision every {settings.decision_s:g} s"
    )


def _scaled(file: ApplicationFile, runs: Runs, width: int | None) -> Fitted:
    rows = []
    for policy, result in runs:
        row = application_rows.run_row(result, file.application.checked)
        cells = [f"{row[f'{key}_instances']:,}" for key in ("fewest", "most")]
        rows.append(
            (
                policy.label,
                [numbers.fixed(row["mean_instances"], 2), *cells, f"{row['scalings']:,}"],
            )
        )
    return fitted("\npolicy", _SCALED, rows, width)


def _responses(path: PathResponses) -> list[str]:
    names = ("mean", "p50", "p90", "p99", "max", "peak")
    values = [getattr(path, name) for name in names]
    seconds = [numbers.MISSING if v is None else numbers.latency(v) for v in values]
    share = numbers.MISSING if path.above is None else numbers.fixed(100.0 * path.above, 1)
    return [*seconds, share]


def json_text(file: ApplicationFile, runs: Runs) -> str:
    """All figures as JSON; a mean of no events is null."""
    content = {
        "application": json.loads(file.application.text),
        "settings": asdict(file.settings),
        "policies": [_entry(file, *run) for run in runs],
    }
    return json.dumps(plain(content), indent=1, ensure_ascii=False, allow_nan=False)


def _entry(file: ApplicationFile, policy: Policy, result: ApplicationResult) -> Mapping[str, Any]:
    application = file.application.checked
    row = application_rows.run_row(result, application)
    return {
        "policy": policy.name,
        "arguments": dict(policy.arguments),
        **{name: row[name] for name in list(row)[:4]},
        "paths": [
            path._asdict() | {"path": list(path.path), "longest": index == application.longest}
            for index, path in enumerate(result.paths)
        ],
        "changes": [change._asdict() for change in result.scalings],
        "steps": list(application_rows.step_rows(result, application)),
        "functions": list(application_rows.function_rows(result)),
    }
