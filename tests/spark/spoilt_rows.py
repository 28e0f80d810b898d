"""Rows of a run that are spoilt, and the rules that must say so."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import pytest

from pipeline.base.errors import ValidationFailed
from pipeline.engine import steps
from pipeline.warehouse.runs.context import RunContext
from pipeline.warehouse.storage import tables

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Spoils = Mapping[str, tuple[str, Mapping[str, str], str]]
"""Rows that stay, values that change, and the rule that must say so, by table."""


def check_noticed(spark: SparkSession, run: RunContext, spoils: Spoils) -> None:
    """Spoil one table after the other, the last first: rules read those that are filled before."""
    for table in reversed(spoils):
        kept, changes, rule = spoils[table]
        good = tables.read(spark, table, run.paths, run.run_id).where(kept)
        values = [f"{changes.get(name, name)} AS {name}" for name in good.columns]
        spoilt = good.selectExpr(*values).localCheckpoint()
        tables.write(spark, spoilt, table, run.paths, run.run_id)
        with pytest.raises(ValidationFailed, match=rule):
            steps.check(table, run)
