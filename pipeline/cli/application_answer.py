"""Figures of a simulated application as tables for people, or as JSON for programs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from algorithms.simulation import ApplicationResult
from pipeline.base.text.fitted_table import Column, Fitted, dropped_line, fitted
from pipeline.base.text.json_values import plain
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
_ANSWERED = (
    Column("mean, s", 1),
    Column("p50, s", 6),
    Column("p90, s", 5),
    Column("p99, s", 3),
    Column("max, s", 4),
    Column("peak, s", 2),
    Column("above, %", 0),
)


def text_lines(name: str, file: ApplicationFile, runs: Runs, width: int | None) -> Iterator[object]:
    """What a terminal prints, from top to bottom.

    name: Of the file.
    width: Most characters of a line; None for no limit.
    """
    yield _heading(name, file)
    yield ""
    tables = [_scaled(file, runs, width), *_answered(file, runs, width)]
    for table in tables:
        yield table.table
        yield ""
    if dropped := dropped_line([head for table in tables for head in table.dropped]):
        yield dropped
    yield "Instances: of all functions together. Changes: of the instances of a function."
    yield (
        "Peak: greatest mean of the events completed in 30 s. Above: share of the events with a "
        f"response time over {file.settings.r_max:g} s (r_max)."
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
            (policy.label, [numbers.fixed(row["mean_instances"], 2), *cells, f"{row['scalings']:,}"])
        )
    return fitted("\npolicy", _SCALED, rows, width)


def _answered(file: ApplicationFile, runs: Runs, width: int | None) -> Iterator[Fitted]:
    """A table for each path, the longest one first."""
    paths = list(range(len(file.application.checked.paths)))
    longest = file.application.checked.longest
    for index in sorted(paths, key=lambda i: i != longest):
        rows = [(policy.label, _responses(result.paths[index])) for policy, result in runs]
        events, path = runs[0][1].paths[index].events, file.application.checked.paths[index]
        title = f"response times of {numbers.count(events)} events: {' > '.join(path)}"
        fit = fitted("policy", _ANSWERED, rows, width)
        fit.table.title, fit.table.title_justify, fit.table.title_style = title, "left", ""
        yield fit


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
