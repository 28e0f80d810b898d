"""Runs of which only the tables matter: no checks, tracking, report or publication."""

from __future__ import annotations

from pathlib import Path

from pipeline.engine import steps
from pipeline.experiments.family_list import stages_of
from pipeline.settings.run_config import RunConfig
from pipeline.warehouse.runs.context import RunContext
from pipeline.warehouse.runs.stage import Stage


def computed(config: RunConfig, warehouse: Path, run_id: str) -> RunContext:
    """A run with the tables of `detailed`; `steps.conclude` ends it."""
    ctx = steps.begin(config, warehouse, run_id, "test")
    for item in detailed(config):
        steps.run_stage(item.name, ctx)
    return ctx


def detailed(config: RunConfig) -> list[Stage]:
    """Stages that write tables, except summaries, which follow from the tables of the others."""
    return [item for item in stages_of(config) if item.writes and not item.summary]
