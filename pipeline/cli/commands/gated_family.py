"""Whether the family of a run has baselines: a live run is a measurement, and has none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.base.errors import InputError
from pipeline.experiments.family_list import family_of
from pipeline.settings.run_config import RunConfig

if TYPE_CHECKING:
    from pipeline.warehouse.runs.experiment_family import Family
    from pipeline.warehouse.storage.reader import Source


def ungated(source: Source, run_id: str) -> Family | None:
    """The family of a run if it has no baselines; None if it has, or the run is unknown."""
    configs = source.rows("runs", ["config"], run_id=[run_id])["config"].to_pylist()
    if not configs:
        return None
    try:
        family = family_of(RunConfig.from_json(configs[0]))
    except ValueError:
        return None  # of a version whose settings are no longer valid
    return None if family.gated else family


def check(source: Source, run_id: str) -> None:
    """Raise `InputError` if the family of a run has no baselines."""
    family = ungated(source, run_id)
    if family is not None:
        raise InputError(
            f"`RUN_ID`: run {run_id!r} belongs to family {family.name}, whose runs have no "
            "baseline; choose a run of another family"
        )
