"""Settings of the experiments: those that they share, and those that differ."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from algorithms.autoscaling import strategies
from pipeline.reporting.sections.section import Row, Table, text
from pipeline.warehouse.runs.run_results import Results

Pairs = list[tuple[str, str]]


class Settings(NamedTuple):
    """Settings with the same value in all experiments, and a table of the others."""

    shared: Pairs
    differing: Table


def settings(results: Results) -> Settings:
    """Settings of all experiments, as readers see them."""
    experiments = {
        name: {field: _words(field, value) for field, value in setting.items() if field != "name"}
        for name, setting in results.experiments.items()
    }
    fields = list(dict.fromkeys(field for setting in experiments.values() for field in setting))
    shared = [field for field in fields if _same(experiments, field)]
    rest = [field for field in fields if field not in shared]
    rows = [
        Row(name, {field: setting.get(field, "") for field in rest})
        for name, setting in experiments.items()
    ]
    first: Mapping[str, str] = next(iter(experiments.values()), {})
    return Settings(
        [(field, first[field]) for field in shared],
        Table("", "Experiment", [text(field, field) for field in rest], rows if rest else []),
    )


def _same(experiments: Mapping[str, Mapping[str, str]], field: str) -> bool:
    return len({setting.get(field) for setting in experiments.values()}) == 1


def _words(field: str, value: Any) -> str:
    if field == "strategies":
        return _strategies(value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,g}" if isinstance(value, float) else str(value)


def _strategies(labels: list[str]) -> str:
    """Names of strategies, without their parameters, which the tables of results show."""
    return ", ".join(dict.fromkeys(strategies.name_of(label) for label in labels))
