"""Policies that a run attaches to its report, as files."""

from __future__ import annotations

from pathlib import Path

from pipeline.experiments.learning.policies import policy_files
from pipeline.inputs.policies import policy_content
from pipeline.warehouse.runs.context import RunContext
from pipeline.warehouse.storage import reader


def attach(ctx: RunContext, folder: Path) -> None:
    """Write policies of seed 1: per agent and reward that of each experiment's first variant.

    Of agents on groups all variants, whose actions and weights make different policies. Not the
    best seed, which would be chosen on the held-out episodes.
    """
    (folder / "policies").mkdir(exist_ok=True)
    attached = {
        one.name: one.variants if one.scales_group else one.variants[:1]
        for one in ctx.config.learning
    }
    for row in policy_files.stored(reader.of(ctx.paths), ctx.run_id, seeds=1):
        if row["variant"] in attached[row["experiment"]]:
            place = folder / "policies" / policy_files.file_name(row)
            place.write_text(policy_content.text_of(row), encoding="utf-8")
