"""Policies that a run attaches to its report, as files, and MLflow registers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pipeline.experiments.learning.policies import policy_files
from pipeline.inputs.policies import policy_content, policy_weights
from pipeline.reporting.tracking.content import TrainedModel
from pipeline.reporting.tracking.run_content import spelt
from pipeline.warehouse.runs.context import RunContext
from pipeline.warehouse.storage import reader

_TAGS = ("experiment", "agent", "reward", "variant", "seed", "environment")


def attach(ctx: RunContext, folder: Path) -> list[TrainedModel]:
    """Write policies of seed 1: per agent and reward that of each experiment's first variant.

    Of agents on groups all variants, whose actions and weights make different policies. Not the
    best seed, which would be chosen on the held-out episodes.
    """
    (folder / "policies").mkdir(exist_ok=True)
    return list(_attached(ctx, folder / "policies"))


def _attached(ctx: RunContext, folder: Path) -> Iterator[TrainedModel]:
    attached = {
        one.name: one.variants if one.scales_group else one.variants[:1]
        for one in ctx.config.learning
    }
    for row in policy_files.stored(reader.of(ctx.paths), ctx.run_id, seeds=1):
        if row["variant"] in attached[row["experiment"]]:
            file = folder / policy_files.file_name(row)
            file.write_text(policy_content.text_of(row), encoding="utf-8")
            yield _model(ctx, row, file)


def _model(ctx: RunContext, row: Mapping[str, Any], file: Path) -> TrainedModel:
    on_group = row["environment"] == policy_weights.GROUP
    cell = ("experiment", "agent", *(() if on_group else ("reward",)), "variant")
    preset = ctx.config.preset or "custom"
    what = "consumers of a group" if on_group else "brokers of a cluster"
    names = [preset, *(str(row[name]) for name in ("experiment", "agent", "reward", "variant"))]
    return TrainedModel(
        # MLflow allows neither slashes nor colons.
        name=spelt(".".join(["groupscale", *names])).replace("/", "-"),
        description=f"A policy for the number of {what}, of preset {preset}; a version per run.",
        child="/".join(str(row[name]) for name in cell),
        file=file,
        digest=row["digest"],
        tags={name: str(row[name]) for name in _TAGS},
        version=f"Policy of run {ctx.run_id}, in the form of groupscale learn export.",
    )
