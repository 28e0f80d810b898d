"""How a run was made and checked: its settings, times and expectations, ready for the template."""

from __future__ import annotations

from typing import NamedTuple

from algorithms.assignment import registry
from pipeline.reporting.sections import numbers
from pipeline.warehouse.runs.run_results import Results


class Rule(NamedTuple):
    """One expectation and whether it was met."""

    table: str
    rule: str
    meaning: str
    observed: str
    success: bool


def rules(results: Results) -> list[Rule]:
    """Validation results, failed ones first, else in the order of checking."""
    checked = [
        Rule(
            str(row["table_name"]),
            str(row["rule"]),
            str(row["meaning"]),
            str(row["observed"]),
            bool(row["success"]),
        )
        for row in results["validations"].to_dict("records")
    ]
    return sorted(checked, key=lambda rule: rule.success)


class Timing(NamedTuple):
    """A stage, all its units together; ``share`` is of the longest stage, in %."""

    stage: str
    seconds: str
    parts: int
    share: float


def timings(results: Results) -> list[Timing]:
    """Time by stage, in the order in which stages first ended."""
    totals: dict[str, list[float]] = {}
    for entry in results.stage_timings:
        totals.setdefault(str(entry["stage"]), []).append(float(entry["seconds"]))
    longest = max((sum(parts) for parts in totals.values()), default=0.0) or 1.0
    return [
        Timing(stage, numbers.duration(sum(parts)), len(parts), 100 * sum(parts) / longest)
        for stage, parts in totals.items()
    ]


def settings(results: Results) -> list[tuple[str, list[tuple[str, str]]]]:
    """Each experiment's configuration as pairs of name and value, without what is not set."""
    return [
        (
            name,
            [
                (key, _words(value))
                for key, value in setting.items()
                if key != "name" and value is not None and value != ""
            ],
        )
        for name, setting in results.experiments.items()
    ]


def _words(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:,g}" if abs(value) < 1e6 else f"{value:,.0f}"
    if isinstance(value, list | tuple):
        return ", ".join(_words(item) for item in _folded([_words(item) for item in value]))
    return str(value)


def _folded(names: list[str]) -> list[str]:
    """Shorten runs of Kafka's assignments: ``kd_1 … kd_32``."""
    folded: list[str] = []
    sizes = [registry.parameter_of(name) if name.startswith("kd_") else None for name in names]
    start = 0
    while start < len(names):
        end = start
        while end + 1 < len(names) and _follows(sizes[end], sizes[end + 1]):
            end += 1
        run = names[start : end + 1]
        folded += run if len(run) < 4 else [f"{run[0]} … {run[-1]}"]
        start = end + 1
    return folded


def _follows(first: int | None, second: int | None) -> bool:
    return first is not None and second is not None and second == first + 1
