"""One experiment with brokers that join and leave at fixed times as report and terminal show it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import pandas as pd

from pipeline.warehouse.runs.run_results import Results

SAME = ["scaling", "kind", "broker"]
"""What scalings have in common that experiments are compared on."""


class Study(NamedTuple):
    """An experiment."""

    name: str
    setting: Mapping[str, Any]
    """Its configuration."""
    runs: pd.DataFrame
    scalings: pd.DataFrame
    pauses: pd.DataFrame
    """`runs`, `scalings`, `pauses`: rows of the tables ``broker_…``."""

    @property
    def planner(self) -> str:
        """Kind of its plans."""
        return str(self.setting["planner"])

    @property
    def replication(self) -> int:
        """Replicas of each partition."""
        return int(self.setting["replication"])

    @property
    def words(self) -> str:
        """What it does."""
        one = self.setting
        # Moves can end before a fault.
        count = int(self.scalings["fault"].notna().sum())
        faults = f", {count} of them with a fault" if one["faults"] else ""
        return (
            f"{one['scalings']} scalings between {one['least_brokers']} and "
            f"{one['most_brokers']} brokers{faults}, replication {one['replication']}, plans: "
            f"{self.planner}"
        )


def studies(results: Results) -> list[Study]:
    """The experiments of a run with scalings at fixed times, in the order of its configuration."""
    found = []
    for setting in results.config["brokers"]:
        if setting["decided_by"]:
            continue
        at = results.at(setting["name"])
        tables = (at[name] for name in ("broker_runs", "broker_scalings", "broker_pauses"))
        found.append(Study(setting["name"], setting, *tables))
    return found
