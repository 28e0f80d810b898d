"""One experiment on Pulsar as report and terminal show it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import pandas as pd

from live.pulsar.function_settings import AT_MOST_ONCE, INTERRUPTIBLE
from pipeline.warehouse.runs.run_results import Results
from schemas.tables.pulsar.pulsar_intervals import AGREES

WORDS = {AT_MOST_ONCE: "records processed at most once", INTERRUPTIBLE: "interruptible hold"}
"""Of settings that are not the usual ones."""


class Study(NamedTuple):
    """An experiment."""

    name: str
    setting: Mapping[str, Any]
    """Its configuration."""
    runs: pd.DataFrame
    intervals: pd.DataFrame
    steps: pd.DataFrame
    changes: pd.DataFrame
    """`runs`, `intervals`, `steps`, `changes`: rows of the tables ``pulsar_…``."""

    @property
    def words(self) -> str:
        """Its load."""
        one = self.setting
        count = len(one["load_levels"])
        load = (
            f"{one['resizings']} changes each way at constant load"
            if one["resizings"]
            else f"{one['graph']}, {count} intervals of {one['piece_s']:g} s"
        )
        kinds = (WORDS.get(one["guarantee"]), WORDS.get(one["hold"]))
        return ", ".join(filter(None, (load, *kinds)))

    @property
    def agreeing(self) -> tuple[int, int]:
        """Intervals whose mean response agrees with the simulated one, and judged ones."""
        judged = self.intervals["verdict"].dropna()
        return int((judged == AGREES).sum()), len(judged)


def studies(results: Results) -> list[Study]:
    """The experiments of a run, in the order of its configuration."""
    found = []
    for setting in results.config["pulsar"]:
        at = results.at(setting["name"])
        names = ("pulsar_runs", "pulsar_intervals", "pulsar_steps", "pulsar_changes")
        found.append(Study(setting["name"], setting, *(at[name] for name in names)))
    return found
